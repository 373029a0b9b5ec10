import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startHub, type TestHub } from '../../../../test/support/hub/hub.ts'
import { parseExposition, sampleTexts } from '../../../../test/support/outputs/exposition-parser.ts'
import type { TextFormat } from '../../../exposition/negotiation.ts'
import { Exposition, type PrometheusOptions } from '../../../http/export/prometheus/exposition.ts'
import { CounterFeed } from '../test/counter-feed.ts'

const FORMATS: readonly TextFormat[] = ['text', 'openmetrics']

interface Scraped {
  readonly text: string
  /** Without the labels of a feed: `name` to its value. */
  readonly values: Record<string, string>
}

function scrape({ hub }: TestHub, format: TextFormat, options: PrometheusOptions = {}) {
  const all = { createdSamples: false, ...options }
  const text = [...new Exposition(hub, all, { count: () => {} }).pieces(format)].join('')
  const values: Record<string, string> = {}
  for (const [key, value] of sampleTexts(parseExposition(withoutTimes(text), format))) {
    const labels = '{endpoint="127.0.0.1:4000",provider="Shop"}'
    if (key.endsWith(labels)) values[key.slice(0, -labels.length)] = value
  }
  const result: Scraped = { text, values }
  return result
}

/** The strict reader of tests takes no timestamps. */
function withoutTimes(text: string): string {
  return text.replace(/^((?!#).*\S) (\S+) [\d.]+$/gm, '$1 $2')
}

async function feeding(
  feed: (counters: CounterFeed, tick: () => void) => void,
  check: (started: TestHub) => void,
  options: Record<string, unknown> = {},
): Promise<void> {
  const started = await startHub(options)
  const counters = new CounterFeed(started.hub.createIngest('eventcounters'))
  try {
    feed(counters, () => started.clock.advance(1000))
    check(started)
  } finally {
    await started.hub.stop()
  }
}

suite('eventcounters under the standard names', () => {
  test('a Sum is a total, in base units and with its fraction', () =>
    feeding(
      (counters, tick) => {
        counters.sum('requests', 2)
        counters.sum('sent', 1.5, { units: 'KB' })
        counters.sum('time-in-jit', 250.5, { units: 'ms' })
        tick()
        counters.sum('requests', 3)
        counters.sum('sent', 0.25, { units: 'KB' })
        tick()
      },
      (started) => {
        for (const format of FORMATS) {
          assert.deepEqual(scrape(started, format).values, {
            shop_requests_total: '5',
            shop_sent_bytes_total: '1750',
            shop_time_in_jit_seconds_total: '0.2505',
          })
        }
        assert.match(scrape(started, 'openmetrics').text, /^# UNIT shop_sent_bytes bytes$/m)
      },
    ))

  test('a Mean of one sample is a gauge and no more', () =>
    feeding(
      (counters, tick) => {
        counters.mean('cpu-usage', [12], { units: '%' })
        tick()
      },
      (started) => {
        const { text, values } = scrape(started, 'text')
        assert.deepEqual(values, { shop_cpu_usage_ratio: '0.12' })
        assert.match(text, /^# TYPE shop_cpu_usage_ratio gauge$/m)
      },
    ))

  test('a Mean with statistics is the gauge of the last window, and a summary of all', () =>
    feeding(
      (counters, tick) => {
        counters.mean('request-time', [10, 20, 30], { units: 'ms' })
        tick()
        counters.mean('request-time', [5, 15], { units: 'ms' })
        tick()
      },
      (started) => {
        for (const format of FORMATS) {
          assert.deepEqual(scrape(started, format).values, {
            shop_request_time_seconds: '0.01',
            shop_request_time_seconds_max: '0.015',
            shop_request_time_seconds_min: '0.005',
            shop_request_time_seconds_samples_count: '5',
            shop_request_time_seconds_samples_sum: '0.08',
            shop_request_time_seconds_stddev: '0.005',
          })
        }
      },
    ))

  test('after a window without samples only the summary is there', () =>
    feeding(
      (counters, tick) => {
        counters.mean('request-time', [10, 20])
        tick()
        counters.mean('request-time', [])
        tick()
      },
      (started) => {
        assert.deepEqual(scrape(started, 'text').values, {
          shop_request_time_samples_count: '2',
          shop_request_time_samples_sum: '30',
        })
      },
    ))

  test('a gauge that becomes a summary keeps its name and loses no sample', () =>
    feeding(
      (counters, tick) => {
        counters.mean('t', [1])
        tick()
        counters.mean('t', [2, 6])
        tick()
        tick()
      },
      (started) => {
        const { values } = scrape(started, 'text')
        assert.equal(values.shop_t_samples_count, '3')
        assert.equal(values.shop_t_samples_sum, '9')
        assert.equal(Object.keys(values).filter((name) => name === 'shop_t').length, 1)
      },
    ))

  test('a counter named as a family of another steps aside', () =>
    feeding(
      (counters, tick) => {
        counters.mean('t', [1, 2])
        counters.mean('t_min', [5])
        counters.mean('t_samples', [6])
        tick()
      },
      (started) => {
        for (const format of FORMATS) {
          const { values } = scrape(started, format)
          assert.equal(values.shop_t_samples_summary_sum, '3')
          assert.equal(values.shop_t_samples_gauge, '6')
        }
        assert.match(scrape(started, 'text').text, /shop_t_min\{.*metric="t".*\} 1$/m)
        assert.match(scrape(started, 'text').text, /shop_t_min\{.*metric="t_min".*\} 5$/m)
      },
    ))

  test('moving averages are in the unit of the total', () =>
    feeding(
      (counters, tick) => {
        for (let second = 0; second < 7; second++) {
          counters.sum('sent', 2, { units: 'KB' })
          tick()
        }
      },
      (started) => {
        const { values } = scrape(started, 'text', { exportRates: true })
        assert.equal(values.shop_sent_bytes_m1_rate, '2000')
      },
    ))
})

suite("eventcounters under dotnet-monitor's names", () => {
  const options = { eventcounters: { prometheusNames: 'dotnet-monitor' } }

  test('everything is a gauge of the last interval and says when that ended', () =>
    feeding(
      (counters, tick) => {
        counters.sum('alloc-rate', 1000, { units: 'B' })
        counters.mean('cpu-usage', [12], { units: '%' })
        counters.mean('heap', [5, 7], { units: 'MB' })
        tick()
        counters.sum('alloc-rate', 731.5, { units: 'B' })
        tick()
      },
      (started) => {
        for (const format of FORMATS) {
          const { text, values } = scrape(started, format)
          assert.deepEqual(values, {
            shop_alloc_rate_bytes: '731.5',
            shop_cpu_usage_ratio: '12',
            shop_heap_bytes: '6000000',
          })
          const endMs = started.clock.wallMs()
          const end = format === 'text' ? endMs : endMs / 1000
          assert.match(text, new RegExp(`^shop_alloc_rate_bytes{.*} 731.5 ${end}$`, 'm'))
          assert.match(text, /^# TYPE shop_alloc_rate_bytes gauge$/m)
          assert.doesNotMatch(text, /^shop_.*_total/m)
        }
      },
      options,
    ))

  test('series of other dialects keep their names and carry no time', async () => {
    const started = await startHub(options)
    const ingest = started.hub.createIngest('statshero')
    const key = new TextEncoder().encode('a')
    const slot = ingest.slot(key, 0, 1, 0, 1, () => ({
      identity: { name: 'a', kind: 'counter', labels: [] },
      metadata: { dialect: 'statshero' },
    }))
    ingest.count(slot, 3, 1)
    started.clock.advance(1000)
    assert.match(scrape(started, 'text').text, /^a_total 3$/m)
    await started.hub.stop()
  })
})
