import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { bufferOf, createZone, defined } from '../../../test/support/threads/shm.ts'
import { addToSummary, EMPTY_SUMMARY, summaryDeviation } from '../../model/index.ts'
import type { SummaryReading, Zone } from '../index.ts'

/** A zone that is listened to, with what a taking of it finds, by metric. */
function listenedZone(workersLimit = 4): { zone: Zone; take: () => Map<number, SummaryReading> } {
  const zone = createZone({ workersLimit })
  const reader = zone.reader()
  assert.ok(reader.listen(true))
  const take = (): Map<number, SummaryReading> => {
    const taken = new Map<number, SummaryReading>()
    assert.ok(reader.takeSummaries((metric, reading) => taken.set(metric, { ...reading })))
    return taken
  }
  return { zone, take }
}

test('while nobody listens nothing is kept, neither before nor after', () => {
  const { zone, take } = listenedZone()
  const metric = defined(zone, 'a', 'summary')
  const summary = zone.attach().summary(metric)!
  const reader = zone.reader()
  reader.listen(false)
  assert.equal(summary.observe(5), true, 'it is no refusal')
  reader.listen(true)
  assert.equal(take().size, 0)
  summary.observe(6)
  assert.equal(take().get(metric)!.sum, 6)
  reader.listen(false)
  summary.observe(7)
  assert.equal(take().size, 0)
})

test('a taking has what was observed since the last, and nothing of a summary that rested', () => {
  const { zone, take } = listenedZone()
  const [a, b] = [defined(zone, 'a', 'summary'), defined(zone, 'b', 'summary')]
  defined(zone, 'between', 'counter')
  const writer = zone.attach()
  for (const value of [2, 4, 4, 4, 5, 5, 7, 9]) assert.ok(writer.summary(a)!.observe(value))
  writer.summary(b)!.observe(-3)
  const expected = { count: 8, mean: 5, squares: 32, min: 2, max: 9, sum: 40 }
  const once = { count: 1, mean: -3, squares: 0, min: -3, max: -3, sum: -3 }
  assert.deepEqual(
    [...take()],
    [
      ...new Map([
        [a, expected],
        [b, once],
      ]),
    ],
  )
  assert.equal(take().size, 0)
  writer.summary(b)!.observe(8)
  assert.deepEqual([...take().keys()], [b])
})

test('the distance of two samples far from zero is exact', () => {
  const { zone, take } = listenedZone()
  const metric = defined(zone, 'a', 'summary')
  const summary = zone.attach().summary(metric)!
  for (const distance of [2 ** -33, 2 ** -20 + 2 ** -33, 0.375 + 2 ** -33]) {
    for (const value of [1e6, 1e6 + distance]) summary.observe(value)
    assert.equal(take().get(metric)!.squares, (distance * distance) / 2)
  }
})

test('what is no finite number is refused, and never throws', () => {
  const { zone, take } = listenedZone()
  const summary = zone.attach().summary(defined(zone, 'a', 'summary'))!
  const wrong = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1n, '1', null, {}]
  for (const value of [...wrong, undefined, Symbol('one')]) {
    assert.equal(summary.observe(value as number), false, String(value))
  }
  assert.equal(take().size, 0)
})

test('values at the ends of the doubles leave finite numbers', () => {
  const { zone, take } = listenedZone()
  const metric = defined(zone, 'a', 'summary')
  const [one, two] = [zone.attach().summary(metric)!, zone.attach().summary(metric)!]
  const largest = Number.MAX_VALUE
  for (const value of [largest, -largest, largest, largest]) one.observe(value)
  for (const value of [-largest, -largest, 0, 5e-324]) two.observe(value)
  const reading = take().get(metric)!
  assert.equal(reading.count, 8)
  assert.deepEqual([reading.min, reading.max], [-largest, largest])
  for (const number of Object.values(reading)) assert.ok(Number.isFinite(number), `${number}`)
})

test('released and detached handles refuse, what they observed is taken once', () => {
  const { zone, take } = listenedZone()
  const metric = defined(zone, 'a', 'summary')
  const [leaving, staying] = [zone.attach(), zone.attach()]
  const [left, stayed] = [leaving.summary(metric)!, staying.summary(metric)!]
  left.observe(1)
  stayed.observe(2)
  leaving.detach()
  staying.release(metric)
  assert.deepEqual([left.observe(3), stayed.observe(4)], [false, false])
  const { count, sum } = take().get(metric)!
  assert.deepEqual([count, sum], [2, 3])
  assert.ok(staying.summary(metric)!.observe(5))
  assert.equal(take().get(metric)!.sum, 5)
  assert.throws(() => staying.counter(metric), /^TypeError: metric 0 is a summary, not a counter$/)
})

test('a retired summary leaves nothing to the next one of its number', () => {
  const { zone, take } = listenedZone()
  const metric = defined(zone, 'a', 'summary')
  const writer = zone.attach()
  writer.summary(metric)!.observe(1)
  assert.ok(zone.retire(metric))
  assert.equal(take().size, 0)
  assert.equal(defined(zone, 'b', 'summary'), metric)
  assert.equal(take().size, 0)
  writer.summary(metric)!.observe(2)
  assert.equal(take().get(metric)!.sum, 2)
})

