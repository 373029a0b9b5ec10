import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Summary } from '../../model/index.ts'
import { FrameBuilder } from './frame.ts'
import { LIVE_RING_DEFAULTS, LiveRing } from './ring.ts'

const START_MS = 1_700_000_000_000

function fill(ring: LiveRing, seconds: number, delta = 1n): void {
  for (let i = 1; i <= seconds; i++) {
    const builder = new FrameBuilder()
    builder.counter(1, delta)
    ring.push(builder.build(START_MS + i * 1000, 1))
  }
}

function sum(ring: LiveRing, fromMs: number, toMs: number): bigint {
  let total = 0n
  for (const frame of ring.between(fromMs, toMs)) total += frame.counterDeltas[0]!
  return total
}

test('keeps ten minutes of seconds and ten more in steps of ten, without a hole', () => {
  const ring = new LiveRing()
  fill(ring, 1500)
  const endMs = START_MS + 1_500_000
  const frames = ring.between(0, endMs)
  const fine = frames.filter((frame) => frame.seconds === 1)
  const coarse = frames.filter((frame) => frame.seconds === 10)
  assert.equal(fine.length >= 600, true)
  assert.equal(coarse.length >= 59 && coarse.length <= 60, true)
  for (let i = 1; i < frames.length; i++) {
    assert.equal(frames[i]!.endMs - frames[i]!.seconds * 1000, frames[i - 1]!.endMs)
  }
  assert.equal(sum(ring, 0, endMs), BigInt(endMs - ring.oldestMs!) / 1000n)
})

test('at the memory bound the oldest seconds go first, and the number is told', () => {
  const ring = new LiveRing({ ...LIVE_RING_DEFAULTS, bytesLimit: 20_000 })
  fill(ring, 300)
  assert.equal(ring.bytes <= 20_000, true)
  assert.equal(ring.newest!.endMs, START_MS + 300_000)
  assert.equal(ring.between(0, Number.MAX_SAFE_INTEGER).length + ring.evictedFrames, 300)
})

test('the account of memory returns to what is held after hours of seconds', () => {
  const ring = new LiveRing()
  fill(ring, 1300)
  const bytes = ring.bytes
  fill(ring, 4000)
  assert.equal(Math.abs(ring.bytes - bytes) <= 20 * 1100, true, `${bytes} then ${ring.bytes}`)
})

test('since gives exactly what a client has missed', () => {
  const ring = new LiveRing()
  fill(ring, 30)
  const missed = ring.since(START_MS + 27_000).map((frame) => frame.endMs - START_MS)
  assert.deepEqual(missed, [28_000, 29_000, 30_000])
})

test('a window takes only what overlaps it', () => {
  const ring = new LiveRing()
  fill(ring, 30)
  const ends = ring.between(START_MS + 10_000, START_MS + 13_000).map((frame) => frame.endMs)
  assert.deepEqual(
    ends.map((ms) => ms - START_MS),
    [11_000, 12_000, 13_000],
  )
})

test('fractions and summaries age into coarse frames whole, every byte accounted for', () => {
  const ring = new LiveRing({ ...LIVE_RING_DEFAULTS, fineSeconds: 20, coarseSeconds: 100 })
  const one: Summary = { count: 2, mean: 5, squares: 2, min: 4, max: 6 }
  for (let second = 1; second <= 110; second++) {
    const builder = new FrameBuilder()
    builder.counter(1, 0.375)
    builder.summary(2, one)
    ring.push(builder.build(START_MS + second * 1000, 1))
  }
  const frames = ring.between(0, START_MS + 110_000)
  assert.ok(frames.some(({ seconds }) => seconds === 10))
  const deltas = frames.map((frame) => Number(frame.deltaAt(0)))
  const seconds = frames.reduce((sum, frame) => sum + frame.seconds, 0)
  assert.equal(
    deltas.reduce((sum, delta) => sum + delta, 0),
    0.375 * seconds,
  )
  const counts = frames.reduce((sum, frame) => sum + frame.summaryAt(0).count, 0)
  assert.equal(counts, 2 * seconds)
  assert.equal(
    ring.bytes,
    frames.reduce((sum, { size }) => sum + size, 0),
  )
})

