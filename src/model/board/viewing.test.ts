import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { holds, load } from '../../../test/support/property.ts'
import { Board, type BoardOptions } from './board.ts'
import { boardValueText, lineCaption, plotTitle } from './captions.ts'
import { SampleLog } from './line/sample-log.ts'
import { Trace, traceLog } from './line/trace.ts'
import { colorOf, PALETTE } from './plots.ts'

/** Feeds one line at the given times, in seconds. */
function fed(times: readonly number[], values: readonly number[], options: BoardOptions = {}) {
  const board = new Board(options)
  board.feed([{ timesMs: times.map((time) => time * 1000), names: ['i'], values }])
  return board
}

/** Points of the only line of a board's first plot; null where the pen is lifted. */
function points(board: Board, columns = 1000): (readonly [number, number] | null)[] {
  const [plot] = board.plots()
  return pointsOf(board.picture(plot!, columns).lines[0]!.trace)
}

function pointsOf({ times, values, length }: Trace): (readonly [number, number] | null)[] {
  return Array.from({ length }, (_, i) =>
    Number.isNaN(values[i]!) ? null : ([times[i]!, values[i]!] as const),
  )
}

/** One row at a time. */
function row(board: Board, time: number, values: Readonly<Record<string, number>>): void {
  const names = Object.keys(values)
  board.feed([{ timesMs: [time * 1000], names, values: Object.values(values) }])
}

describe('lines', () => {
  it('are empty in a time without samples, whatever is before and behind it', () => {
    const board = fed([100, 100.1, 100.2, 110, 110.1, 110.2], [1, 2, 3, 4, 5, 6], { windowS: 2 })
    const isEmptyAt = (at: number): boolean => {
      board.pauseAt(at * 1000)
      return board.picture(board.plots()[0]!, 100).lines[0]!.trace.isEmpty
    }
    assert.deepEqual([50, 106, 111].map(isEmptyAt), [true, true, false])
  })

  it('stand at the times of their samples: a skipped tick bends nothing', () => {
    const board = fed([0, 0.1, 0.3, 0.4, 0.6], [1, 2, 3, 4, 5])
    assert.deepEqual(points(board), [
      [0, 1],
      [0.1, 2],
      [0.3, 3],
      [0.4, 4],
      [0.6, 5],
    ])
  })

  it('have a gap where nothing came, and where a value is none', () => {
    const gap = fed([0, 0.1, 0.2, 1, 1.1], [1, 2, 3, 4, 5])
    assert.deepEqual(points(gap).indexOf(null), 3)
    const none = fed([0, 0.1, 0.2], [1, Number.NaN, 3])
    assert.deepEqual(points(none), [[0, 1], null, [0.2, 3]])
  })

  it('have a gap where a metric was left out of a snapshot, at the true time', () => {
    const board = new Board()
    row(board, 0, { a: 1, b: 10 })
    row(board, 0.1, { b: 11 })
    board.break('a')
    row(board, 0.2, { a: 3, b: 12 })
    assert.deepEqual(points(board), [[0, 1], null, [0.2, 3]])
  })

  it('take the later of two values of one time, and leave out one that is late', () => {
    const board = fed([0, 1, 1, 0.5, 2], [1, 2, 7, 9, 3])
    assert.deepEqual(points(board), [
      [0, 1],
      [1, 7],
      [2, 3],
    ])
    assert.equal(board.counts.late, 1)
  })

  it('go on behind what was there when a clock was set back', () => {
    const board = fed([1000, 1001], [1, 2])
    row(board, 0, { i: 3 })
    row(board, 1, { i: 4 })
    assert.equal(board.newest, 2)
    assert.equal(board.lineOf('i')!.value, 4)
  })

  it('keep extremes of every column, whatever the values are', () => {
    const value = fc.integer({ min: -1000, max: 1000 })
    const samples = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), value), {
      minLength: 1,
      maxLength: 400,
    })
    holds(
      fc.property(samples, fc.integer({ min: 1, max: 50 }), (steps, columns) => {
        const log = new SampleLog()
        let time = 0
        const all = steps.map(([step, y]) => {
          time += step
          log.push(time, y)
          return [time, y] as const
        })
        const trace = new Trace()
        traceLog(log, 0, time, columns, trace)
        const drawn = pointsOf(trace).filter((each) => each !== null)
        assert.ok(trace.length <= 5 * (columns + 2), 'bounded by the columns')
        const known = new Map(all)
        for (const [t, y] of drawn) assert.equal(known.get(t), y, 'nothing is invented')
        const width = time / columns
        for (let column = 0; column <= columns; column++) {
          const isIn = ([t]: readonly [number, number]) => Math.floor(t / width) === column
          const here = all.filter(isIn).map(([, y]) => y)
          const shown = drawn.filter(isIn).map(([, y]) => y)
          assert.equal(Math.max(...shown), Math.max(...here))
          assert.equal(Math.min(...shown), Math.min(...here))
        }
        assert.equal(trace.high, Math.max(...all.map(([, y]) => y)))
        assert.equal(trace.low, Math.min(...all.map(([, y]) => y)))
      }),
    )
  })

  it('have finite extremes beside infinite values', () => {
    const log = new SampleLog()
    for (let i = 0; i < 128; i++) log.push(i, i % 7 === 0 ? Number.NEGATIVE_INFINITY : i)
    const trace = new Trace()
    traceLog(log, 0, 128, 1, trace)
    assert.deepEqual([trace.low, trace.high], [1, 127])
  })

  it('reach from the sample before the picture to the one behind it', () => {
    const log = new SampleLog()
    for (let i = 0; i <= 3000; i++) log.push(i, i)
    const trace = new Trace()
    traceLog(log, 1030.5, 1033.5, 400, trace)
    assert.deepEqual([...trace.times.subarray(0, trace.length)], [1030, 1031, 1032, 1033, 1034])
    assert.deepEqual([trace.low, trace.high], [1031, 1033])
  })
})

