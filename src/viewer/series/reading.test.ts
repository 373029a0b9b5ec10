import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeSeries } from '../../../test/support/series-info.ts'
import type { SeriesInfo } from '../../http/api.ts'
import { SeriesData } from '../store/series-data.ts'
import { changeColumn, emptyWordsOf, type ReadingContext, readSeries } from './reading.ts'

const NOW = 1_800_000_000
const INFO = fakeSeries({ lastDataMs: NOW * 1000, current: 1000 })
const USUAL = { recent: 12, usual: 12, ratio: 1, score: 0, since: 0 }

function context(part: Partial<ReadingContext> = {}): ReadingContext {
  return {
    info: INFO,
    second: NOW,
    hasCursor: false,
    isStale: false,
    lastDataMs: NOW * 1000,
    nowMs: NOW * 1000 + 300,
    finding: USUAL,
    per: '',
    ...part,
  }
}

function counter(): SeriesData {
  const data = new SeriesData('counter')
  for (let i = -4; i <= 2; i += 1) data.write(NOW + i, 10 + i)
  data.cover(NOW - 5, NOW + 2)
  return data
}

const plain = (words: string): string => words.replace(/[\u00a0\u2002\u202f]/g, ' ')

test('a counter reads as its rate and its total', () => {
  const reading = readSeries(counter(), context())
  assert.deepEqual(reading.main, ['10.0', '/s'])
  assert.equal(plain(reading.sub), 'total 1 000')
  assert.ok(!reading.isWarning)
})

test('while the hub is away, what was known last says its age, but not at a cursor', () => {
  assert.equal(plain(readSeries(counter(), context({ awayS: 2 })).sub), 'total 1 000')
  const away = readSeries(counter(), context({ awayS: 9 }))
  assert.deepEqual([away.main, plain(away.sub)], [['10.0', '/s'], '9 s ago'])
  const chosen = context({ awayS: 9, hasCursor: true })
  assert.equal(plain(readSeries(counter(), chosen).sub), 'total 1 000')
})

test('a counter reads per the time its sender chose, or the person who looks', () => {
  const info = { ...INFO, rateTimeScaleS: 60 }
  assert.deepEqual(readSeries(counter(), context({ info })).main, ['600', '/min'])
  assert.deepEqual(readSeries(counter(), context({ info, per: 's' })).main, ['10.0', '/s'])
  const hourly = readSeries(counter(), context({ info, per: 'h' }))
  assert.deepEqual(hourly.main, ['36.0', 'k/h'])
  assert.equal(plain(hourly.sub), 'total 1 000')
})

test('while the newest seconds are being read, the last one stays, and says its age', () => {
  const read = (second: number) => readSeries(counter(), context({ second }))
  assert.deepEqual(read(NOW + 3).main, ['12.0', '/s'])
  assert.equal(plain(read(NOW + 3).sub), 'total 1 023')
  assert.equal(plain(read(NOW + 7).sub), '5 s ago')
  assert.deepEqual(read(NOW + 63).main, ['–', ''])
  const cursor = readSeries(counter(), context({ second: NOW + 3, hasCursor: true }))
  assert.deepEqual(cursor.main, ['–', ''], 'the cursor is at an instant')
})

test('the total follows the second, forwards and backwards', () => {
  const data = counter()
  const total = (second: number, info = INFO): string =>
    plain(readSeries(data, context({ info, second })).sub)
  assert.equal(total(NOW + 2), 'total 1 023')
  assert.equal(total(NOW - 2), 'total 981')
  const large = { ...INFO, current: '18446744073709551000' }
  assert.equal(total(NOW + 1, large), 'total 18 446 744 073 709 551 011')
  assert.equal(total(NOW - 20), '')
})

test('a distribution reads as p99, with p50 and p90 below it', () => {
  const data = new SeriesData('histogram')
  data.write(NOW, {
    count: 5,
    sum: null,
    min: null,
    max: null,
    p50: 16.8,
    p90: 50.5,
    p99: 115.2,
    scale: 0,
    offset: 0,
    counts: [5],
    zero: 0,
    negative: 0,
  })
  const info: SeriesInfo = { ...INFO, kind: 'histogram', unit: 'ms' }
  const reading = readSeries(data, context({ info }))
  assert.equal(reading.caption, 'p99')
  assert.deepEqual(reading.main, ['115', 'ms'])
  assert.equal(plain(reading.sub), 'p50 16.8 ms p90 50.5 ms')
})

