/** A history in an engine that hubs write to at times of a test, for the suite that reads. */

import type { HistogramForm } from '../../../src/dialects/remotewrite/client/emitted-series.ts'
import { PromqlHistory } from '../../../src/history/promql/promql-history.ts'
import { writtenSeries } from '../../../src/hub/history/written-names.ts'
import { type Cell, type Identity, identityKey } from '../../../src/model/index.ts'
import type { WrittenHistory } from '../../suites/history.ts'
import { EngineWriter } from './engine-writer.ts'

const PULSE: Identity = { name: 'pulse', kind: 'gauge', labels: [] }
const UNKNOWN = Number.NaN

export function writtenHistory(
  url: string,
  startS: number,
  form: HistogramForm = 'classic',
): WrittenHistory {
  const writer = new EngineWriter(url, 'one', form)
  const hub = { find: () => undefined, exportRules: () => ({}) }
  const options = { url: `${url}/api/v1`, headers: {}, timeoutMs: 60_000 }
  const reader = new PromqlHistory(options, {
    namesOf: (key) => writtenSeries(key, hub),
    pulse: identityKey(PULSE),
  })
  return {
    reader,
    startS,
    kept: { cellOf: writtenCell, seen },
    isNative: form === 'native',
    second: (endS, cells) => {
      const pulse = { kind: 'gauge', value: 1, at: endS * 1000 } as const
      writer.second(endS, [...cells, { identity: PULSE, cell: pulse }])
    },
    restart: () => writer.restart(),
    send: () => writer.send(),
  }
}

/** What is written of a cell: histograms as fine as both forms have them. */
function writtenCell(cell: Cell): Cell {
  const unknown = { squares: UNKNOWN, min: UNKNOWN, max: UNKNOWN }
  switch (cell.kind) {
    case 'counter':
      return cell
    case 'gauge':
      return { kind: 'gauge', value: cell.value, at: cell.at }
    case 'histogram':
      return { kind: 'histogram', histogram: cell.histogram.atScale(0) }
    case 'summary':
      return { kind: 'summary', summary: { ...cell.summary, ...unknown } }
  }
}

function seen(cell: Cell | undefined): unknown {
  if (cell?.kind === 'gauge') {
    const { value, spread } = cell
    return [value, spread?.min ?? value, spread?.max ?? value]
  }
  if (cell?.kind !== 'histogram') return cell
  const { count, sum, zeroCount, positive } = cell.histogram.atScale(0)
  const buckets: [number, bigint][] = []
  positive.forEach((index, held) => {
    buckets.push([index, held])
  })
  return { count, sum, zeroCount, buckets }
}
