import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockText } from '../../viewer/format/time.ts'
import { ScreenBuffer } from '../screen-buffer.ts'
import { drawChart } from './chart.ts'

type ChartOptions = Parameters<typeof drawChart>[2]

const TO = 1_800_000_000

function drawn(part: Partial<ChartOptions>, columns = 60, rows = 9): string[] {
  const buffer = new ScreenBuffer(columns, rows)
  drawChart(
    buffer,
    { row: 0, column: 0, rows, columns },
    {
      ...{ lines: [], from: TO - 60, to: TO, axis: 'zero', unit: '', emptyWords: 'nothing' },
      ...part,
    },
  )
  return Array.from({ length: rows }, (_, row) => buffer.rowText(row))
}

/** Rows of cells of the picture, without the axis and the grid. */
const cells = (lines: readonly string[]): string[] =>
  lines.slice(0, -1).map((line) => line.slice(9).replaceAll('┈', ' ').padEnd(51))

const steady = (value: number): number[] => new Array<number>(61).fill(value)

test('values stand at the left on round steps, the time below', () => {
  const lines = drawn({ lines: [{ values: steady(20), style: 'data' }] })
  const labels = lines.map((line) => line.slice(0, 8).trim())
  assert.deepEqual(labels.filter(Boolean), ['20', '15', '10', '5', '0'])
  assert.ok(lines.at(-1)!.includes(clockText((TO - 30) * 1000)))
})

test('a single peak among ten minutes survives', () => {
  const values = new Array<number>(601).fill(1)
  values[333] = 100
  const [top] = cells(drawn({ lines: [{ values, style: 'data' }], from: TO - 600, axis: 'around' }))
  assert.equal(top!.trim().length, 1)
  assert.ok(Math.abs((top!.search(/\S/) / 50) * 600 - 333) <= 12)
})

test('what a gauge went through between two values is drawn, and the axis has room for it', () => {
  const [least, greatest] = [steady(0), steady(0)]
  greatest[20] = 1000
  least[40] = -500
  const lines = drawn({
    lines: [{ values: steady(0), spread: [least, greatest], style: 'data' }],
    axis: 'around',
  })
  const labels = lines.map((line) => line.slice(0, 8).trim()).filter(Boolean)
  assert.deepEqual([labels[0], labels.at(-1)], ['1 k', '−0.5 k'])
  const rows = cells(lines)
  assert.ok(Math.abs(rows[0]!.search(/\S/) - 50 / 3) <= 1)
  assert.ok(Math.abs(rows.at(-1)!.search(/\S/) - 100 / 3) <= 1)
})

test('a gap is a gap, and neighbours are joined', () => {
  const values = steady(5)
  values.fill(Number.NaN, 20, 41)
  const rows = cells(drawn({ lines: [{ values, style: 'data' }] }))
  const line = rows.find((row) => row.trim() !== '')!
  assert.match(line, /^\S{16,18} +\S{16,18}$/)
})

test('a filled line covers what is between it and zero', () => {
  const rows = cells(drawn({ lines: [{ values: steady(20), style: 'data', isFilled: true }] }))
  assert.ok(rows.slice(1).every((row) => row.trim() === '⣿'.repeat(51)))
})

test('names stand at the ends of their lines, pushed apart, in the order of the values', () => {
  const lines = drawn({
    lines: [
      { values: steady(10), style: 'faint', name: 'p50 10' },
      { values: steady(11), style: 'data', name: 'p90 11' },
      { values: steady(90), style: 'plain', name: 'p99 90' },
    ],
    axis: 'log',
  })
  const names = lines.flatMap((line) => /p\d\d \d\d$/.exec(line)?.[0] ?? [])
  assert.deepEqual(names, ['p99 90', 'p90 11', 'p50 10'])
})

test('the cursor is a line through all rows', () => {
  const lines = drawn({ lines: [{ values: steady(1), style: 'data' }], cursor: TO - 30 })
  const bars = lines.slice(0, -1).filter((line) => line.includes('│'))
  assert.ok(bars.length >= 7)
  assert.equal(new Set(bars.map((line) => line.indexOf('│'))).size, 1)
})

test('where there is nothing the words say so; a box without room draws nothing', () => {
  assert.ok(drawn({}).some((line) => line.trim() === 'nothing'))
  assert.deepEqual(drawn({ lines: [{ values: [1], style: 'data' }] }, 10, 2), ['', ''])
})

test('infinite and huge values draw what can be drawn', () => {
  for (const values of [steady(Number.POSITIVE_INFINITY), steady(1e300), steady(-1e-300)]) {
    for (const axis of ['zero', 'around', 'log'] as const) {
      assert.equal(drawn({ lines: [{ values, style: 'data' }], axis }).length, 9)
    }
  }
})
