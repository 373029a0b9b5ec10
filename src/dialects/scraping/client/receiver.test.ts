/** Answers of a target into the model: what of them is new, what has ended, and what is refused. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { RecordedReports } from '../../../../test/support/recorded-reports.ts'
import { fromHex } from '../../../model/index.ts'
import { runNow } from '../../../time/task.ts'
import { defaultsOf } from '../../options.ts'
import type { Format } from '../codec/formats.ts'
import { type JobConfig, OPTIONS } from '../options.ts'
import { scrapeTarget } from './address.ts'
import { Receiver } from './receiver.ts'

const PEER = { transport: 'tcp', address: '10.0.0.9', port: 9100 } as const
const NOW_MS = 1_700_000_000_000
const JOB: JobConfig = {
  ...{ name: 'j', targets: [], scheme: 'http', path: '/metrics', labels: {}, intervalMs: 0 },
  ...{ timeoutMs: 0, honorLabels: false, relabel: [], metricRelabel: [] },
}
const RULE = {
  ...{ sourceLabels: ['__name__'], separator: ';', targetLabel: '', replacement: '$1' },
  action: 'drop',
} as const

interface Setup {
  readonly job?: Partial<JobConfig>
  readonly bytesLimit?: number
  readonly samplesLimit?: number
  readonly labelsLimit?: number
}

class Hub {
  readonly ingest = new ModelIngest()
  readonly reports = new RecordedReports()
  readonly receiver: Receiver
  nowMs = NOW_MS

  constructor({ job = {}, ...limits }: Setup = {}) {
    const url = 'prometheus+http://10.0.0.9:9100?job=j'
    const options = { ...defaultsOf(OPTIONS), jobs: [{ ...JOB, ...job }] }
    this.receiver = new Receiver({
      target: scrapeTarget({ ...PEER, host: PEER.address, url }, options)!,
      ...{ ingest: this.ingest, reports: this.reports, peer: PEER, sinceMs: NOW_MS },
      ...{ bytesLimit: 1e6, samplesLimit: 1000, labelsLimit: 64, ...limits },
    })
  }

  /** Takes an answer a second later. @returns why nothing of it was taken, and samples kept */
  scrape(answer: string | Uint8Array, format: Format = 'openmetrics') {
    this.nowMs += 1000
    const end = format === 'openmetrics' ? '# EOF\n' : ''
    const bytes = typeof answer === 'string' ? new TextEncoder().encode(answer + end) : answer
    return runNow(this.receiver.take(bytes, format, this.nowMs))
  }

  /** Kinds and totals by name. */
  get totals(): Record<string, unknown> {
    return Object.fromEntries(
      this.ingest.series.map(({ identity, total, value, histogram, summary }) => {
        const { name, kind } = identity
        const held = { counter: total, gauge: value, histogram: histogram.count }
        return [`${kind} ${name}`, kind === 'summary' ? summary.count : held[kind]]
      }),
    )
  }

  labels(name: string): Readonly<Record<string, string>> {
    const found = this.ingest.series.find(({ identity }) => identity.name === name)
    return Object.fromEntries(found?.identity.labels ?? [])
  }
}