test('what is unusual says since when, unless a cursor stands', () => {
  const finding = { recent: 48, usual: 12, ratio: 4, score: 9, since: NOW - 40 }
  assert.match(readSeries(counter(), context({ finding })).sub, /^4\.0× since \d\d:\d\d:\d\d$/)
  assert.match(readSeries(counter(), context({ finding, hasCursor: true })).sub, /^total/)
  assert.deepEqual(changeColumn(context({ finding })), { words: '4.0×', isWarning: true })
})

test('a factor across zero says nothing: then it says from where', () => {
  const finding = { recent: 3, usual: -2, ratio: -1.5, score: 9, since: NOW - 40 }
  assert.equal(changeColumn(context({ finding })).words, 'from \u22122')
})

test('a stale series has no value and says when its last data came', () => {
  const gone = context({ isStale: true, lastDataMs: NOW * 1000 - 252_000 })
  const reading = readSeries(counter(), gone)
  assert.deepEqual(reading.main, ['–', ''])
  assert.equal(plain(reading.sub), 'last data 4 min ago')
  assert.ok(reading.isWarning)
})

test('without data there is a dash and nothing else', () => {
  const reading = readSeries(undefined, context())
  assert.deepEqual([reading.caption, reading.main, reading.sub], ['', ['–', ''], ''])
})

test('a summary reads as its mean, with its range below it', () => {
  const data = new SeriesData('summary')
  data.write(NOW, { count: 5, mean: 12, deviation: 2, min: 9, max: 15.5 })
  const info: SeriesInfo = { ...INFO, kind: 'summary', unit: 'ms' }
  const reading = readSeries(data, context({ info }))
  assert.equal(reading.caption, 'mean')
  assert.deepEqual(reading.main, ['12.0', 'ms'])
  assert.equal(plain(reading.sub), 'min 9.00 ms max 15.5 ms')
})

test('the total of a counter that grows by fractions keeps them', () => {
  const data = new SeriesData('counter')
  data.write(NOW, 0.5)
  data.write(NOW + 1, 0.25)
  data.cover(NOW - 1, NOW + 1)
  const info = { ...INFO, current: 7.5 }
  assert.equal(plain(readSeries(data, context({ info, second: NOW + 1 })).sub), 'total 7.75')
  assert.equal(plain(readSeries(data, context({ info, second: NOW })).sub), 'total 7.5')
})

test('only what was read is known to be empty', () => {
  const data = new SeriesData('counter')
  const now = 1_800_000_000
  assert.equal(emptyWordsOf(data, now - 60), '')
  data.cover(now - 60, now)
  assert.equal(emptyWordsOf(data, now - 60), 'nothing in this window')
  assert.equal(emptyWordsOf(data, now - 120), '')
})

test('a distribution that is seldom observed keeps its last value, and says its age', () => {
  const data = new SeriesData('summary')
  data.write(NOW - 20, { count: 5, mean: 12, deviation: 2, min: 9, max: 15.5 })
  for (let at = NOW - 19; at <= NOW; at += 1) data.writeQuiet(at, false)
  const info: SeriesInfo = { ...INFO, kind: 'summary', unit: 'ms' }
  const at = (second: number, hasCursor = false) =>
    readSeries(data, context({ info, second, hasCursor }))
  assert.deepEqual(at(NOW - 18).main, ['12.0', 'ms'])
  assert.equal(plain(at(NOW - 18).sub), 'min 9.00 ms max 15.5 ms')
  assert.deepEqual([at(NOW).caption, at(NOW).main], ['mean', ['12.0', 'ms']])
  assert.equal(plain(at(NOW).sub), '20 s ago')
  assert.deepEqual(at(NOW, true).main, ['–', ''], 'at the cursor there was none')
})
