/** A plot as rows of numbers: what its divisions went through, and all samples for a file. */
import type { Board } from '../../../../model/board/board.ts'
import type { SampleLog } from '../../../../model/board/line/sample-log.ts'
import type { Plot } from '../../../../model/board/plots.ts'
import { DIVISIONS, divisionS } from '../../../../model/board/time-grid.ts'
import type { ChartTable, Column } from '../../../../web/chart-file/table.ts'

const TIME: Column = { name: 'time', form: 'second' }

/** Calls for every sample after one time and up to another, the oldest first. */
function walk(log: SampleLog, from: number, to: number, take: (at: number, value: number) => void) {
  for (const chunk of log.chunks) {
    if (chunk.lastTime <= from || chunk.firstTime > to) continue
    for (let i = chunk.indexAt(from); i < chunk.length && chunk.times[i]! <= to; i++) {
      if (chunk.times[i]! > from) take(chunk.times[i]!, chunk.values[i]!)
    }
  }
}

/** Makes a row for each of the ten divisions, by their ends: least, greatest and last values. */
export function divisionsTable(board: Board, { lines }: Plot): ChartTable {
  const { span, originMs } = board
  const step = divisionS(span)
  const columns = lines.flatMap(({ name, about: { unit = '' } }) =>
    ['min', 'max', 'last'].map(
      (word) => ({ name: `${name} ${word}`, form: 'value', unit }) as const,
    ),
  )
  return {
    columns: [TIME, ...columns],
    length: DIVISIONS,
    row: (i) => {
      const to = span.from + (i + 1) * step
      const cells = lines.flatMap(({ log }) => {
        let [low, high, last] = [Number.NaN, Number.NaN, Number.NaN]
        walk(log, to - step, to, (_, value) => {
          if (!(low <= value)) low = value
          if (!(high >= value)) high = value
          last = value
        })
        return [low, high, last]
      })
      return [originMs / 1000 + to, ...cells]
    },
  }
}

/** Makes a row for every time at which any line has a sample, and a column for each line. */
export function samplesTable(board: Board, { lines }: Plot): ChartTable {
  const { span, originMs } = board
  const rows = new Map<number, number[]>()
  lines.forEach(({ log }, column) => {
    walk(log, span.from, span.to, (at, value) => {
      const row = rows.get(at) ?? new Array<number>(lines.length).fill(Number.NaN)
      row[column] = value
      rows.set(at, row)
    })
  })
  const times = [...rows.keys()].sort((a, b) => a - b)
  const columns = lines.map(
    ({ name, about: { unit = '' } }) => ({ name, form: 'value', unit }) as const,
  )
  return {
    columns: [TIME, ...columns],
    length: times.length,
    row: (i) => {
      const values = rows.get(times[i]!)!
      return [
        originMs / 1000 + times[i]!,
        ...values.map((value) => (Number.isNaN(value) ? null : value)),
      ]
    },
  }
}
