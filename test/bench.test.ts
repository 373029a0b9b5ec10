/** What the bench computes with; speed itself is no test. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  increment,
  plainCounters,
  plainHistograms,
  writeMetric,
} from '../bench/instruments/event-counters.ts'
import { PASS } from '../bench/instruments/visits.ts'
import { MEASUREMENTS, NAME_COUNT, packets } from '../bench/load/measurements.ts'
import { atMost, interleave, limitOf, ratioOf } from '../bench/measure/question.ts'
import { pairedRatios, seededRandom, shuffled, spreadOf } from '../bench/measure/statistics.ts'
import { dialect as statshero } from '../src/dialects/statshero/dialect.ts'

test('a spread is the middle and the ends, whatever the order of the figures', () => {
  assert.deepEqual(spreadOf([9, 1, 10]), { median: 9, low: 1, high: 10 })
  assert.deepEqual(spreadOf([4, 1, 3, 2]), { median: 2.5, low: 1, high: 4 })
  assert.throws(() => spreadOf([]), RangeError)
})

test('a ratio is the median of the ratios of each round, not the ratio of medians', () => {
  const over = { title: 'a', figures: [10, 200, 30] }
  const under = { title: 'b', figures: [1, 100, 10] }
  assert.deepEqual(pairedRatios(over.figures, under.figures), [10, 2, 3])
  const ratio = ratioOf(over, under, { bound: 'at least', value: 3 })
  assert.equal(ratio.median, 3)
  assert.equal(ratio.result, 'reached')
  assert.equal(ratioOf(over, under, { bound: 'at most', value: 2.9 }).result, 'missed')
  assert.throws(() => pairedRatios([1], []), RangeError)
})

test('a figure with a limit is judged in its own unit', () => {
  const slow = { title: 'a', figures: [70, 60, 50], unit: 'ms' }
  const spread = { title: 'a', median: 60, low: 50, high: 70, unit: 'ms' }
  const [reached, missed] = [atMost(60), atMost(59)].map((wanted) => limitOf(slow, wanted))
  assert.deepEqual(reached, { ...spread, wanted: atMost(60), result: 'reached' })
  assert.equal(missed!.result, 'missed')
})

test('contenders take turns, and their warm-ups are not counted', async () => {
  const order: string[] = []
  const contender = (title: string) => ({ title, round: () => order.push(title) })
  const rounds = await interleave([contender('a'), contender('b')], 1, 2)
  assert.deepEqual(order, ['a', 'b', 'a', 'b', 'a', 'b'])
  assert.deepEqual(rounds, [
    { title: 'a', figures: [3, 5] },
    { title: 'b', figures: [4, 6] },
  ])
})

test('a seed repeats its numbers and its order', () => {
  const first = seededRandom(7)
  const second = seededRandom(7)
  const numbers = Array.from({ length: 1000 }, first)
  assert.deepEqual(numbers, Array.from({ length: 1000 }, second))
  assert.ok(numbers.every((number) => number >= 0 && number < 1))
  const items = [1, 2, 3, 4, 5, 6, 7, 8]
  const order = shuffled(items, seededRandom(1))
  assert.deepEqual(order, shuffled(items, seededRandom(1)))
  assert.notDeepEqual(order, items)
  assert.deepEqual(order.toSorted(), items)
})

test('both syntaxes say the same measurements, in packets that decode without an error', () => {
  const names: string[] = []
  for (const packet of packets('statshero', 40)) {
    const decoder = statshero.createDecoder({ transport: 'udp' })
    decoder.push(packet)
    decoder.end()
    assert.deepEqual(decoder.errors, [])
    for (const message of decoder.messages as { key: string; value: number; type: string }[]) {
      assert.deepEqual([message.value, message.type], [42, 'm'])
      names.push(message.key)
    }
  }
  assert.equal(names.length, MEASUREMENTS)
  assert.equal(new Set(names).size, NAME_COUNT)
  const lines = Buffer.concat(packets('statsd', 40)).toString()
  assert.equal(lines, names.map((name) => `${name}:42|c\n`).join(''))
})

test('every session of a bench is told of every update, and nobody of none', async () => {
  for (const instrument of [writeMetric(0, 1), increment(0, 1)]) {
    instrument.pass()
    assert.equal(await instrument.recorded(), 0, instrument.title)
  }
  const unwatched = plainHistograms(0, 1)
  unwatched.pass()
  assert.equal(await unwatched.recorded(), PASS, unwatched.title)
  const watched = [writeMetric(1, 1), writeMetric(3, 1), writeMetric(3, 1, true), increment(3, 1)]
  for (const instrument of [...watched, plainCounters(1), plainHistograms(1, 1)]) {
    instrument.pass()
    assert.equal(await instrument.recorded(), PASS, instrument.title)
  }
})