test('a visitor may use the zone', () => {
  const { zone } = listenedZone()
  zone
    .attach()
    .summary(defined(zone, 'a', 'summary'))!
    .observe(1)
  let made = -1
  zone.reader().takeSummaries(() => {
    made = defined(zone, 'made meanwhile', 'counter')
  })
  assert.equal(made, 1)
})

/** Words of the one slot in a zone of one page of segments: where its state and busy are. */
function slotInts(zone: Zone): Int32Array {
  const ints = new Int32Array(bufferOf(zone))
  const marked = new Float64Array(ints.buffer).indexOf(12_345.75)
  assert.notEqual(marked, -1)
  // The mark is the mean of window 0, which is word 2.
  return ints.subarray(2 * (marked - 2), 2 * (marked - 2) + 2)
}

test('a window whose writer is in the middle waits for the next taking, and is counted', () => {
  const { zone, take } = listenedZone()
  const metric = defined(zone, 'a', 'summary')
  const summary = zone.attach().summary(metric)!
  summary.observe(12_345.75)
  const slot = slotInts(zone)
  slot[1]! += 1 // as a thread that the machine has suspended in an observation
  assert.equal(take().size, 0)
  assert.equal(take().size, 0)
  assert.equal(zone.usage().summariesDeferred, 2)
  slot[1]! += 1
  summary.observe(1) // in the other window
  const { count, sum } = take().get(metric)!
  assert.deepEqual([count, sum], [2, 12_346.75])
  assert.equal(take().size, 0)
  assert.equal(zone.usage().summariesDeferred, 2)
})

test('what waits in a closed window goes with its writer, and is taken from the base', () => {
  for (const hasBase of [false, true]) {
    const { zone, take } = listenedZone()
    const metric = defined(zone, 'a', 'summary')
    const writer = zone.attach()
    writer.summary(metric)!.observe(12_345.75)
    const slot = slotInts(zone)
    if (hasBase) {
      const other = zone.attach()
      other.summary(metric)!.observe(1)
      other.detach()
    }
    slot[1]! += 1
    assert.equal(take().size, hasBase ? 1 : 0)
    writer.summary(metric)!.observe(2)
    slot[1]! |= 1
    writer.detach()
    const { count, sum } = take().get(metric)!
    assert.deepEqual([count, sum], [2, 12_347.75])
    assert.equal(take().size, 0)
  }
})

type Step =
  | { readonly kind: 'observe'; readonly writer: number; readonly value: number }
  | { readonly kind: 'detach'; readonly writer: number }
  | { readonly kind: 'take' }
  | { readonly kind: 'reconfigure'; readonly workers: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('observe' as const),
      writer: fc.nat({ max: 2 }),
      value: fc.oneof(
        fc.integer({ min: -99, max: 99 }),
        fc.double({ min: 1e6, max: 1e6 + 1, noNaN: true }),
      ),
    }),
  },
  fc.record({ kind: fc.constant('detach' as const), writer: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constant('take' as const) }),
  fc.record({
    kind: fc.constant('reconfigure' as const),
    workers: fc.integer({ min: 1, max: 3 }),
  }),
)

test('whatever order writers observe, leave and move in, each value is in one taking', () => {
  holds(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { zone, take } = listenedZone(3)
      const metric = defined(zone, 'a', 'summary')
      const writers: (ReturnType<Zone['attach']> | undefined)[] = []
      let values: number[] = []
      const check = (): void => {
        compare(take().get(metric), values)
        values = []
      }
      for (const each of steps) {
        if (each.kind === 'take') check()
        else if (each.kind === 'reconfigure') zone.reconfigure({ workers: each.workers })
        else if (each.kind === 'detach') {
          writers[each.writer]?.detach()
          writers[each.writer] = undefined
        } else {
          writers[each.writer] ??= zone.attach()
          writers[each.writer]!.summary(metric)!.observe(each.value)
          values.push(each.value)
        }
      }
      check()
    }),
    200,
  )
})

/** With the model's summary of the same values, within rounding. */
function compare(reading: SummaryReading | undefined, values: readonly number[]): void {
  const expected = values.reduce(addToSummary, EMPTY_SUMMARY)
  assert.equal(reading?.count ?? 0, expected.count)
  if (reading === undefined) return
  assert.deepEqual([reading.min, reading.max], [expected.min, expected.max])
  const { squares, mean } = reading
  assert.ok(Math.abs(mean - expected.mean) <= 1e-9 * 1e6)
  const deviation = Math.sqrt(squares / reading.count)
  assert.ok(Math.abs(deviation - summaryDeviation(expected)) <= 1e-9 * (1 + deviation))
  const sum = values.reduce((total, value) => total + value, 0)
  assert.ok(Math.abs(reading.sum - sum) <= 1e-9 * (1 + Math.abs(sum)))
}
