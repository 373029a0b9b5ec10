/** Tables of rows that share one latency axis: name, range bar, percentiles, messages. */
import type { ComponentChildren, JSX } from 'preact'
import type { Range } from '../../../../viewer/chart/scale.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import { exact } from '../../../../viewer/format/number.ts'
import { ageText } from '../../../../viewer/format/time.ts'
import { usePage } from '../../../../web/shell/page.ts'
import { Link, Name, Scroll } from '../../../../web/shell/parts.tsx'
import { to } from '../../../../web/shell/route.ts'
import type { CountJson, RowJson } from '../../http/api.ts'
import { type Order, type Place, toPlace, WALLAROO } from '../address.ts'
import { inOrder, isSlow, numberOf, percentilesOf, siblingTimes, worthOf } from '../latency.ts'
import { placeOfKey } from '../requests.ts'
import { flightText } from '../words.ts'
import { LazyRows, LongTable } from './lazy-rows.tsx'
import { axisOf } from './range-bar.ts'
import { Amount, RangeAxis, RangeBar, Spark } from './ranges.tsx'

/** Age from which on a row tells the one of its last window, ms. */
const SILENT_MS = 30_000

interface NamedRow {
  readonly name: string
  /** Place where it leads; undefined for the one that is shown. */
  readonly place: Place | undefined
  readonly row: RowJson
  /** Factor by which it is slower than its siblings; NaN where none are. */
  readonly times: number
  /** Remark behind the name. */
  readonly remark?: ComponentChildren
}

/** @param areSiblings the rows do the same, so that one may be slower than the others */
export function namedRows(
  application: string,
  rows: readonly RowJson[],
  label: 'pipeline' | 'worker' | 'name',
  areSiblings = false,
): readonly NamedRow[] {
  const times = areSiblings ? siblingTimes(rows) : []
  return rows.map((row, i) => ({
    name: row.key[label] ?? '',
    place: placeOfKey(application, row.key),
    row,
    times: times[i] ?? Number.NaN,
  }))
}

function Throughput({ value }: { value: CountJson | null }): JSX.Element {
  return (
    <td class="num">
      <Amount value={numberOf(value)} unit="/s" />
    </td>
  )
}

function RowName({ name, place, remark, row }: NamedRow): JSX.Element {
  const isSilent = row.ageMs !== null && row.ageMs >= SILENT_MS
  return (
    <td title={shownName(name)}>
      {place === undefined ? (
        <span class="strong">
          <Name text={name} />
        </span>
      ) : (
        <Link to={toPlace(place)} class="link row-link">
          <Name text={name} />
        </Link>
      )}
      {remark}
      {isSilent && <span class="warn">{`  last window ${ageText(row.ageMs / 1000)}`}</span>}
    </td>
  )
}

interface RowProps {
  readonly named: NamedRow
  readonly axis: Range
  readonly aboveNs: number | null
  readonly hasSparks: boolean
}

function Row({ named, axis, aboveNs, hasSparks }: RowProps): JSX.Element {
  const { name, row, times } = named
  const percentiles = percentilesOf(row)
  const slow = isSlow(row, times, aboveNs)
  const { min, median, max } = row.throughput
  const { p50, p95, p99, p999 } = percentiles
  const of = shownName(name)
  return (
    <tr class={slow ? 'slow' : ''}>
      <RowName {...named} />
      <td class="range">
        <RangeBar of={`Latency of ${of}`} percentiles={percentiles} axis={axis} isSlow={slow} />
      </td>
      {[p50, p95, p99, p999].map((ns, i) => (
        <td key={i} class={slow && i === 2 ? 'num warn strong' : 'num'}>
          <Amount value={ns} unit="ns" />
        </td>
      ))}
      {hasSparks && <td class="spark">{row.line && <Spark of={of} line={row.line} />}</td>}
      <Throughput value={min} />
      <Throughput value={median} />
      <Throughput value={max} />
      <td class="num soft">{flightText(row)}</td>
    </tr>
  )
}

interface RowsTableProps {
  /** Head that names what the rows are. */
  readonly head: string
  readonly rows: readonly NamedRow[]
}

/** Shows rows that have no latency: messages alone. */
export function CountsTable({ head, rows }: RowsTableProps): JSX.Element {
  return (
    <LongTable
      label={head}
      heads={[head, 'Messages min', 'median', 'max', 'Since the start']}
      numeric={[1, 2, 3, 4]}
      rows={useOrder(rows)}
      row={(named) => (
        <tr key={JSON.stringify(named.row.key)}>
          <RowName {...named} />
          <Throughput value={named.row.throughput.min} />
          <Throughput value={named.row.throughput.median} />
          <Throughput value={named.row.throughput.max} />
          <td class="num">{exact(named.row.messages)}</td>
        </tr>
      )}
    />
  )
}

function useOrder(rows: readonly NamedRow[]): readonly NamedRow[] {
  const { order } = usePage().navigation.state(WALLAROO)
  return inOrder(rows, order, ({ row, times }) => worthOf(row, times))
}

/**
 * Shows a head that puts its column's greatest first, and a second time things back to their
 * places.
 */
function OrderHead({ words, by }: { words: string; by: Order }): JSX.Element {
  const { navigation } = usePage()
  const isOn = navigation.state(WALLAROO).order === by
  return (
    <th class="num" scope="col" aria-sort={isOn ? 'descending' : undefined}>
      <Link to={to(WALLAROO, { order: isOn ? 'place' : by })} class={isOn ? 'order on' : 'order'}>
        {words}
      </Link>
    </th>
  )
}

export function RowsTable({ head, rows }: RowsTableProps): JSX.Element {
  const { aboveNs } = usePage().navigation.state(WALLAROO)
  const axis = axisOf(rows.map(({ row }) => percentilesOf(row)))
  const hasSparks = rows.some(({ row }) => row.line !== undefined)
  const plain = (words: string): JSX.Element => (
    <th key={words} class="num" scope="col">
      {words}
    </th>
  )
  return (
    <Scroll label={`${head}, table`}>
      <table class="fixed latencies">
        <thead>
          <tr>
            <th class="row-name" scope="col">
              {head}
            </th>
            <th class="row-range" scope="col">
              p50, p95, p99, p99.9
              <RangeAxis axis={axis} />
            </th>
            {plain('p50')}
            {plain('p95')}
            <OrderHead words="p99" by="p99" />
            {plain('p99.9')}
            {hasSparks && (
              <th class="spark" scope="col">
                Messages
              </th>
            )}
            {plain(hasSparks ? 'min' : 'Messages min')}
            <OrderHead words="median" by="rate" />
            {plain('max')}
            <th class="num" scope="col" title="median messages per second × estimated mean latency">
              In flight, est.
            </th>
          </tr>
        </thead>
        <LazyRows
          rows={useOrder(rows)}
          columns={hasSparks ? 11 : 10}
          row={(named) => (
            <Row key={JSON.stringify(named.row.key)} {...{ named, axis, aboveNs, hasSparks }} />
          )}
        />
      </table>
    </Scroll>
  )
}
