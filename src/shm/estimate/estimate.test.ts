/** The estimator by its rules; the figures of the document and its peer are in the vectors. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import {
  capacity,
  type EstimateQuestion,
  estimate,
  estimateZone,
  smallestZone,
  Zone,
  zoneBytes,
} from '../index.ts'

const questions = fc.record({
  kind: fc.constantFrom('counter', 'gauge', 'histogram'),
  profile: fc.constantFrom('document', 'peer'),
  prefixedNameBytes: fc.integer({ min: 0, max: 3000 }),
  workers: fc.integer({ min: 1, max: 256 }),
  bins: fc.integer({ min: 1, max: 18 }),
}) as fc.Arbitrary<Required<EstimateQuestion>>

suite('the estimator', () => {
  test('the document’s own example is 232 bytes by its rule, beside the 168 that it prints', () => {
    const { documented, printed } = estimate({ kind: 'counter', prefixedNameBytes: 64, workers: 4 })
    assert.deepEqual([documented, printed], [232, 168])
  })

  test('other sizes have no printed figure', () => {
    const { printed } = estimate({ kind: 'counter', prefixedNameBytes: 63, workers: 4 })
    assert.equal(printed, undefined)
  })

  test('what is allocated is never less than the structures; the unknown is refused', () => {
    holds(
      fc.property(questions, (question) => {
        const { struct, allocated } = estimate(question)
        assert.ok(allocated >= struct)
      }),
    )
    for (const wrong of [
      { workers: 0 },
      { workers: 1.5 },
      { bins: 19 },
      { prefixedNameBytes: -1 },
    ]) {
      const question = { kind: 'histogram', prefixedNameBytes: 9, ...wrong } as const
      assert.throws(() => estimate(question), RangeError, JSON.stringify(wrong))
    }
    const odd = { kind: 'timer', prefixedNameBytes: 9 } as unknown as EstimateQuestion
    assert.throws(() => estimate(odd), /kind timer/)
  })
})

suite('the capacity', () => {
  test('the smallest zone for as many as fit is no larger, and a page less is too small', () => {
    holds(
      fc.property(questions, fc.integer({ min: 3, max: 5000 }), (question, pages) => {
        const bytes = pages * 4096
        const { fits } = capacity({ ...question, zoneBytes: bytes })
        const smallest = smallestZone(question, fits)
        assert.ok(smallest <= bytes)
        assert.ok(capacity({ ...question, zoneBytes: smallest }).fits >= fits)
        if (smallest === 12_288) return
        assert.ok(capacity({ ...question, zoneBytes: smallest - 4096 }).fits < fits)
      }),
    )
  })

  test('a bigger zone holds as many or more', () => {
    holds(
      fc.property(questions, fc.integer({ min: 3, max: 2000 }), (question, pages) => {
        const small = capacity({ ...question, zoneBytes: pages * 4096 }).fits
        assert.ok(capacity({ ...question, zoneBytes: (pages + 1) * 4096 }).fits >= small)
      }),
    )
  })
})

suite('the size of a zone', () => {
  for (const [given, bytes] of [
    ['5m', 5_242_880],
    ['5M', 5_242_880],
    ['12k', 12_288],
    ['12288', 12_288],
    [8_192_000, 8_192_000],
  ] as const) {
    test(`${given} is ${bytes} bytes`, () => assert.equal(zoneBytes(given), bytes))
  }

  for (const [given, message] of [
    ['8k', 'shm size of 8192 bytes is too small, minimum required is 12288 bytes'],
    [0, 'shm size of 0 bytes is too small, minimum required is 12288 bytes'],
    [12_289, 'shm size of 12289 bytes is not page-aligned, must be a multiple of 4096'],
    ['13k', 'shm size of 13312 bytes is not page-aligned, must be a multiple of 4096'],
    ['5g', 'invalid shm size "5g"'],
    ['', 'invalid shm size ""'],
    [-4096, 'invalid shm size "-4096"'],
    [Number.NaN, 'invalid shm size "NaN"'],
  ] as const) {
    test(`${given || 'nothing'} is refused in the original’s words`, () => {
      assert.throws(() => zoneBytes(given), { name: 'RangeError', message })
    })
  }
})

suite('what this zone takes', () => {
  test('100,000 counters with names of 24 bytes and 4 workers cost at most 128 bytes each', () => {
    const { total, descriptor, index, key, slots } = estimateZone({
      type: 'counter',
      keyBytes: 24,
      workers: 4,
    })
    assert.equal(total, descriptor + index + key + slots)
    assert.ok(total <= 128, `${total}`)
  })

  test('a budget of as many bytes as estimated holds exactly so many metrics', () => {
    const keyBytes = 9
    for (const [type, mode] of [
      ['counter', undefined],
      ['gauge', 'shared'],
      ['dense', undefined],
      ['summary', undefined],
    ] as const) {
      const options = mode === undefined ? {} : { mode }
      const { total } = estimateZone({ type, keyBytes, workers: 2, ...options })
      const zone = Zone.create({ onFull: 'error', slabSize: 40_960, workers: 2 })
      let defined = 0
      while (zone.define(Buffer.from(String(1e8 + defined)), type, options) >= 0) defined++
      assert.equal(defined, Math.floor(40_960 / total), type)
    }
  })

  test('a mode that a type has not is refused', () => {
    const odd = { type: 'counter', mode: 'shared', keyBytes: 1 } as const
    assert.throws(() => estimateZone(odd), /counter has no mode shared/)
  })

  test('a type or a number that no zone could have is refused', () => {
    for (const [odd, message] of [
      [{ keyBytes: Number.NaN }, 'keyBytes NaN is not an integer of 0 to 65535'],
      [{ keyBytes: 65_536 }, 'keyBytes 65536 is not an integer of 0 to 65535'],
      [{ workers: 0 }, 'workers 0 is not an integer of 1 to 1024'],
      [{ workers: 1.5 }, 'workers 1.5 is not an integer of 1 to 1024'],
      [{ type: 'timer' as 'counter' }, 'type "timer" is none'],
    ] as const) {
      const question = { type: 'counter', keyBytes: 8, ...odd } as const
      assert.throws(() => estimateZone(question), { name: 'RangeError', message })
    }
  })
})
