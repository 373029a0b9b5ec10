/** Groups of series with their headings, and the index of groups at the left. */
import type { ComponentChildren, JSX } from 'preact'
import { exact } from '../format/number.ts'
import { usePage } from '../shell/page.ts'
import { Link, Name } from '../shell/parts.tsx'
import { to } from '../shell/route.ts'
import type { Entry } from '../store/catalogue.ts'
import { type Density, OVERVIEW } from './address.ts'
import { SeriesCell } from './cell.tsx'
import { crowdedLabel, type Group, groupAnchor, type Selection } from './select.ts'
import { SeriesTable } from './series-table.tsx'

/** Number of series above which cells are built near the viewport only. */
const LAZY_ABOVE = 100
/** Series in the row of unusual ones. */
const ODD_SHOWN = 4

interface BlockProps {
  readonly title: string
  readonly id: string
  readonly entries: readonly Entry[]
  readonly odd: ReadonlySet<Entry>
  readonly note: JSX.Element
  readonly isLine: boolean
  readonly isLazy: boolean
}

function Block({ title, id, entries, odd, note, isLine, isLazy }: BlockProps): JSX.Element {
  return (
    <section
      class="group"
      id={id}
      aria-label={title.trim() || '(blank)'}
      style={{ '--n': entries.length }}
    >
      <header>
        <h2 class="cut" title={title}>
          <Name text={title} />
        </h2>
        {note}
      </header>
      <div class={isLine ? 'lines' : 'cells'}>
        {entries.map((entry) => (
          <SeriesCell
            key={entry.identity}
            isUnusual={odd.has(entry)}
            {...{ entry, isLine, isLazy }}
          />
        ))}
      </div>
    </section>
  )
}

function OddNote({ count }: { count: number }): JSX.Element {
  return (
    <span class="small muted">
      {count > ODD_SHOWN && (
        <>
          <Link to={to(OVERVIEW, { group: 'none', sort: 'unusual' })} class="link">
            all {count}
          </Link>
          {'\u2002'}
        </>
      )}
      newest first; the last 10 s against each series’ own last 10 min
    </span>
  )
}

function GroupNote({ group }: { group: Group }): JSX.Element {
  const crowd = crowdedLabel(group)
  return (
    <span class="small muted">
      {exact(group.entries.length)}
      {crowd && (
        <span class="warn">
          {'\u2002'}one label has {exact(crowd.count)} values: {crowd.key}
        </span>
      )}
    </span>
  )
}

interface GroupsProps {
  readonly selection: Selection
  readonly density: Density
  readonly showsOdd: boolean
}

export function Groups({ selection, density, showsOdd }: GroupsProps): JSX.Element {
  const { found, odd, groups } = selection
  const isLazy = found.length > LAZY_ABOVE
  if (density === 'table') return <SeriesTable groups={groups} isLazy={isLazy} />
  const isLine = density === 'lines'
  const oddOnes = new Set(odd)
  return (
    <>
      {showsOdd && (
        <Block
          key="unusual now"
          title="Unusual now"
          id="unusual"
          entries={odd.slice(0, ODD_SHOWN)}
          odd={oddOnes}
          note={<OddNote count={odd.length} />}
          isLine={isLine}
          isLazy={false}
        />
      )}
      {groups.map((group) => (
        <Block
          key={`group ${group.key}`}
          title={group.key}
          id={groupAnchor(group.key)}
          entries={group.entries}
          odd={oddOnes}
          note={<GroupNote group={group} />}
          isLine={isLine}
          isLazy={isLazy}
        />
      ))}
    </>
  )
}

interface IndexProps {
  readonly selection: Selection
  readonly showsOdd: boolean
}

interface IndexLinkProps {
  readonly anchor: string
  readonly children: ComponentChildren
}

/** Shows a link within the page: it scrolls, and leaves the URL alone. */
function IndexLink({ anchor, children }: IndexLinkProps): JSX.Element {
  const jump = (event: Event): void => {
    event.preventDefault()
    document.getElementById(anchor)?.scrollIntoView()
  }
  return (
    <a href={`#${anchor}`} onClick={jump}>
      {children}
    </a>
  )
}

export function GroupIndex({ selection, showsOdd }: IndexProps): JSX.Element {
  const { store } = usePage()
  const hasOdd = ({ entries }: Group): boolean =>
    entries.some(({ id }) => store.watch.finding(id).since > 0)
  return (
    <nav class="index" aria-label="Groups">
      {showsOdd && (
        <IndexLink anchor="unusual">
          Unusual now <span class="muted">{selection.odd.length}</span>
        </IndexLink>
      )}
      {selection.groups.map((group) => (
        <IndexLink key={group.key} anchor={groupAnchor(group.key)}>
          <span class="cut" title={group.key}>
            <Name text={group.key} />
          </span>
          {hasOdd(group) && (
            <span class="dot unusual" role="img" aria-label="something unusual inside" />
          )}
          <span class="muted">{exact(group.entries.length)}</span>
        </IndexLink>
      ))}
    </nav>
  )
}
