import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
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
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 130 }), plan, (intervalS, others) => {
      assert.deepEqual(run(intervalS, others), run(intervalS, []))
    }),
    { numRuns: 50 },
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

test('above the limit a session is refused and counted', () => {
  const sessions = new Sessions(1)
  assert.notEqual(sessions.open({ intervalS: 1, onFrame: () => {} }), undefined)
  assert.equal(sessions.open({ intervalS: 1, onFrame: () => {} }), undefined)
  assert.equal(sessions.refused, 1)
  for (const intervalS of [0, 1.5, -1, Number.NaN]) {
    assert.throws(() => sessions.open({ intervalS, onFrame: () => {} }), RangeError)
  }
})