suite('a counter', () => {
  const counter = (value: number | string, created = '') =>
    `# TYPE hits counter\nhits_total ${value}\n${created && `hits_created ${created}\n`}`

  test('gains what its samples differ by, to the last digit, over the time between scrapes', () => {
    const hub = new Hub()
    for (const value of ['9007199254740993', '9007199254740996']) hub.scrape(counter(value))
    assert.deepEqual(hub.totals, { 'counter hits_total': 3 })
    assert.ok(Number.isNaN(hub.ingest.series[0]!.windowSec))
    hub.ingest.series[0]!.windowSec = 0
    hub.scrape(counter('9007199254740996'))
    assert.equal(hub.ingest.series[0]!.windowSec, 1)
  })

  test('that falls has begun anew', () => {
    const hub = new Hub()
    for (const value of [5, 7, 3]) hub.scrape(counter(value))
    assert.deepEqual(hub.totals, { 'counter hits_total': 5 })
    assert.equal(hub.ingest.counted.unannounced_reset, 1)
  })

  test('that says it began since the last scrape is new as a whole', () => {
    const hub = new Hub()
    hub.scrape('')
    hub.scrape(counter(40, String(NOW_MS / 1000 + 1.5)))
    assert.deepEqual(hub.totals, { 'counter hits_total': 40 })
    const old = new Hub()
    old.scrape(counter(40, String(NOW_MS / 1000 - 1)))
    assert.deepEqual(old.totals, { 'counter hits_total': 0 })
  })

  test('that says a later begin was reset, even where it is not smaller', () => {
    const hub = new Hub()
    hub.scrape(counter(5, String(NOW_MS / 1000 - 100)))
    hub.scrape(counter(6, String(NOW_MS / 1000 + 1.5)))
    assert.deepEqual(hub.totals, { 'counter hits_total': 6 })
    assert.equal(hub.ingest.counted.reset, 1)
  })

  test('goes on where it was when it is back', () => {
    const hub = new Hub()
    for (const answer of [counter(5), '', counter(8)]) hub.scrape(answer)
    assert.deepEqual(hub.totals, { 'counter hits_total': 3 })
  })

  test('is told by its name where no type is', () => {
    const hub = new Hub()
    const answer = 'a_total 1\na_count 1\na_bucket{le="1"} 1\na_bucket 1\na 1\n'
    hub.scrape(answer, 'text')
    assert.deepEqual(Object.keys(hub.totals), [
      ...['counter a_total', 'counter a_count', 'counter a_bucket', 'gauge a_bucket', 'gauge a'],
    ])
  })
})

suite('a gauge', () => {
  test('has the last value, and ends when it comes no more, is no number, or nothing comes', () => {
    const hub = new Hub()
    const gauge = (value: string) => hub.scrape(`a ${value}\n`, 'text')
    const value = () => hub.totals['gauge a']
    gauge('-1.5')
    assert.equal(value(), -1.5)
    hub.scrape('b 1\n', 'text')
    assert.ok(Number.isNaN(value()))
    assert.equal(hub.ingest.counted.stale, 1)
    gauge('2')
    assert.equal(value(), 2)
    gauge('NaN')
    assert.ok(Number.isNaN(value()))
    gauge('3')
    hub.receiver.lose()
    assert.ok(Number.isNaN(value()))
  })

  test('with a time of its own is refused where that is of the past, or far ahead', () => {
    const hub = new Hub()
    const answer = (ms: number) => hub.scrape(`a 1 ${ms}\n`, 'text')
    answer(NOW_MS)
    assert.equal(answer(NOW_MS - 1).rejected, 1)
    assert.equal(answer(NOW_MS + 700_000).rejected, 1)
    assert.equal(answer(NOW_MS - 400_000).rejected, 1)
    const { out_of_order, clock_ahead } = hub.ingest.counted
    assert.deepEqual([out_of_order, clock_ahead], [2, 1])
    hub.scrape(`old 1 ${NOW_MS - 400_000}\n`, 'text')
    assert.equal(hub.ingest.counted.late, 1)
  })
})

