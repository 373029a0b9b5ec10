import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { parseFilter } from '../../codec/filter.ts'
import { FakeCounterClient } from '../../test/fake-counter-client.ts'
import { httpFeed } from '../http-feed.ts'
import { monitorAsLines } from './json-lines.ts'
import type { Threshold } from './threshold.ts'

class FakeProcess extends EventEmitter {
  exit(): void {}
}

class TextOutput {
  text = ''
  writableLength = 0
  write(text: string): void {
    this.text += text
  }
}

interface Asked {
  readonly counters?: string | undefined
  readonly series?: string
  readonly filter?: string
}

function reading(thresholds: readonly Threshold[] = [], seriesLimit = 10, asked: Asked = {}) {
  const output = new TextOutput()
  const errors = new TextOutput()
  const process = new FakeProcess()
  const clock = new FakeClock()
  const client = new FakeCounterClient()
  const { counters, filter = '' } = asked
  const options = { url: 'http://127.0.0.1:4000', intervalMs: 1000, counters }
  const request = {
    open: httpFeed(options, client.connect),
    filter: counters === undefined ? undefined : parseFilter(counters),
    namesCounters: counters !== undefined,
    ...{ intervalMs: 1000, durationMs: undefined, seriesLimit },
  }
  const parts = { output, errors, process, clock }
  const done = monitorAsLines(request, { views: ['raw'], thresholds, filter }, parts)
  client.open(asked.series)
  const lines = () =>
    output.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  return { client, output, errors, process, clock, done, lines }
}

test('one JSON line per window with all its figures, and no control byte', () => {
  const { client, lines, output } = reading()
  const tags = { country: 'DE' }
  const scaled = { rateScaleSec: 60, intervalSec: 2, seriesMs: 2000 }
  client.tell({ name: 'orders', displayName: 'Orders', tags, ...scaled, increment: 4 })
  client.tell({ name: 'orders', displayName: 'Orders', tags, ...scaled, increment: 6 })
  client.tell({ name: 'heap', units: 'MB', mean: 12.5 })
  const common = { time: '2026-01-02T03:04:05.006Z', provider: 'Shop' }
  const orders = {
    ...common,
    ...{ name: 'orders', displayName: 'Orders', units: '', tags, intervalSec: 2, type: 'Sum' },
  }
  const heap = {
    ...common,
    ...{ name: 'heap', displayName: '', units: 'MB', tags: {}, intervalSec: 1, type: 'Mean' },
  }
  assert.deepEqual(lines(), [
    { ...orders, increment: 4, rate: 120, rateScaleSec: 60, perMinute: 120, total: 4, delta: null },
    { ...orders, increment: 6, rate: 180, rateScaleSec: 60, perMinute: 180, total: 10, delta: 2 },
    { ...heap, mean: 12.5, count: 1, standardDeviation: 0, min: 12.5, max: 12.5, delta: null },
  ])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none but the ends of lines
  assert.doesNotMatch(output.text, /[\u0000-\u0009\u000b-\u001f\u007f]/)
})

test('SIGQUIT says what was seen', () => {
  const { client, errors, process } = reading()
  client.tell({ name: 'heap', mean: 1 })
  process.emit('SIGQUIT')
  assert.match(errors.text, /\nseen 0 s, 1 series, 0 errors\n/)
})

test('numbers that JSON does not have are null', () => {
  const { client, lines } = reading()
  client.tellLines(
    '{"Name":"a","CounterType":"Mean","Mean":null,"StandardDeviation":null,"Count":0,' +
      '"Min":null,"Max":null,"Series":"Interval=1","MetaData":""}\n',
  )
  const [{ mean, standardDeviation, min, max, intervalSec, count }] = lines()
  const numbers = [mean, standardDeviation, min, max, intervalSec, count]
  assert.deepEqual(numbers, [null, null, null, null, null, 0])
})

