/** Groups of series with their headings, as charts or lines: those that are near the screen. */
import type { JSX, RefObject } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { exact } from '../../../viewer/format/number.ts'
import { groupLabels } from '../../../viewer/series/labels.ts'
import {
  crowdedLabel,
  type Group,
  groupAnchor,
  type Selection,
} from '../../../viewer/series/select.ts'
import type { Entry } from '../../../viewer/store/catalogue.ts'
import { Link, Name } from '../../shell/parts.tsx'
import { to } from '../../shell/route.ts'
import { type Density, OVERVIEW } from '../address.ts'
import { SeriesCell } from '../cell.tsx'
import { type Heights, type Part, partsWithin, placeGroups } from './layout.ts'
import { type Reveal, UNUSUAL_ANCHOR, useReveal } from './reveal.ts'
import { SeriesTable } from './series-table.tsx'
import { EVERYTHING, useBoxes, useKept, useStretch, WHOLE_LIMIT } from './viewport.ts'

/** Unusual series that are shown at least, where there are so many. */
const ODD_SHOWN = 4

/** Measures of boxes, as overview.css has them. */
interface Form {
  readonly heights: Heights
  readonly gap: number
  /** Least width of a column. */
  readonly width: number
}

const FORMS: Readonly<Record<Exclude<Density, 'table'>, Form>> = {
  charts: { heights: { head: 40, box: 136 }, gap: 20, width: 264 },
  lines: { heights: { head: 40, box: 28 }, gap: 32, width: 580 },
}

/** Counts the columns that a list of this width has. */
export function columnsOf(density: Density, width: number): number {
  if (density === 'table') return 1
  const { gap, width: least } = FORMS[density]
  return Math.max(1, Math.floor((width + gap) / (least + gap)))
}

interface BlockProps {
  readonly title: string
  readonly id: string
  readonly entries: readonly Entry[]
  readonly odd: ReadonlySet<Entry>
  readonly note: JSX.Element
  /** Labels to show of each. */
  readonly labels: (entry: Entry) => string
  readonly isLine: boolean
  readonly form: Form
  readonly part: Part
  /** Columns of the whole list, and CSS pixels above it. */
  readonly columns: number
  readonly offset: number
}

/** Places something that is so many columns wide. */
function across(column: number, width: number, columns: number, gap: number) {
  const share = (count: number): string => `(100% + ${gap}px) * ${count / columns}`
  return { left: `calc(${share(column)})`, width: `calc(${share(width)} - ${gap}px)` }
}

function Block({ title, id, entries, part, form, columns, offset, ...rest }: BlockProps) {
  const { placed, boxes } = part
  const { heights, gap } = form
  const place = across(placed.column, placed.columns, columns, gap)
  const boxAt = useBoxes(
    boxes,
    [entries, rest.odd, rest.isLine, placed.columns, columns],
    (box) => {
      const entry = entries[box]!
      const top = Math.floor(box / placed.columns) * heights.box
      return (
        <SeriesCell
          key={entry.identity}
          entry={entry}
          labels={rest.labels(entry)}
          isUnusual={rest.odd.has(entry)}
          isLine={rest.isLine}
          position={box + 1}
          of={entries.length}
          style={{ ...across(box % placed.columns, 1, placed.columns, gap), top: `${top}px` }}
        />
      )
    },
  )
  return (
    <section
      class="group"
      id={id}
      aria-label={title.trim() || '(blank)'}
      style={{ ...place, top: `${offset + placed.top}px`, height: `${placed.height}px` }}
    >
      <header>
        <h2 class="cut" title={title}>
          <Name text={title} />
        </h2>
        {rest.note}
      </header>
      <div class={rest.isLine ? 'lines' : 'cells'}>{boxes.map(boxAt)}</div>
    </section>
  )
}

function OddNote({ count, shown }: { count: number; shown: number }): JSX.Element {
  return (
    <span class="small muted cut">
      {count > shown && (
        <>
          <Link to={to(OVERVIEW, { group: 'none', sort: 'unusual' })} class="link">
            all {exact(count)}
          </Link>
          {'\u2002'}
        </>
      )}
      newest first; the last 10 s against each series’ own last 10 min
    </span>
  )
}

