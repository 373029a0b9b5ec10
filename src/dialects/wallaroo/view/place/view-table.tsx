/** A place as tables: what its charts show, without a picture. */
import type { JSX } from 'preact'
import { digits, exact, NO_BREAK_SPACE, text } from '../../../../web/format/number.ts'
import { clockText } from '../../../../web/format/time.ts'
import { AsTable, Table } from '../../../../web/shell/parts.tsx'
import type { ViewAnswer } from '../../http/api.ts'
import { boundsText, RANGES } from '../words.ts'
import { lastSecond, valueAt } from './columns.ts'

const SECONDS_SHOWN = 20

function Bins({ view }: { view: ViewAnswer }): JSX.Element {
  return (
    <Table label="Latency bins" heads={['Latency', 'Messages', 'Per cent']} numeric={[1, 2]}>
      {view.bins.map((each) => (
        <tr key={each.bin} title={`bin ${each.bin}`}>
          <td>{boundsText(each)}</td>
          <td class="num">{exact(each.count)}</td>
          <td class="num">{`${digits(each.percent)}${NO_BREAK_SPACE}%`}</td>
        </tr>
      ))}
    </Table>
  )
}

function Seconds({ view }: { view: ViewAnswer }): JSX.Element {
  const newest = lastSecond(view)
  const seconds = Array.from({ length: SECONDS_SHOWN }, (_, i) => newest - i)
  const heads = ['Second', 'p50', 'p95', 'p99', 'Messages']
  return (
    <Table label="Last seconds" heads={heads} numeric={[1, 2, 3, 4]}>
      {seconds.map((second) => (
        <tr key={second}>
          <td>{clockText(second * 1000)}</td>
          {(['p50Ns', 'p95Ns', 'p99Ns'] as const).map((line) => (
            <td key={line} class="num">
              {text(valueAt(view, line, second), 'ns')}
            </td>
          ))}
          <td class="num">{text(valueAt(view, 'throughput', second), '/s')}</td>
        </tr>
      ))}
    </Table>
  )
}

/** Shows the ranges of all bins, those without messages too, as the document announces them. */
function Ranges(): JSX.Element {
  return (
    <Table label="Ranges of all bins" heads={['Bin', 'Range, of all bins']} numeric={[0]}>
      {RANGES.map((each) => (
        <tr key={each.bin}>
          <td class="num">{each.bin}</td>
          <td>{boundsText(each)}</td>
        </tr>
      ))}
    </Table>
  )
}

export function ViewTable({ view }: { view: ViewAnswer }): JSX.Element {
  return (
    <AsTable
      table={() => (
        <>
          <div class="halves">
            <Bins view={view} />
            <Seconds view={view} />
          </div>
          <Ranges />
        </>
      )}
    />
  )
}