describe('history', () => {
  it('is ten minutes', () => {
    const board = new Board({ windowS: 600 })
    for (let s = 0; s < 2000; s++) row(board, s, { i: s })
    assert.ok(board.historyS >= 600 && board.historyS < 600 + 1100, String(board.historyS))
  })

  it('takes no more memory than it may: then it is shorter', () => {
    const maxBytes = 400_000
    const board = new Board({ maxBytes })
    const rows = load(60_000)
    for (let i = 0; i < rows; i++) row(board, i / 100, { i, j: -i })
    const bytes = [...board.lines].reduce((sum, line) => sum + line.bytes, 0)
    assert.ok(bytes <= maxBytes + 2 * 18_000, String(bytes))
    assert.ok(board.historyS > 10)
  })

  it('stays for as long as the picture stands still', () => {
    const board = new Board({ windowS: 10 })
    for (let s = 0; s < 100; s++) row(board, s, { i: s })
    board.togglePause()
    for (let s = 100; s < 5000; s++) row(board, s, { i: s })
    assert.deepEqual(points(board).slice(0, 2), [
      [88, 88],
      [89, 89],
    ])
    assert.deepEqual(board.span, { from: 89, to: 99, zero: 99 })
  })

  it('refuses lines beyond the limit, and takes away those that are silent for long', () => {
    const board = new Board({ maxLines: 2, staleS: 30 })
    row(board, 0, { a: 1, b: 2, c: 3 })
    assert.deepEqual([board.size, board.counts.refused], [2, 1])
    for (let s = 1; s < 10; s++) row(board, s, { b: s })
    assert.equal(board.isSilent(board.lineOf('a')!), true)
    assert.equal(board.isSilent(board.lineOf('b')!), false)
    for (let s = 10; s < 40; s++) row(board, s, { b: s })
    assert.equal(board.lineOf('a'), undefined)
    row(board, 40, { c: 3 })
    assert.equal(board.lineOf('c')!.value, 3)
  })
})