test('connections are told on the other stream, and a gap has no delta', async () => {
  const { client, lines, errors, process, clock, done } = reading()
  client.tell({ name: 'a', mean: 1 })
  client.lose({ message: 'the connection broke' }, 250)
  client.open()
  client.tell({ name: 'a', mean: 2 })
  assert.equal(lines()[1].delta, null)
  clock.advance(61_000)
  process.emit('SIGINT')
  await done
  assert.deepEqual(errors.text.split('\n'), [
    'reading from 127.0.0.1:4000',
    'the connection broke, next attempt in 250 ms',
    'reading from 127.0.0.1:4000',
    'seen 1 m 01 s, 1 series, 1 error',
    '',
  ])
  assert.equal(clock.pending, 0)
})

test('a reader that is too slow loses whole lines, and is told how many', async () => {
  const { client, lines, output, errors, process, done } = reading()
  client.tell({ name: 'a', mean: 1 })
  output.writableLength = 2_000_000
  client.tell({ name: 'a', mean: 2 }, { name: 'a', mean: 3 })
  output.writableLength = 0
  client.tell({ name: 'a', mean: 4 })
  assert.deepEqual(
    lines().map(({ mean }) => mean),
    [1, 4],
  )
  process.emit('SIGTERM')
  await done
  assert.match(errors.text, /2 lines skipped/)
})

test('a value past its threshold says so', () => {
  const { client, lines } = reading([{ counter: 'a', isAbove: false, value: 0 }])
  client.tell({ name: 'a', mean: 1 }, { name: 'a', mean: -1 })
  assert.deepEqual(
    lines().map(({ isOver }) => isOver),
    [undefined, true],
  )
})

test('series beyond the limit are left out and counted', async () => {
  const { client, lines, errors, process, done } = reading([], 1)
  client.tell({ name: 'a', mean: 1 }, { name: 'b', mean: 1 }, { name: 'a', mean: 1 })
  assert.equal(lines().length, 2)
  process.emit('SIGINT')
  await done
  assert.match(errors.text, /1 windows? beyond --max-time-series/)
})

for (const [what, counters, series, ms, advice] of [
  [
    'two whole intervals',
    undefined,
    'Interval=1',
    2250,
    /seen 2 s.*\n {2}no counters there so far\n$/,
  ],
  [
    'names that nothing has',
    'Shpo',
    'Interval=1',
    2250,
    /\n {2}no counter of the names in --counters\n$/,
  ],
  [
    'names whose first window may still come',
    'Shpo',
    'Interval=1',
    1250,
    /\n {2}no counter of the names in --counters yet: the first may take two intervals\n$/,
  ],
  ['less than an interval', 'Shpo', 'Interval=1', 900, /seen 0 s, 0 series, 0 errors\n$/],
  ['an interval of the address', 'Shpo', 'Interval=60', 9000, /seen 9 s, 0 series, 0 errors\n$/],
  ['no interval', undefined, 'none', 1, /\n {2}the address asks for no interval: nothing will/],
] as const) {
  test(`where nothing came the end says what may be wrong: ${what}`, async () => {
    const { errors, process, clock, done } = reading([], 10, { counters, series })
    clock.advance(ms)
    process.emit('SIGINT')
    await done
    assert.match(errors.text, advice)
  })
}

test('what a hub counts of itself is left out, and what the filter does not match', () => {
  const own = { provider: 'hub', name: 'pentameter.series', mean: 67 }
  const told = [own, { name: 'orders', increment: 1 }, { name: 'heap', mean: 2 }]
  for (const [asked, names] of [
    [{}, ['orders', 'heap']],
    [{ filter: 'shop he*p' }, ['heap']],
    [{ filter: 'pentameter' }, ['pentameter.series']],
    [{ counters: 'hub' }, ['pentameter.series']],
  ] as const) {
    const { client, lines } = reading([], 10, asked)
    client.tell(...told)
    assert.deepEqual(
      lines().map(({ name }) => name),
      names,
    )
  }
})
