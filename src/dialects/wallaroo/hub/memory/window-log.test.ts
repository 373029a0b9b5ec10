import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../../test/support/property.ts'
import { withFrame } from '../../test/frames.ts'
import { KeptWindow } from './kept-window.ts'
import { BLOCK_BYTES } from './layout.ts'
import { WindowLog } from './window-log.ts'
import { WindowMemory } from './window-memory.ts'

const U64_MAX = (1n << 64n) - 1n
const LIMIT = 1_000_000

interface Plain {
  readonly bins: Readonly<Record<string, string>>
  readonly end_ns: string
  readonly period_ns: string
}

function append(log: WindowLog, window: Record<string, unknown>): void {
  withFrame(window, (frame) => log.append(frame))
}

function newLog(memory = new WindowMemory(LIMIT)): WindowLog {
  return new WindowLog(memory, memory.addSeries(0))
}

function ends(log: WindowLog): number[] {
  const found: number[] = []
  walk(log, ({ endS, endRestNs }) => found.push(endS * 1000 + endRestNs / 1e6))
  return found
}

/** All windows, two at a time. */
function walk(log: WindowLog, visit: (window: KeptWindow) => void): void {
  const window = new KeptWindow()
  const load = (each: KeptWindow): void => {
    each.load()
    visit(each)
  }
  for (let at = 0; at < log.position; ) at = log.walk(at, log.position, 2, window, load)
}

const window = fc.record({
  bins: fc.dictionary(
    fc.nat({ max: 64 }).map(String),
    fc.bigInt({ min: 1n, max: U64_MAX }).map(String),
  ),
  end_ns: fc.bigInt({ min: 0n, max: U64_MAX }).map(String),
  period_ns: fc.bigInt({ min: 0n, max: U64_MAX }).map(String),
})

