/** Index of groups at the left; of very many only those that are on screen exist. */
import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { exact } from '../../../viewer/format/number.ts'
import { type Group, groupAnchor, type Selection } from '../../../viewer/series/select.ts'
import { Name } from '../../shell/parts.tsx'
import { type Reveal, UNUSUAL_ANCHOR } from './reveal.ts'
import { EVERYTHING, useStretch, WHOLE_LIMIT } from './viewport.ts'

/** Height of a line of the index, CSS pixels, as overview.css has it. */
const LINE = 24

interface IndexLinkProps {
  readonly anchor: string
  readonly reveal: RefObject<Reveal | null>
  readonly children: ComponentChildren
}

/** Shows a link within the page: it scrolls, and leaves the URL alone. */
function IndexLink({ anchor, reveal, children }: IndexLinkProps): JSX.Element {
  const jump = (event: Event): void => {
    event.preventDefault()
    reveal.current?.(anchor)
  }
  return (
    <a href={`#${anchor}`} onClick={jump}>
      {children}
    </a>
  )
}

interface GroupIndexProps {
  readonly selection: Selection
  readonly showsOdd: boolean
  readonly reveal: RefObject<Reveal | null>
}

export function GroupIndex({ selection, showsOdd, reveal }: GroupIndexProps): JSX.Element {
  const { groups, odd } = selection
  const index = useRef<HTMLElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const near = useStretch(list, index)
  const stretch = groups.length <= WHOLE_LIMIT ? EVERYTHING : near
  const first = showsOdd ? 1 : 0
  const from = Math.max(0, Math.floor(stretch.top / LINE) - first)
  const to = Math.max(from, Math.min(groups.length, Math.ceil(stretch.bottom / LINE)))
  const oddGroups = useMemo(() => groupsOf(selection), [selection])
  const total = first + groups.length
  return (
    <nav class="index" aria-label="Groups" ref={index}>
      <ul ref={list} style={{ height: `${total * LINE}px` }}>
        {showsOdd && (
          <li aria-posinset={1} aria-setsize={total} style={{ top: 0 }}>
            <IndexLink anchor={UNUSUAL_ANCHOR} reveal={reveal}>
              Unusual now <span class="muted">{exact(odd.length)}</span>
            </IndexLink>
          </li>
        )}
        {groups.slice(from, to).map((group, i) => {
          const place = first + from + i
          return (
            <li
              key={group.key}
              aria-posinset={place + 1}
              aria-setsize={total}
              style={{ top: `${place * LINE}px` }}
            >
              <IndexLink anchor={groupAnchor(group.key)} reveal={reveal}>
                <span class="cut" title={group.key}>
                  <Name text={group.key} />
                </span>
                {oddGroups.has(group) && (
                  <span class="dot unusual" role="img" aria-label="something unusual inside" />
                )}
                <span class="muted">{exact(group.entries.length)}</span>
              </IndexLink>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

/** Finds the groups with something unusual inside. */
function groupsOf({ groups, odd }: Selection): ReadonlySet<Group> {
  const oddOnes = new Set(odd)
  return new Set(groups.filter(({ entries }) => entries.some((entry) => oddOnes.has(entry))))
}