suite('a histogram', () => {
  const histogram = (counts: readonly number[], sum: number) =>
    `# TYPE took histogram\n# UNIT took seconds\n# HELP took Time\n${counts
      .map((n, i) => `took_bucket{le="${['0.1', '1.0', '+Inf'][i]}",page="a"} ${n}\n`)
      .join('')}took_sum{page="a"} ${sum}\ntook_count{page="a"} ${counts.at(-1)}\n`

  test('is made of its buckets, with their bounds, and gains what is new in each', () => {
    const hub = new Hub()
    hub.scrape(histogram([1, 2, 5], 10))
    hub.scrape(histogram([2, 5, 9], 20.5))
    const [series] = hub.ingest.series
    const { identity, metadata, histogram: gained } = series!
    assert.deepEqual([identity.name, identity.kind], ['took', 'histogram'])
    assert.equal(hub.labels('took').page, 'a')
    assert.equal(hub.labels('took').le, undefined)
    assert.deepEqual(metadata.bounds, [0.1, 1])
    assert.deepEqual([metadata.unit, metadata.description], ['seconds', 'Time'])
    assert.deepEqual([gained.count, gained.sum], [4n, 10.5])
    assert.deepEqual([...gained.positive.counts].slice(0, 3), [1n, 2n, 1n])
    assert.equal(hub.ingest.series.length, 1)
  })

  test('that falls has begun anew, and other buckets are another histogram', () => {
    const hub = new Hub()
    hub.scrape(histogram([1, 2, 5], 10))
    hub.scrape(histogram([1, 1, 2], 3))
    assert.deepEqual(hub.totals, { 'histogram took': 2n })
    hub.scrape('# TYPE took histogram\ntook_bucket{le="+Inf",page="a"} 3\ntook_count{page="a"} 3\n')
    assert.deepEqual(hub.totals, { 'histogram took': 5n })
    assert.equal(hub.ingest.counted.unannounced_reset, 2)
  })

  test('whose buckets do not fit together costs itself', () => {
    const hub = new Hub()
    const head = '# TYPE h histogram\n'
    for (const [answer, code] of [
      ['h_bucket{le="1"} 3\nh_bucket{le="+Inf"} 2\nh_count 2\n', 'bad_buckets'],
      ['h_sum 1\n', 'bad_buckets'],
      ['h_bucket{le="x"} 3\n', 'bad_buckets'],
      ['h_bucket{le="1"} 1.5\n', 'float_counts'],
      ['h_bucket{le="1"} -1\n', 'bad_value'],
    ] as const) {
      hub.scrape(`${head}${answer}good 1\n`)
      assert.equal(hub.reports.errors.at(-1)?.code, code, answer)
    }
    assert.deepEqual(hub.totals, { 'gauge good': 1 })
  })

  test('of protobuf is whole: buckets by powers of two', () => {
    const hub = new Hub()
    // schema 0: a zero bucket of 1, 1 and then 3 in (1, 2], 5 in (4, 8], 2 in [-1, -0.5)
    const first =
      '3c0a016e1200180422333a310809110000000000003440280031fca9f1d24d62503f38014a040800' +
      '10015201046204080210016204080210016a020208'
    const second =
      '3c0a016e1200180422333a31080b110000000000003a40280031fca9f1d24d62503f38014a040800' +
      '10015201046204080210016204080210016a020604'
    hub.scrape(fromHex(first), 'protobuf')
    hub.scrape(fromHex(second), 'protobuf')
    assert.deepEqual(hub.reports.errors, [])
    const { histogram: gained, identity } = hub.ingest.series[0]!
    assert.deepEqual([identity.name, gained.count, gained.sum], ['n', 2n, 6])
    assert.deepEqual(gained.positive.total(), 2n)
  })
})

test('a summary is one of count and sum, and its quantiles are gauges', () => {
  const hub = new Hub()
  const summary = (p99: number, sum: number, count: number) =>
    hub.scrape(`# TYPE s summary\ns{quantile="0.99"} ${p99}\ns_sum ${sum}\ns_count ${count}\n`)
  summary(7, 10, 2)
  summary(8, 16, 4)
  assert.deepEqual(hub.totals, { 'gauge s.p99': 8, 'summary s': 2 })
  const { lastSummary } = hub.ingest.series.find(({ identity }) => identity.kind === 'summary')!
  assert.deepEqual([lastSummary.count, lastSummary.mean], [2, 3])
})

suite('labels', () => {
  test('of the target are those of all series, and those of samples are renamed', () => {
    const hub = new Hub({ job: { labels: { env: 'test' } } })
    hub.scrape('a{job="own",exported_job="x",b="c"} 1\n', 'text')
    assert.deepEqual(hub.labels('a'), {
      ...{ b: 'c', env: 'test', instance: '10.0.0.9:9100', job: 'j' },
      ...{ exported_exported_job: 'own', exported_job: 'x' },
    })
  })

  test('of samples win where they are honored', () => {
    const hub = new Hub({ job: { honorLabels: true } })
    hub.scrape('a{job="own"} 1\n', 'text')
    assert.deepEqual(hub.labels('a'), { instance: '10.0.0.9:9100', job: 'own' })
  })

  test('and names change, or samples are left out, by the rules of a job', () => {
    const rename = {
      ...RULE,
      regex: 'old_(.*)',
      targetLabel: '__name__',
      action: 'replace',
    } as const
    const lose = { ...RULE, regex: 'tmp', action: 'labeldrop' } as const
    const job = { metricRelabel: [{ ...RULE, regex: 'go_.*' }, rename, lose] }
    const hub = new Hub({ job })
    for (let i = 0; i < 2; i++) {
      const taken = hub.scrape('go_threads 1\nold_a{tmp="1"} 2\nb 3\n', 'text')
      assert.deepEqual([taken.samples, taken.kept, taken.added], [3, 2, i === 0 ? 2 : 0])
    }
    assert.deepEqual(hub.totals, { 'gauge a': 2, 'gauge b': 3 })
    assert.equal(hub.labels('a').tmp, undefined)
  })

  test('of a sample that has passed this target before say that hubs scrape each other', () => {
    const hub = new Hub()
    const own = '10.0.0.9:9100'
    hub.scrape(
      `a{instance="${own}"} 1\nb{instance="${own}",exported_instance="${own}"} 1\n`,
      'text',
    )
    assert.deepEqual(hub.totals, { 'gauge a': 1 })
    assert.equal(hub.ingest.counted.hub_loop, 1)
  })
})