describe('a log of windows', () => {
  it('gives every window back as it came', () => {
    holds(
      fc.property(fc.array(window, { maxLength: 30 }), (windows) => {
        const log = newLog()
        for (const each of windows) append(log, each)
        const found: Plain[] = []
        walk(log, (kept) => {
          const bins: Record<string, string> = {}
          for (let i = 0; i < kept.filledCount; i++) {
            const bin = kept.filled[i]!
            bins[bin] = `${(BigInt(kept.high[bin]!) << 32n) | BigInt(kept.low[bin]!)}`
          }
          const end = BigInt(kept.endS) * 1_000_000_000n + BigInt(kept.endRestNs)
          found.push({ bins, end_ns: `${end}`, period_ns: `${kept.periodNs}` })
        })
        // keys of bins are integers: both sides list them ascending
        assert.deepEqual(
          found,
          windows.map((each) => {
            return { ...each, bins: { ...each.bins }, period_ns: `${Number(each.period_ns)}` }
          }),
        )
        assert.equal(log.length, windows.length)
      }),
    )
  })

  it('keeps min and max as far as they are known', () => {
    const log = newLog()
    append(log, { bins: { 3: '2', 60: '1' }, min_ns: '7', max_ns: `${2n ** 59n + 1n}` })
    append(log, { bins: { 3: '1', 64: '1' }, min_ns: '7', max_ns: `${U64_MAX}` })
    append(log, { bins: {} })
    const found: unknown[] = []
    walk(log, (kept) => {
      found.push([kept.isMinKnown, kept.min(), kept.isMaxKnown, kept.max(), kept.total()])
    })
    assert.deepEqual(found, [
      [true, 7, true, 2n ** 59n + 1n, 3],
      [true, 7, false, Number.NaN, 2],
      [false, Number.NaN, false, Number.NaN, 0],
    ])
  })

  it('stays within its limit, and lets the first to come go first', () => {
    const memory = new WindowMemory(LIMIT)
    memory.seriesBytesLimit = 4096
    const log = newLog(memory)
    for (let i = 1; i <= 10_000; i++) append(log, { bins: { 10: '1' }, end_ns: `${i}000000` })
    assert.ok(log.size <= 4096, `${log.size} bytes`)
    const kept = ends(log)
    assert.equal(kept.at(-1), 10_000)
    assert.ok(kept.length > 50, `${kept.length} windows`)
    assert.deepEqual(
      kept,
      kept.map((_, i) => 10_000 - kept.length + 1 + i),
    )
  })

  it('shrinks to a limit that has become smaller, and still takes the largest window', () => {
    const memory = new WindowMemory(LIMIT)
    const log = newLog(memory)
    for (let i = 1; i <= 100; i++) append(log, { bins: { 10: '1' }, end_ns: `${i}000000` })
    const everything = Object.fromEntries(
      Array.from({ length: 65 }, (_, bin) => [bin, `${U64_MAX}`]),
    )
    memory.seriesBytesLimit = 1
    append(log, { bins: everything, end_ns: '101000000' })
    assert.equal(log.size, BLOCK_BYTES)
    assert.deepEqual(ends(log), [101])
  })

  it('drops what ended long ago from its front, and all its memory with the last', () => {
    const log = newLog()
    for (const end of [5, 1, 9, 2]) append(log, { bins: { 1: '1' }, end_ns: `${end}000000` })
    log.dropBefore(5)
    assert.deepEqual(ends(log), [5, 1, 9, 2])
    log.dropBefore(6)
    assert.deepEqual(ends(log), [9, 2])
    log.dropBefore(10)
    assert.deepEqual([ends(log), log.length, log.size], [[], 0, 0])
    append(log, { bins: { 1: '1' }, end_ns: '11000000' })
    assert.deepEqual(ends(log), [11])
  })

  it('goes on reading where it was, whatever has come and left meanwhile', () => {
    const log = newLog()
    for (let i = 1; i <= 4; i++) append(log, { bins: { 1: '1' }, end_ns: `${i}000000` })
    const { position } = log
    const found: number[] = []
    const visit = ({ endRestNs }: KeptWindow) => found.push(endRestNs / 1e6)
    const at = log.walk(0, position, 2, new KeptWindow(), visit)
    for (let i = 5; i <= 99; i++) append(log, { bins: { 1: '1' }, end_ns: `${i}000000` })
    log.dropBefore(4)
    assert.equal(log.walk(at, position, 9, new KeptWindow(), visit), position)
    assert.deepEqual(found, [1, 2, 4])
    log.dropBefore(1000)
    assert.equal(log.walk(at, position, 9, new KeptWindow(), visit), position)
    assert.equal(found.length, 3)
  })

  it('does not grow where all logs together are at their limit, and counts what leaves', () => {
    const memory = new WindowMemory(8192)
    const series = [1, 2, 3].map((id) => memory.addSeries(id))
    const logs = series.map((each) => new WindowLog(memory, each))
    for (let i = 1; i <= 1000; i++) {
      for (const log of logs) append(log, { bins: { 1: '1' }, end_ns: `${i}000000` })
    }
    const sizes = logs.map(({ size }) => size)
    assert.equal(
      memory.bytes,
      sizes.reduce((a, b) => a + b, 0),
    )
    assert.ok(memory.bytes <= 8192, `${memory.bytes} bytes`)
    const held = logs.reduce((sum, { length }) => sum + length, 0)
    assert.equal(memory.dropped, 3000 - held)
    for (const log of logs) assert.equal(log.droppedEndMs, ends(log)[0]! - 1)
    const reused = memory.addSeries(4)
    for (const each of series) memory.removeSeries(each)
    assert.equal(memory.bytes, 0)
    assert.equal(memory.addSeries(5), series[2])
    assert.equal(new WindowLog(memory, reused).droppedEndMs, Number.NEGATIVE_INFINITY)
  })

  it('keeps a block of each, however many there are', () => {
    const memory = new WindowMemory(8192)
    const logs = Array.from({ length: 20 }, () => newLog(memory))
    for (let i = 1; i <= 100; i++) {
      for (const log of logs) append(log, { bins: { 1: '1' }, end_ns: `${i}000000` })
    }
    assert.ok(memory.bytes <= 8192 + 20 * BLOCK_BYTES, `${memory.bytes} bytes`)
    for (const log of logs) assert.equal(ends(log).at(-1), 100)
  })

  it('finds nothing of a series that has gone, and what it had lost', () => {
    const memory = new WindowMemory(1280)
    const series = memory.addSeries(1)
    const log = new WindowLog(memory, series)
    for (let i = 1; i <= 100; i++) append(log, { bins: { 1: '1' }, end_ns: `${i}000000` })
    const { position, droppedEndMs } = log
    assert.ok(droppedEndMs > 0)
    log.release()
    memory.removeSeries(series)
    const next = newLog(memory)
    append(next, { bins: { 1: '1' }, end_ns: '7000000' })
    assert.equal(
      log.walk(0, position, 9, new KeptWindow(), () => assert.fail()),
      position,
    )
    assert.deepEqual([log.length, log.size, log.droppedEndMs], [0, 0, droppedEndMs])
  })

  it('gives up what it has above a smaller share', () => {
    const memory = new WindowMemory(LIMIT)
    const log = newLog(memory)
    for (let i = 1; i <= 1000; i++) append(log, { bins: { 1: '1' }, end_ns: `${i}000000` })
    memory.seriesBytesLimit = 4096
    log.trim()
    const size = Math.floor(4096 / BLOCK_BYTES) * BLOCK_BYTES
    assert.deepEqual([log.size, memory.bytes], [size, size])
    assert.equal(ends(log).at(-1), 1000)
    assert.equal(memory.dropped, 1000 - log.length)
  })
})
