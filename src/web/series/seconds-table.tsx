/** The last seconds of a series as a table: what the charts show, without a picture. */
import type { JSX } from 'preact'
import { exact, text } from '../format/number.ts'
import type { Shown } from '../format/rate.ts'
import { clockText } from '../format/time.ts'
import { usePage, useShownSeconds } from '../shell/page.ts'
import { AsTable } from '../shell/parts.tsx'
import type { Entry } from '../store/catalogue.ts'
import type { Lane, SeriesData } from '../store/series-data.ts'

const ROWS = 20

type Column = readonly [name: string, read: (data: SeriesData, second: number) => string]

function columnsOf(entry: Entry, shown: Shown): readonly Column[] {
  const { kind, unit = '' } = entry.info
  const lane = (name: Lane): Column => [name, (data, second) => text(data.at(name, second), unit)]
  const count: Column = [
    'count',
    (data, second) => {
      const value = data.at('count', second)
      return Number.isNaN(value) ? '–' : exact(value)
    },
  ]
  if (kind === 'counter') {
    return [['rate', (data, second) => text(data.at('rate', second) * shown.factor, shown.unit)]]
  }
  if (kind === 'gauge') return [lane('value')]
  if (kind === 'summary') {
    return [lane('mean'), lane('deviation'), lane('min'), lane('max'), count]
  }
  return [lane('p50'), lane('p90'), lane('p99'), count]
}

function Rows({ entry }: { entry: Entry }): JSX.Element {
  const page = usePage()
  const { store } = page
  useShownSeconds()
  const data = store.data(entry.id)
  const newest = store.clock.readingSecond()
  const columns = columnsOf(entry, page.shown(entry.info))
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Second</th>
          {columns.map(([name]) => (
            <th key={name} class="num" scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: ROWS }, (_, i) => newest - i).map((second) => (
          <tr key={second}>
            <td>{clockText(second * 1000)}</td>
            {columns.map(([name, read]) => (
              <td key={name} class="num">
                {data ? read(data, second) : '–'}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function SecondsTable({ entry }: { entry: Entry }): JSX.Element {
  return <AsTable table={() => <Rows entry={entry} />} />
}