suite('an answer', () => {
  test('is taken as a whole or not at all', () => {
    const hub = new Hub({ samplesLimit: 3 })
    const cut = new TextEncoder().encode('a 1\nb 1')
    assert.equal(hub.scrape(cut, 'text').failure, 'cut_off')
    assert.equal(hub.scrape(new TextEncoder().encode('a 1\n'), 'openmetrics').failure, 'cut_off')
    assert.equal(hub.scrape('a 1\nb 1\nc 1\nd 1\n').failure, 'samples_limit')
    assert.equal(hub.scrape(Uint8Array.of(9, 1), 'protobuf').failure, 'bad_protobuf')
    assert.equal(hub.scrape('<html>\n</html>\n', 'text').failure, 'bad_line')
    assert.equal(hub.ingest.series.length, 0)
    assert.equal(hub.scrape('').failure, undefined)
  })

  test('with lines that can’t be read costs these lines', () => {
    const hub = new Hub({ labelsLimit: 4 })
    const labels = Array.from({ length: 5 }, (_, i) => `l${i}="1"`).join()
    const { rejected, failure } = hub.scrape(`a\nb{ 1\nc 1\nc 2\nd{${labels}} 1\n`, 'text')
    assert.deepEqual([rejected, failure], [4, undefined])
    assert.deepEqual(hub.totals, { 'gauge c': 1 })
    assert.deepEqual(hub.ingest.counted, { duplicate: 1 })
    const codes = hub.reports.errors.map(({ code }) => code)
    assert.deepEqual(codes, ['bad_line', 'bad_line', 'labels_limit'])
  })

  test('of ever new series finds its memory bounded, and makes room by what is gone', () => {
    const hub = new Hub({ bytesLimit: 12_000 })
    for (let i = 0; i < 20; i++) hub.scrape(`a{n="${i}"} 1\n`, 'text')
    assert.equal(hub.ingest.series.length, 20)
    assert.ok(hub.receiver.size < 12, String(hub.receiver.size))
    const many = Array.from({ length: 20 }, (_, i) => `b{n="${i}"} 1\n`).join('')
    hub.scrape(many, 'text')
    assert.ok((hub.ingest.counted.attached_bytes_limit ?? 0) > 5)
  })

  test('of more series than there is room for ends at the limit of samples', () => {
    const hub = new Hub({ bytesLimit: 12_000, samplesLimit: 100 })
    const many = Array.from({ length: 1000 }, (_, i) => `b{n="${i}"} 1\n`).join('')
    const { failure, samples } = hub.scrape(many, 'text')
    assert.deepEqual([failure, samples], ['samples_limit', 101])
    assert.ok(hub.receiver.size < 12, String(hub.receiver.size))
  })
})

test('exemplars are kept beside their series, with the time of their sample or their own', () => {
  const hub = new Hub()
  hub.scrape(
    '# TYPE hits counter\nhits_total 3 # {trace_id="a"} 1 12.5\n' +
      '# TYPE took histogram\ntook_bucket{le="1"} 1 # {trace_id="b"} 0.5\n' +
      'took_bucket{le="+Inf"} 2\n',
    'openmetrics',
  )
  const { exemplars } = hub.ingest
  assert.deepEqual(
    exemplars.map(([name, { value, timeMs, labels }]) => [name, value, timeMs, labels]),
    [
      ['hits_total', 1, 12_500, [['trace_id', 'a']]],
      ['took', 0.5, hub.nowMs, [['trace_id', 'b']]],
    ],
  )
})