/** Pushes seconds whose counter grows by `delta` and whose gauge has that value. */
function seconds(ring: LiveRing, from: number, to: number, delta: number): void {
  for (let second = from + 1; second <= to; second++) {
    const builder = new FrameBuilder()
    builder.counter(1, delta)
    builder.gauge(2, delta)
    ring.push(builder.build(START_MS + second * 1000, 1))
  }
}

/** Lists `[second, increment, gauge]` of single seconds. */
function told(ring: LiveRing, from: number, to: number): [number, number, number][] {
  return ring.between(START_MS + from * 1000, START_MS + to * 1000).map((frame) => {
    const second = (frame.endMs - START_MS) / 1000
    return [second, Number(frame.deltaAt(0)), frame.gaugeValues[0]!]
  })
}

test('seconds that come again are added; of a gauge the newer value holds', () => {
  const ring = new LiveRing()
  seconds(ring, 0, 30, 5)
  seconds(ring, 20, 23, 2) // the clock was set back by ten seconds
  assert.deepEqual(told(ring, 19, 23), [
    [20, 5, 5],
    [21, 7, 2],
    [22, 7, 2],
    [23, 7, 2],
  ])
  assert.equal(ring.newest!.endMs, START_MS + 23_000)
  assert.deepEqual(told(ring, 22, 25), [
    [23, 7, 2],
    [24, 5, 5],
    [25, 5, 5],
  ])
  const since = (from: number): [number, number][] => {
    return ring.since(START_MS + from * 1000).map((frame) => {
      return [(frame.endMs - START_MS) / 1000, Number(frame.deltaAt(0))]
    })
  }
  // who has seen all up to the step is told of what has come since alone
  assert.deepEqual(since(20), [
    [21, 2],
    [22, 2],
    [23, 2],
  ])
  const held = ring.newest!
  assert.ok(ring.replace(held, new FrameBuilder().build(held.endMs, 1)))
  assert.deepEqual(since(22), [[23, 2]], 'whatever came late to it')
  assert.ok(ring.replace(ring.newest!, held))
  seconds(ring, 28, 33, 1) // and ahead again: what was between is there
  assert.deepEqual(
    told(ring, 23, 33).map(([second, delta]) => [second, delta]),
    [24, 25, 26, 27, 28, 29, 30, 31, 32, 33].map((second) => {
      return [second, second <= 28 ? 5 : second <= 30 ? 6 : 1]
    }),
  )
  const frames = ring.between(0, Number.MAX_SAFE_INTEGER)
  assert.equal(
    ring.bytes,
    frames.reduce((total, { size }) => total + size, 0),
  )
})

test('what is finer elsewhere is told: coarse steps, and seconds lost to a clock set back', () => {
  const options = { ...LIVE_RING_DEFAULTS, fineSeconds: 60, coarseSeconds: 100 }
  const ring = new LiveRing(options)
  assert.equal(ring.wholeFromMs(1000), undefined)
  seconds(ring, 0, 120, 1)
  const finest = ring.wholeFromMs(1000)! - START_MS
  assert.ok(finest >= 50_000 && finest <= 60_000, `${finest}`)
  assert.equal(ring.wholeFromMs(10_000), ring.oldestMs)
  seconds(ring, 20, 25, 1)
  assert.equal(ring.wholeFromMs(10_000), START_MS + 120_000, 'all that was before comes again')
})

test('no frame reaches over a gap, however coarse', () => {
  const ring = new LiveRing()
  seconds(ring, 0, 13, 1)
  seconds(ring, 24, 700, 1)
  const frames = ring.between(0, Number.MAX_SAFE_INTEGER)
  const total = frames.reduce((sum, frame) => sum + Number(frame.deltaAt(0)), 0)
  assert.equal(total, 13 + 676)
  const inGap = frames.filter(({ endMs, seconds: length }) => {
    return endMs > START_MS + 13_000 && endMs - length * 1000 < START_MS + 24_000
  })
  assert.deepEqual(inGap, [])
  assert.deepEqual(
    frames.slice(0, 4).map(({ endMs }) => (endMs - START_MS) / 1000),
    [10, 13, 30, 40],
  )
})
