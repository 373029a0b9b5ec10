/** What the bench computes with; speed itself is no test. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  increment,
  plainCounters,
  plainHistograms,
  writeMetric,
} from '../bench/instruments/event-counters.ts'
import { PASS } from '../bench/instruments/visits.ts'
import { MEASUREMENTS, NAME_COUNT, packets } from '../bench/load/measurements.ts'
import {
  atLeast,
  atMost,
  interleave,
  limitOf,
  type Result,
  ratioOf,
  voided,
} from '../bench/measure/question.ts'
import {
  REPORT_BEGIN,
  REPORT_END,
  type Report,
  withReport,
  withResult,
} from '../bench/measure/report.ts'
import { pairedRatios, seededRandom, shuffled, spreadOf } from '../bench/measure/statistics.ts'
import { figureText } from '../bench/measure/text.ts'
import { findQuestions } from '../bench/questions.ts'
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

function result(name: string, value: number): Result {
  const rounds = { title: `${name} | ours`, figures: [value], unit: 'ms' }
  return {
    ...{ name, asks: `How fast is ${name}?`, data: '', method: [], unit: 'ms' },
    ...{ date: '2026-01-02T03:04:05.678Z', warmUps: 1, rounds: 3 },
    machine: { processor: 'Z80', cores: 1, system: 'CP/M', node: 'v0' },
    conditions: { load: [0.5, 1.25], othersCores: 0.125, seconds: 61.4 },
    figures: [],
    verdicts: [
      limitOf(rounds, atLeast(5)),
      voided(limitOf(rounds, atMost(5)), 'the cores were busy'),
    ],
    skipped: [{ title: 'a rival', reason: 'it is not here' }],
    means: [`${name} is fast`],
  }
}

test('a report takes in one question anew and keeps the others, those that are gone but', () => {
  const before: Report = { gone: result('P0', 1), 'p2-b': result('P2', 2) }
  const after = withResult(before, ['p1-a', 'p2-b', 'p3-c'], 'p1-a', result('P1', 7))
  assert.deepEqual(Object.keys(after), ['p1-a', 'p2-b'])
  assert.equal(after['p2-b'], before['p2-b'])
  assert.equal(after['p1-a']?.name, 'P1')
})

test('a report is one table: what was wanted, what was reached, missed or void, and when', () => {
  const document = `head\n${REPORT_BEGIN}\nold\n${REPORT_END}\ntail\n`
  const written = withReport(document, { 'p1-a': result('P1', 7), 'p2-b': result('P2', 3) })
  assert.ok(written.startsWith(`head\n${REPORT_BEGIN}\n`))
  assert.ok(written.endsWith(`${REPORT_END}\ntail\n`))
  assert.ok(!written.includes('old'))
  const circumstances =
    '2026-01-02 03:04 UTC; load 0.5 to 1.3, others 0.13 cores, 61 s; ' +
    'Z80, 1 cores, CP/M, Node v0; 3 rounds'
  const rows = [
    '- P1 is fast ([P1](../bench/p1-a.ts)).',
    `| **[P1](../bench/p1-a.ts)** | **How fast is P1?** ${circumstances} |  |  |  |`,
    '| P1 | P1 \\| ours | 7 ms | at least 5 | reached |',
    '| P1 | P1 \\| ours | 7 ms | at most 5 | void, the cores were busy |',
    '| P1 | a rival | skipped: it is not here |  |  |',
    '| P2 | P2 \\| ours | 3 ms | at least 5 | MISSED |',
    '4 wanted: 1 reached, 1 missed, 2 void. Median (low to high).',
  ]
  for (const row of rows) assert.ok(written.split('\n').includes(row), row)
  assert.throws(() => withReport('no marks', {}))
})

function read(name: string): string {
  return readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')
}

test('costs in docs/node.md are figures of P12', () => {
  const report: Report = JSON.parse(read('performance.json'))
  const figures = report['p12-event-counters']!.figures.map(({ median }) => figureText(median))
  const said = [...read('node.md').matchAll(/([\d.]+) ns\b/g)].map(([, figure]) => figure!)
  assert.ok(said.length >= 7)
  for (const figure of said) assert.ok(figures.includes(figure), `${figure} ns`)
})

test('docs/performance.md shows docs/performance.json, and every question is in it', () => {
  const report: Report = JSON.parse(read('performance.json'))
  assert.deepEqual(Object.keys(report), findQuestions())
  for (const [file, { name, date, machine, conditions, verdicts }] of Object.entries(report)) {
    assert.ok(file.startsWith(name.toLowerCase().replace(/\D+$/, '')), `${file} is ${name}`)
    assert.ok(Date.parse(date) > 0 && machine.cores > 0 && conditions.seconds > 0, file)
    assert.ok(verdicts.length > 0, `${file}: nothing is wanted`)
    for (const verdict of verdicts) {
      const { title, wanted, result } = verdict
      const isReached =
        wanted.bound === 'at least'
          ? verdict.median >= wanted.value
          : verdict.median <= wanted.value
      if (result !== 'void') assert.equal(result === 'reached', isReached, `${file}: ${title}`)
    }
  }
  const document = read('performance.md')
  assert.equal(document, withReport(document, report), 'npm run bench -- --report writes it')
})
