import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { type Frame, FrameBuilder } from './frame.ts'
import { Sessions } from './sessions.ts'

function frame(second: number, delta: bigint, seconds = 1): Frame {
  const builder = new FrameBuilder()
  builder.counter(1, delta)
  return builder.build(second * 1000, seconds)
}

test('a session gets the same whatever other sessions come and go', () => {
  const plan = fc.array(
    fc.record({
      opensAt: fc.integer({ min: 0, max: 300 }),
      lasts: fc.integer({ min: 1, max: 300 }),
      intervalS: fc.integer({ min: 1, max: 130 }),
    }),
    { maxLength: 8 },
  )
  holds(
    fc.property(fc.integer({ min: 1, max: 130 }), plan, (intervalS, others) => {
      assert.deepEqual(run(intervalS, others), run(intervalS, []))
    }),
    50,
  )
})

type Plan = readonly { opensAt: number; lasts: number; intervalS: number }[]

function run(intervalS: number, others: Plan): string[] {
  const sessions = new Sessions()
  const got: string[] = []
  sessions.open({
    intervalS,
    onFrame: ({ endMs, seconds, counterDeltas }) => {
      got.push(`${endMs} ${seconds} ${counterDeltas[0]}`)
    },
  })
  const open = new Map<number, { close(): void }>()
  for (let second = 1; second <= 400; second++) {
    others.forEach((other, i) => {
      if (other.opensAt === second) {
        open.set(i, sessions.open({ intervalS: other.intervalS, onFrame: () => {} })!)
      }
      if (other.opensAt + other.lasts === second) open.get(i)?.close()
    })
    sessions.push(frame(second, BigInt(second)))
  }
  return got
}

test('a callback that throws loses its own window and nothing else', () => {
  const sessions = new Sessions()
  const errors: unknown[] = []
  let seen = 0
  sessions.open({
    intervalS: 1,
    onFrame: () => {
      throw new Error('planted')
    },
    onError: (error) => errors.push(error),
  })
  sessions.open({ intervalS: 1, onFrame: () => seen++ })
  sessions.push(frame(1, 1n))
  sessions.push(frame(2, 1n))
  assert.equal(seen, 2)
  assert.equal(errors.length, 2)
})

test('a session closed by a callback of the same second gets no more', () => {
  const sessions = new Sessions()
  let seen = 0
  const later = { close: (): void => {} }
  sessions.open({ intervalS: 1, onFrame: () => later.close() })
  const session = sessions.open({ intervalS: 1, onFrame: () => seen++ })!
  later.close = () => session.close()
  sessions.push(frame(1, 1n))
  assert.equal(seen, 0)
  assert.equal(sessions.size, 1)
})

test('an hour is one window of 3,600 seconds', () => {
  const sessions = new Sessions()
  const got: Frame[] = []
  sessions.open({ intervalS: 3600, onFrame: (closed) => got.push(closed) })
  for (let second = 1; second <= 3600; second++) sessions.push(frame(second, 2n))
  assert.deepEqual(
    got.map(({ seconds, counterDeltas }) => [seconds, counterDeltas[0]]),
    [[3600, 7200n]],
  )
})

/** Ends and lengths of a session's windows, in seconds, over frames of these lengths. */
function windowsOver(intervalMs: number, frames: readonly number[]): [end: number, long: number][] {
  const sessions = new Sessions()
  const got: [number, number][] = []
  sessions.open({ intervalMs, onFrame: ({ endMs, seconds }) => got.push([endMs / 1000, seconds]) })
  let second = 0
  for (const seconds of frames) {
    second += seconds
    sessions.push(frame(second, 1n, seconds))
  }
  return got
}

test('an interval in milliseconds ends with the frame that reaches its boundary', () => {
  const ones = [1, 1, 1, 1, 1, 1]
  assert.deepEqual(
    windowsOver(1, ones),
    ones.map((_, i) => [i + 1, 1]),
  )
  assert.deepEqual(windowsOver(2500, ones), [
    [3, 3],
    [5, 2],
  ])
  // a boundary is due one millisecond early, and the grid does not move by it
  assert.deepEqual(windowsOver(2001, ones), [
    [2, 2],
    [5, 3],
  ])
})

test('after a standstill the grid stays where it was', () => {
  assert.deepEqual(windowsOver(2000, [1, 4, 1, 1, 1, 7, 1]), [
    [5, 5],
    [6, 1],
    [8, 2],
    [15, 7],
    [16, 1],
  ])
})

test('intervals tile time, whatever frames come and however long they are', () => {
  const plan = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 200 })
  holds(
    fc.property(fc.integer({ min: 1, max: 20_000 }), plan, (intervalMs, frames) => {
      let endS = 0
      for (const [end, long] of windowsOver(intervalMs, frames)) {
        assert.equal(end - long, endS)
        // no boundary is passed over, but those that fall together with the one that is served
        const boundaries = Math.floor((end * 1000 + 1) / intervalMs)
        assert.ok(boundaries >= 1 && end * 1000 >= intervalMs - 1)
        endS = end
      }
      const restMs = (frames.reduce((sum, each) => sum + each, 0) - endS) * 1000
      assert.ok(restMs <= intervalMs)
    }),
  )
})

test('above the limit a session is refused and counted', () => {
  const sessions = new Sessions(1)
  assert.notEqual(sessions.open({ intervalS: 1, onFrame: () => {} }), undefined)
  assert.equal(sessions.open({ intervalS: 1, onFrame: () => {} }), undefined)
  assert.equal(sessions.refused, 1)
  for (const intervalS of [0, 1.5, -1, Number.NaN]) {
    assert.throws(() => sessions.open({ intervalS, onFrame: () => {} }), RangeError)
    assert.throws(() => sessions.open({ intervalMs: intervalS, onFrame: () => {} }), RangeError)
  }
})

test('a session that closes while its window is being made gets nothing any more', () => {
  const sessions = new Sessions()
  let windows = 0
  const session = sessions.open({ intervalS: 2, onFrame: () => windows++ })!
  const whole = (second: number): Frame => {
    const builder = new FrameBuilder()
    for (let id = 1; id <= 1000; id++) builder.counter(id, 1n)
    return builder.build(second * 1000, 1)
  }
  sessions.push(whole(1))
  const steps = sessions.pushing(whole(2))
  assert.equal(steps.next().done, false)
  session.close()
  while (steps.next().done !== true);
  assert.equal(windows, 0)
})

test('the rest of the event loop may run between any two sessions', () => {
  const sessions = new Sessions()
  let count = 0
  for (let i = 0; i < 10; i++) sessions.open({ intervalS: 1, onFrame: () => count++ })
  const steps = sessions.pushing(new FrameBuilder().build(1000, 1))
  const counts: number[] = []
  while (steps.next().done !== true) counts.push(count)
  assert.deepEqual([...new Set(counts)], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})