describe('plots', () => {
  it('are by name, lines in them by name, and a line moves with its label', () => {
    const board = new Board()
    row(board, 0, { z: 1, m2: 2, m1: 3 })
    board.describe('m1', { plot: 'motors' })
    board.describe('m2', { plot: 'motors' })
    const names = () => board.plots().map(({ name, lines }) => [name, ...lines.map((l) => l.name)])
    assert.deepEqual(names(), [
      ['motors', 'm1', 'm2'],
      ['z', 'z'],
    ])
    board.describe('m2', {})
    assert.deepEqual(names(), [
      ['m2', 'm2'],
      ['motors', 'm1'],
      ['z', 'z'],
    ])
    board.assign('m1', 'z')
    assert.deepEqual(names(), [
      ['m2', 'm2'],
      ['z', 'm1', 'z'],
    ])
    assert.deepEqual(
      board.plots('M1').map(({ name }) => name),
      ['z'],
    )
  })

  it('give a colour that a line keeps; the ninth has the first again, dashed', () => {
    const board = new Board()
    const names = Array.from({ length: 9 }, (_, i) => `m${i}`)
    for (const name of names) board.describe(name, { plot: 'p' })
    board.plots()
    const colors = names.map((name) => colorOf(board.lineOf(`p/${name}`)!))
    assert.deepEqual(
      colors.map(({ color }) => color),
      [...PALETTE, PALETTE[0]],
    )
    assert.deepEqual(
      colors.map(({ isDashed }) => isDashed),
      [...names.slice(1).map(() => false), true],
    )
    board.describe('m00', { plot: 'p' })
    board.plots()
    assert.deepEqual(colorOf(board.lineOf('p/m0')!), colors[0])
  })

  it('take a colour that is asked for, until it is no more; a bad one is told once', () => {
    const notes: string[] = []
    const board = new Board({ onNote: (text) => notes.push(text) })
    const color = () => {
      board.plots()
      return colorOf(board.lineOf('i')!).color
    }
    board.describe('i', { color: 'orange' })
    assert.equal(color(), '#ff6900')
    board.describe('i', {})
    assert.equal(color(), PALETTE[0])
    for (let k = 0; k < 3; k++) board.describe('i', { color: '#+1+2+3' })
    assert.equal(color(), PALETTE[0])
    assert.equal(notes.length, 1)
    assert.match(notes[0]!, /#\+1\+2\+3.*i/)
  })

  it('have captions of six digits, and a title where it says something new', () => {
    const board = new Board()
    row(board, 0, { i: 9.2712345678 })
    board.describe('i', { unit: 'A' })
    const [plot] = board.plots()
    assert.equal(plotTitle(plot!), '')
    assert.equal(lineCaption(plot!.lines[0]!, 9.2712345678), 'i=9.27123\u00a0A')
    board.describe('i', { plot: 'current' })
    assert.equal(plotTitle(board.plots()[0]!), 'current')
    assert.equal(boardValueText(Number.NaN), '–')
    assert.equal(boardValueText(1234567), '1234570')
    assert.equal(boardValueText(-0.0000012345678), '\u22121.23457e-6'.replace('e-', 'e\u2212'))
    assert.equal(boardValueText(Number.POSITIVE_INFINITY), '∞')
  })

  it('read the value at a time, and none where the line has a gap', () => {
    const { log } = fed([0, 0.1, 0.2, 5, 5.1], [1, 2, 3, 4, 5]).lineOf('i')!
    assert.deepEqual(
      [0.1, 0.15, 0.2, 3, 5.1, 9].map((time) => log.valueAt(time)),
      [...[2, 2, 3, Number.NaN, 5, 5]],
    )
    assert.equal(log.valueAt(-1), Number.NaN)
  })
})

describe('moving averages', () => {
  it('end where their window ends, over samples with their own times', () => {
    const board = fed([0, 1, 2, 4, 4.5], [1, 3, 5, 7, 9], { averages: [{ key: 'i', seconds: 2 }] })
    const { average } = board.picture(board.plots()[0]!, 1000).lines[0]!
    assert.equal(average!.name, 'SMA i')
    assert.deepEqual(pointsOf(average!.trace), [
      [2, 4],
      [4, 7],
      [4.5, 8],
    ])
  })

  it('count a value that is none as a sample of the window', () => {
    const values = [1, 2, Number.NaN, 4, 5, 6]
    const times = values.map((_, i) => i)
    const board = fed(times, values, { averages: [{ key: 'i', samples: 2 }] })
    assert.deepEqual(pointsOf(board.picture(board.plots()[0]!, 1000).lines[0]!.average!.trace), [
      [1, 1.5],
      [2, 2],
      [3, 4],
      [4, 4.5],
      [5, 5.5],
    ])
  })

  it('take the later of two values of one time', () => {
    const board = fed([0, 1, 1, 2], [1, 2, 4, 6], { averages: [{ key: 'i', samples: 2 }] })
    const { average } = board.picture(board.plots()[0]!, 1000).lines[0]!
    assert.deepEqual(pointsOf(average!.trace), [
      [1, 2.5],
      [2, 5],
    ])
  })

  it('have nothing of before a reconnect', () => {
    const board = fed([0, 1], [100, 100], { averages: [{ key: 'i', samples: 2 }] })
    board.restart()
    row(board, 2, { i: 2 })
    row(board, 3, { i: 4 })
    const { average } = board.picture(board.plots()[0]!, 1000).lines[0]!
    assert.deepEqual(pointsOf(average!.trace), [[1, 100], null, [3, 3]])
  })

  it('refuse a window beyond what is kept', () => {
    const board = new Board()
    assert.throws(() => board.setAverage('i', { seconds: 601 }), RangeError)
    assert.throws(() => board.setAverage('i', { samples: 1e9 }), RangeError)
  })
})

describe('y ranges', () => {
  const range = (board: Board) => board.picture(board.plots()[0]!, 100).range

  it('hold the data and the thresholds, and shrink after a window without need', () => {
    const board = new Board({ windowS: 10, triggers: [{ key: 'i', below: -20, above: null }] })
    row(board, 0, { i: 1 })
    assert.ok(range(board).lo <= -20)
    board.events.edit('i', { below: null })
    row(board, 1, { i: 90 })
    for (let s = 2; s <= 30; s++) {
      row(board, s, { i: 1 })
      // in sight until second 11, and a window of 10 s longer
      assert.equal(range(board).hi >= 90, s < 21, String(s))
    }
    assert.ok(range(board).hi < 10)
  })

  it('that were typed stay when a metric joins and when all comes again', () => {
    const board = new Board({ yRanges: [{ plot: 'p', min: 0, max: 10 }] })
    row(board, 0, { a: 50 })
    board.describe('a', { plot: 'p' })
    row(board, 1, { b: 90 })
    board.describe('b', { plot: 'p' })
    board.restart()
    row(board, 2, { a: 1, b: 2 })
    board.reset()
    assert.deepEqual(range(board), { lo: 0, hi: 10 })
  })

  it('that were typed at one end are automatic at the other', () => {
    const board = fed([0, 1], [3, 17], { yRanges: [{ plot: 'i', min: 0, max: null }] })
    assert.deepEqual(range(board), { lo: 0, hi: 20 })
    board.yRanges.set('i', { min: 100, max: null })
    const { lo, hi } = range(board)
    assert.ok(lo === 100 && hi > 100)
    assert.throws(() => board.yRanges.set('i', { min: 2, max: 2 }), RangeError)
  })
})

describe('the view', () => {
  it('moves with the newest sample, pans and zooms, and comes back', () => {
    const board = new Board({ windowS: 10 })
    for (let s = 0; s <= 100; s++) row(board, s, { i: s })
    assert.deepEqual(board.span, { from: 90, to: 100, zero: 100 })
    board.pan(20)
    board.zoom(0.5, 0.5)
    assert.deepEqual(board.span, { from: 72.5, to: 77.5, zero: 100 })
    row(board, 101, { i: 101 })
    assert.equal(board.span.from, 73.5)
    board.pan(-1000)
    assert.equal(board.span.to, 101)
    board.reset()
    assert.deepEqual(board.span, { from: 91, to: 101, zero: 101 })
  })

  it('reads on while paused, and shows what came meanwhile afterwards', () => {
    const board = new Board({ windowS: 10 })
    for (let s = 0; s <= 10; s++) row(board, s, { i: s })
    board.togglePause()
    for (let s = 11; s <= 15; s++) row(board, s, { i: s })
    assert.deepEqual([board.state, board.span.to], ['paused', 10])
    assert.equal(board.lineOf('i')!.value, 15)
    board.togglePause()
    assert.deepEqual([board.state, board.span.to], ['live', 15])
    assert.equal(points(board).length, 12)
  })

  it('moves a window into its bounds', () => {
    const board = new Board({ windowS: 5000 })
    assert.equal(board.windowS, 600)
    board.windowS = 0.1
    assert.equal(board.windowS, 1)
  })
})

describe('the trigger on a board', () => {
  const armed = () => new Board({ windowS: 4, triggers: [{ key: 'i', below: null, above: 9 }] })

  it('sees a spike of one sample between two pictures, and holds it in the middle', () => {
    const board = armed()
    const times = Array.from({ length: 400 }, (_, i) => i * 10)
    board.feed([{ timesMs: times, names: ['i'], values: times.map((t) => (t === 500 ? 10 : 1)) }])
    assert.deepEqual(board.events.latched, { key: 'i', side: 'above', t: 0.5, value: 10 })
    assert.equal(board.state, 'held')
    assert.deepEqual(board.span, { from: -1.5, to: 2.5, zero: 0.5 })
  })

  it('does not hold again at resuming while the value is still outside', () => {
    const board = armed()
    for (let s = 0; s < 5; s++) row(board, s, { i: 10 })
    assert.equal(board.state, 'held')
    board.togglePause()
    for (let s = 5; s < 15; s++) row(board, s, { i: 10 })
    assert.deepEqual([board.state, board.events.latched], ['live', undefined])
    row(board, 15, { i: 1 })
    row(board, 16, { i: 11 })
    assert.equal(board.events.latched?.t, 16)
  })

  it('lets go at a reset, which keeps a pause by hand', () => {
    const board = armed()
    for (let s = 0; s < 5; s++) row(board, s, { i: 10 })
    board.reset()
    assert.equal(board.state, 'live')
    board.togglePause()
    board.reset()
    assert.equal(board.state, 'paused')
  })

  it('forgets a latched event at a reconnect, so that none is waited for in vain', () => {
    const board = armed()
    row(board, 0, { i: 10 })
    board.restart()
    for (let s = 1; s < 9; s++) row(board, s, { i: 10 })
    assert.deepEqual([board.state, board.events.latched], ['live', undefined])
  })

  it('looks at groups in the order of their times', () => {
    const board = new Board({
      triggers: ['a', 'b'].map((key) => ({ key, below: null, above: 5 })),
    })
    board.feed([
      { timesMs: [0, 10, 20], names: ['a'], values: [1, 1, 9] },
      { timesMs: [5, 15], names: ['b'], values: [1, 9] },
    ])
    assert.equal(board.events.latched?.key, 'b')
  })

  it('keeps past events, which can be gone to', () => {
    const board = armed()
    for (let s = 0; s < 40; s++) {
      row(board, s, { i: s % 10 === 5 ? 10 : 1 })
      if (board.state === 'held') board.togglePause()
    }
    const times = () => board.events.list.map(({ t }) => t)
    assert.deepEqual(times(), [5, 15, 25, 35])
    const seen: (number | undefined)[] = []
    for (const direction of [-1, -1, -1, -1, 1] as const) {
      board.events.step(direction)
      seen.push(board.events.shown?.t)
    }
    assert.deepEqual(seen, [35, 25, 15, 5, 15])
    assert.deepEqual(board.span, { from: 13, to: 17, zero: 15 })
    board.windowS = 10
    assert.deepEqual(board.span, { from: 10, to: 20, zero: 15 })
    board.togglePause()
    for (let s = 40; s < 700; s++) row(board, s, { i: 1 })
    assert.deepEqual(times(), [])
  })
})