function GroupNote({ group }: { group: Group }): JSX.Element {
  const crowd = useMemo(() => crowdedLabel(group), [group])
  const { shared } = groupLabels(group)
  return (
    <span class="small muted cut" title={shared}>
      {exact(group.entries.length)}
      {shared !== '' && `\u2002${shared}`}
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
  readonly columns: number
  readonly showsOdd: boolean
  readonly reveal: RefObject<Reveal | null>
}

export function Groups(props: GroupsProps): JSX.Element {
  const { density, selection, reveal } = props
  if (density !== 'table') return <Blocks {...props} density={density} />
  return (
    <div class="groups by-table">
      <SeriesTable groups={selection.groups} reveal={reveal} />
    </div>
  )
}

interface BlocksProps extends GroupsProps {
  readonly density: Exclude<Density, 'table'>
}

function Blocks({ selection, density, columns, showsOdd, reveal }: BlocksProps): JSX.Element {
  const { found, odd, groups } = selection
  const form = FORMS[density]
  const { heights } = form
  const list = useRef<HTMLDivElement>(null)
  const near = useStretch(list)
  const kept = useKept(groups, list)
  const sizes = useMemo(() => groups.map(({ entries }) => entries.length), [groups])
  const layout = useMemo(() => placeGroups(sizes, columns, heights), [sizes, columns, heights])
  const shownOdd = showsOdd ? odd.slice(0, oddShown(density, columns)) : []
  const oddHeight =
    shownOdd.length === 0 ? 0 : heights.head + Math.ceil(shownOdd.length / columns) * heights.box
  const isWhole = found.length <= WHOLE_LIMIT
  const stretch = isWhole ? EVERYTHING : near
  const inGroups = { top: stretch.top - oddHeight, bottom: stretch.bottom - oddHeight }
  const parts = partsWithin(layout, sizes, heights, inGroups, kept)
  useReveal(reveal, list, groups, (index) => {
    const placed = layout.groups.find((each) => each.index === index)
    return placed && placed.top + oddHeight
  })
  const oddLabels = useMemo(() => labelsIn(groups), [groups])
  const oddOnes = useMemo(() => new Set(odd), [odd])
  const common = { odd: oddOnes, isLine: density === 'lines', form, columns }
  return (
    <div
      class={`groups by-${density}`}
      ref={list}
      style={{ height: `${oddHeight + layout.height}px` }}
    >
      {shownOdd.length > 0 && (
        <Block
          {...common}
          key="unusual now"
          title="Unusual now"
          id={UNUSUAL_ANCHOR}
          entries={shownOdd}
          note={<OddNote count={odd.length} shown={shownOdd.length} />}
          labels={oddLabels}
          part={allOf(shownOdd.length, columns, oddHeight)}
          offset={0}
        />
      )}
      {parts.map((part) => {
        const group = groups[part.placed.index]!
        return (
          <Block
            {...common}
            key={`group ${group.key}`}
            title={group.key}
            id={groupAnchor(group.key)}
            entries={group.entries}
            note={<GroupNote group={group} />}
            labels={(entry) => groupLabels(group).of(entry)}
            part={part}
            offset={oddHeight}
          />
        )
      })}
    </div>
  )
}

/** Writes labels of series outside of their groups: first what differs in there, then the rest. */
function labelsIn(groups: readonly Group[]): (entry: Entry) => string {
  const groupOf = (entry: Entry): Group | undefined =>
    groups.find(({ entries }) => entries.includes(entry))
  return (entry) => {
    const group = groupOf(entry)
    if (group === undefined) return entry.labels
    const { of, shared } = groupLabels(group)
    return [of(entry), shared].filter(Boolean).join(' ')
  }
}

/** Counts the unusual series that have room: whole rows of them. */
function oddShown(density: Density, columns: number): number {
  return density === 'charts' && columns > 1 ? columns : Math.ceil(ODD_SHOWN / columns) * columns
}

/** Makes a part of all boxes, in a row of its own. */
function allOf(count: number, columns: number, height: number): Part {
  const placed = { index: -1, top: 0, height, rowEnd: height, column: 0, columns }
  return { placed, boxes: Array.from({ length: count }, (_, i) => i) }
}
