import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Board, type BoardOptions, type SampleGroup } from './board.ts'
import { plotText, smaText, triggerText, yRangeText } from './option-texts.ts'
import { parsePlot, parseSma, parseTrigger, parseYRange } from './options.ts'

/** Rows of one line every 100 ms, from one second up to another. */
function seconds(name: string, from: number, to: number, value = 1): SampleGroup {
  const timesMs: number[] = []
  for (let ms = from * 1000; ms < to * 1000; ms += 100) timesMs.push(ms)
  return { timesMs, names: [name], values: timesMs.map(() => value) }
}

describe('what was measured before', () => {
  it('has its events in the list, of which none is latched', () => {
    const board = new Board({ windowS: 10, triggers: [{ key: 'a', below: null, above: 5 }] })
    board.fill([seconds('a', 100, 101), seconds('a', 101, 102, 9), seconds('a', 102, 103)])
    board.fill([seconds('a', 103, 104, 7), seconds('a', 104, 105)])
    assert.deepEqual(
      board.events.list.map(({ t, value }) => [t, value]),
      [
        [1, 9],
        [3, 7],
      ],
    )
    assert.deepEqual([board.events.latched, board.state], [undefined, 'live'])
    board.events.step(-1)
    assert.deepEqual(board.span, { from: -2, to: 8, zero: 3 })
  })

  it('comes under a board that lives already, however old it is, and latches nothing', () => {
    const board = new Board({ windowS: 600, triggers: [{ key: 'p/b', below: null, above: 5 }] })
    board.describe('b', { plot: 'p', color: 'red' })
    board.feed([seconds('a', 1000, 1002)])
    const { originMs } = board
    board.fill([seconds('b', 500, 1001, 9)])
    assert.equal(board.originMs, originMs)
    assert.equal(board.events.latched, undefined)
    board.feed([seconds('b', 1001, 1002, 1)])
    const line = board.lineOf('p/b')!
    assert.equal(Math.round(line.log.firstTime! + 500), 0)
    assert.equal(line.log.valueAt(-100), 9)
    assert.equal(board.counts.late, 0)
  })

  it('begins a board: those without a past wait from its end on', () => {
    const board = new Board({ staleS: 300 })
    board.describe('quiet', { plot: 'q' })
    board.fill([seconds('a', 0, 600)])
    board.feed([seconds('a', 600, 602)])
    assert.equal(board.lineOf('q/quiet')?.about.plot, 'q')
    assert.equal(Math.round(board.newest), 602)
  })

  it('is left out where a line has gone on since', () => {
    const board = new Board()
    board.feed([seconds('a', 10, 11)])
    board.fill([seconds('a', 5, 6)])
    assert.equal(board.counts.late, 10)
    assert.equal(board.lineOf('a')!.log.firstTime, 0)
  })
})

describe('facts of a line', () => {
  it('are known again when it comes back after a long silence', () => {
    const board = new Board({ staleS: 30 })
    board.describe('a', { plot: 'p', unit: 'V' })
    board.feed([seconds('a', 0, 1)])
    board.feed([seconds('b', 1, 60)])
    assert.equal(board.lineOf('p/a'), undefined)
    board.feed([seconds('a', 60, 61)])
    assert.deepEqual(board.lineOf('p/a')?.about, { plot: 'p', unit: 'V' })
  })
})

describe('a reconnect of one of several senders', () => {
  const latched = (key: string) => {
    const board = new Board({ windowS: 10, triggers: [{ key, below: null, above: 5 }] })
    board.feed([seconds(key, 0, 1, 9), seconds('other', 0, 1)])
    assert.equal(board.events.latched?.key, key)
    return board
  }

  it('ends an event of its own lines only', () => {
    const board = latched('a')
    board.restart(({ name }) => name === 'other')
    assert.equal(board.events.latched?.key, 'a')
    board.restart(({ name }) => name === 'a')
    assert.equal(board.events.latched, undefined)
  })
})

describe('a picture from a link', () => {
  const shown = (options: BoardOptions = { windowS: 10 }) => {
    const board = new Board(options)
    board.pauseAt(1_030_000)
    assert.equal(board.isEmpty, true)
    board.fill([seconds('a', 1000, 1060)])
    board.feed([seconds('a', 1060, 1070, 7)])
    return board
  }

  it('is held at its instant while reading goes on', () => {
    const board = shown()
    assert.equal(board.state, 'paused')
    assert.equal(board.originMs + board.span.to * 1000, 1_030_000)
    assert.equal(board.valueAt(board.lineOf('a')!), 1)
    board.togglePause()
    assert.equal(board.valueAt(board.lineOf('a')!), 7)
    assert.equal(board.valueAt(board.lineOf('a')!, board.newest - 20), 1)
  })
})

describe('options as text', () => {
  it('are read as they were written, whatever the names hold', () => {
    for (const name of ['a', 'a=b', 'x{k=1}', '%3D', 'a,b=,', '']) {
      const range = { plot: name, min: -1.5, max: null }
      assert.deepEqual(parseYRange(yRangeText(range)), range)
      const trigger = { key: name, below: null, above: 1e-7 }
      assert.deepEqual(parseTrigger(triggerText(trigger)), trigger)
      assert.deepEqual(parseSma(smaText(name, { seconds: 2 })), { key: name, seconds: 2 })
      assert.deepEqual(parseSma(smaText(name, { samples: 5 })), { key: name, samples: 5 })
      const choice = { name: 'm=1', plot: name }
      assert.deepEqual(parsePlot(plotText(choice)), choice)
    }
    assert.equal(parsePlot('motor'), undefined)
  })
})
