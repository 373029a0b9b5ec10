/** Computations × workers: siblings stand side by side, so that the slow one is the long one. */
import type { JSX } from 'preact'
import type { Range } from '../../../../viewer/chart/scale.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import { exact } from '../../../../viewer/format/number.ts'
import { usePage } from '../../../../web/shell/page.ts'
import { Link, Name, Scroll } from '../../../../web/shell/parts.tsx'
import { NO_PLACE, type Place, toPlace, WALLAROO } from '../address.ts'
import {
  greatest,
  inOrder,
  isSlow,
  type MatrixCell,
  type MatrixRow,
  numberOf,
  percentilesOf,
  workersOf,
  worthOf,
} from '../latency.ts'
import { LazyRows } from '../rows/lazy-rows.tsx'
import { axisOf } from '../rows/range-bar.ts'
import { Amount, RangeAxis, RangeBar } from '../rows/ranges.tsx'

/** Columns that are shown, of those the slow first; a table has the other workers. */
const WORKERS_SHOWN = 8

interface MatrixProps {
  readonly application: string
  readonly matrix: readonly MatrixRow[]
}

interface CellProps {
  readonly cell: MatrixCell | undefined
  readonly place: Place
  readonly axis: Range
  readonly aboveNs: number | null
}

/** Shows a cell; in narrow windows it is a line of its own, with the name of its worker. */
function Cell({ cell, place, axis, aboveNs }: CellProps): JSX.Element {
  if (cell === undefined) return <td class="soft absent">–</td>
  const { row, times } = cell
  const slow = isSlow(row, times, aboveNs)
  const what = `${shownName(place.name ?? '')} on ${shownName(place.worker ?? '')}`
  return (
    <td class={slow ? 'slow-cell' : ''}>
      <Link to={toPlace(place)} class="cell-link" title={what}>
        <span class="cell-worker cut">
          <Name text={place.worker ?? ''} />
        </span>
        <span class="grow">
          <RangeBar of={what} percentiles={percentilesOf(row)} axis={axis} isSlow={slow} />
        </span>
        <span class={slow ? 'num warn strong' : 'num'}>
          <Amount value={numberOf(row.latency.p99Ns)} unit="ns" />
        </span>
      </Link>
    </td>
  )
}

export function Matrix({ application, matrix }: MatrixProps): JSX.Element {
  const { order, aboveNs } = usePage().navigation.state(WALLAROO)
  const workers = workersOf(matrix, WORKERS_SHOWN, aboveNs)
  const shown = inOrder(matrix, order, ({ cells }) =>
    greatest([...cells.values()].map(({ row, times }) => worthOf(row, times))),
  )
  const axis = axisOf(
    matrix.flatMap(({ cells }) => [...cells.values()].map(({ row }) => percentilesOf(row))),
  )
  const at = (part: Partial<Place>): Place => ({ ...NO_PLACE, application, ...part })
  return (
    <Scroll label="Computations by worker, table">
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">Computation</th>
            {workers.map((worker) => (
              <th key={worker} scope="col">
                <Link to={toPlace(at({ worker }))} class="link">
                  <Name text={worker} />
                </Link>
                <RangeAxis axis={axis} />
              </th>
            ))}
          </tr>
        </thead>
        <LazyRows
          rows={shown}
          columns={1 + workers.length}
          row={({ pipeline, name, cells }) => (
            <tr key={JSON.stringify([pipeline, name])}>
              <td class="what" title={shownName(name)}>
                <Link to={toPlace(at({ pipeline, name }))} class="link row-link">
                  <Name text={name} />
                </Link>
                <span class="muted">
                  {' '}
                  <Name text={pipeline} />
                </span>
              </td>
              {workers.map((worker) => (
                <Cell
                  key={worker}
                  cell={cells.get(worker)}
                  place={at({ pipeline, worker, name })}
                  axis={axis}
                  aboveNs={aboveNs}
                />
              ))}
            </tr>
          )}
        />
      </table>
    </Scroll>
  )
}

/** Says what the matrix leaves out; '' where it shows all. */
export function leftOutWords(workers: number): string {
  if (workers <= WORKERS_SHOWN) return ''
  return `${WORKERS_SHOWN} of ${exact(workers)} workers, slow ones first`
}
