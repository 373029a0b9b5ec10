/** P18: points of OTLP into a hub, by the processor time of one core, against protobufjs alone. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { NO_REPORTS } from '../src/dialects/endpoints.ts'
import { countingPoints } from '../src/dialects/opentelemetry/codec/request.ts'
import { RESOURCE_METRICS } from '../src/dialects/opentelemetry/codec/schema.ts'
import { encodeOpenTelemetry } from '../src/dialects/opentelemetry/codec.ts'
import { Receiver } from '../src/dialects/opentelemetry/hub/receiver.ts'
import { Streams } from '../src/dialects/opentelemetry/hub/streams.ts'
import { GUESTS } from '../src/dialects/registry.ts'
import { parseConfig } from '../src/hub/config/config.ts'
import { Hub } from '../src/hub/hub.ts'
import { systemClock } from '../src/time/system-clock.ts'
import { runNow } from '../src/time/task.ts'
import type { Field, Schema } from '../src/wire/protobuf/schema.ts'
import { FREE_PORTS } from '../test/support/ports.ts'
import { processorSeconds } from './measure/own-cpu.ts'
import { atLeast, type Contender, figureOf, interleave, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'

const WARM_UPS = 2
const ROUNDS = 7
const METRICS = 100
const POINTS = 100
const REQUESTS = 20
const PEER = { transport: 'tcp', address: '127.0.0.1', port: 4000 } as const
const START = '1700000000000000001'
const PROTOBUFJS = 'protobufjs'

// before anything is compiled; of programs that start with it or without, it is the rival's best
setFlagsFromString('--no-allocation-site-pretenuring')

const sums = requests('sum')
const histograms = requests('histogram')

/** Requests of the same cumulative streams, a second apart. */
function requests(kind: 'sum' | 'histogram'): Uint8Array[] {
  return Array.from({ length: REQUESTS }, (_, second) => {
    const metrics = Array.from({ length: METRICS }, (_, i) => {
      const dataPoints = Array.from({ length: POINTS }, (_, j) => pointOf(kind, j, second))
      const facts = { aggregationTemporality: 2, dataPoints }
      const data = kind === 'sum' ? { sum: { ...facts, isMonotonic: true } } : { histogram: facts }
      return { name: `http.server.request.${i}`, unit: 's', description: 'Requests', ...data }
    })
    const attributes = [pair('service.name', 'shop'), pair('host.name', 'web-1')]
    return encodeOpenTelemetry([{ resource: { attributes }, scopeMetrics: [{ metrics }] }])[0]!
  })
}

function pair(key: string, stringValue: string) {
  return { key, value: { stringValue } }
}

function pointOf(kind: 'sum' | 'histogram', j: number, second: number) {
  const attributes = [
    pair('http.request.method', 'GET'),
    pair('http.route', `/api/v1/orders/${j}`),
    pair('http.response.status_code', '200'),
  ]
  const timeUnixNano = String(1_700_000_001_000_000_000n + BigInt(second) * 1_000_000_000n)
  const head = { attributes, startTimeUnixNano: START, timeUnixNano }
  if (kind === 'sum') return { ...head, asInt: 1000 + second * 7 }
  const bucketCounts = Array.from({ length: 15 }, (_, i) => 100 + second * i)
  const count = bucketCounts.reduce((all, each) => all + each, 0)
  const explicitBounds = Array.from({ length: 14 }, (_, i) => 0.005 * 2 ** i)
  return { ...head, count, sum: count / 3, bucketCounts, explicitBounds }
}

const dialects = GUESTS.map(({ dialect }) => dialect)
/** All points come from one address; those that a limit refuses would cost something else. */
const limits = { seriesLimit: 100_000, seriesLimitPerSource: 100_000, zonePercentPerSource: 100 }
const config = parseConfig({ ...FREE_PORTS, ...limits, ingestWorkers: 0 }, dialects)
const hub = new Hub({ config, clock: systemClock, log: () => {}, guests: GUESTS })

/** Begins anew with streams, whose series the hub knows from the second time on. */
function newReceiver(): Receiver {
  const ingest = hub.createIngest('opentelemetry')
  const parts = { ingest, streams: new Streams(100_000), reports: NO_REPORTS, sinceNs: 0 }
  return new Receiver({ ...parts, nowMs: () => 0 })
}

function receive(receiver: Receiver, bodies: readonly Uint8Array[]): number {
  let points = 0
  for (const bytes of bodies) {
    assert.equal(runNow(countingPoints(bytes)), METRICS * POINTS)
    points += runNow(receiver.take(bytes, PEER)).accepted
  }
  assert.deepEqual(hub.reports.refusals(), [])
  return points
}

interface Decoder {
  decode(bytes: Uint8Array): { readonly resourceMetrics: readonly unknown[] }
}

/** Makes the decoder of protobufjs from the same table of messages. */
function rivalDecoder(): Decoder {
  const { default: protobuf } = { default: createRequire(import.meta.url)(PROTOBUFJS) }
  const nested: Record<string, { fields: Record<string, object> }> = {}
  const names = new Map<Schema, string>()
  const nameOf = (schema: Schema): string => {
    const known = names.get(schema)
    if (known !== undefined) return known
    const name = `M${names.size}`
    names.set(schema, name)
    const typeOf = ({ type }: Field): string => {
      if (typeof type !== 'string') return nameOf(type())
      return type === 'hex' ? 'bytes' : type === 'enum' ? 'int32' : type
    }
    const fields = schema.fields.map((field) => {
      const rule = field.isRepeated ? { rule: 'repeated' } : {}
      return [field.name, { id: field.number, type: typeOf(field), ...rule }] as const
    })
    nested[name] = { fields: Object.fromEntries(fields) }
    return name
  }
  const type = nameOf(RESOURCE_METRICS)
  nested.Request = { fields: { resourceMetrics: { rule: 'repeated', id: 1, type } } as never }
  return protobuf.Root.fromJSON({ nested }).lookupType('Request') as Decoder
}

const rival = rivalDecoder()

function decodeAlone(bodies: readonly Uint8Array[]): number {
  let points = 0
  for (const bytes of bodies) {
    points += rival.decode(bytes).resourceMetrics.length * METRICS * POINTS
  }
  return points
}

const bytesOf = (bodies: readonly Uint8Array[]): number => {
  return bodies.reduce((sum, { length }) => sum + length, 0)
}

await ask({
  name: 'P18',
  asks: 'How many points of OTLP does one core take into a hub?',
  data:
    `${REQUESTS} requests of ${METRICS * POINTS} cumulative points with 3 attributes, as ` +
    `OpenTelemetry names them: counters, ${bytesOf(sums)} bytes; histograms of 15 buckets, ` +
    `${bytesOf(histograms)}`,
  method: [
    'processor time in one process, from the body of a request to the totals of its series',
    'protobufjs makes its objects of the same bytes, and nothing of these',
    'points of streams that have had their first one; what that costs is told besides',
    'V8 may not choose by earlier rounds which objects are born old: what protobufjs makes of',
    'counters is collected five times as dear where it does, which depends on the moment',
  ],
  unit: 'points a second',

  async measure() {
    const [counters, countersAlone, bounded, boundedAlone] = await interleave(
      [
        pointsTaken('counters', sums),
        decodedAlone('counters', sums),
        pointsTaken('histograms', histograms),
        decodedAlone('histograms', histograms),
      ],
      WARM_UPS,
      ROUNDS,
    )
    const firsts = [firstPoints('counter', sums), firstPoints('histogram', histograms)]
    const begun = await interleave(firsts, WARM_UPS, ROUNDS)
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: [
        ...[counters!, countersAlone!, bounded!, boundedAlone!].map(figureOf),
        ...begun.map((rounds) => ({ ...figureOf(rounds), unit: 'µs of processor time' })),
      ],
      verdicts: [
        ratioOf(counters!, countersAlone!, atLeast(1)),
        ratioOf(bounded!, boundedAlone!, atLeast(1)),
      ],
      skipped: [{ title: 'the receiver of Prometheus', reason: withoutPrometheus() }],
    }
  },
})

/** Tells why no Prometheus is measured: one that is installed takes OTLP from 2.47 on. */
function withoutPrometheus(): string {
  const ask = (flag: string): string => {
    const { stdout = '', stderr = '' } = spawnSync('prometheus', [flag], { encoding: 'utf8' })
    return (stdout ?? '') + (stderr ?? '')
  }
  const version = /version (\S+)/.exec(ask('--version'))?.[1]
  if (version === undefined) return 'it is not installed'
  const takesOtlp = /otlp/i.test(ask('--help'))
  return `${version} ${takesOtlp ? 'takes OTLP, which is not compared yet' : 'takes no OTLP'}`
}

function pointsTaken(title: string, bodies: readonly Uint8Array[]): Contender {
  return {
    title,
    round() {
      const receiver = newReceiver()
      const [first, ...later] = bodies
      receive(receiver, [first!])
      return pointsASecond(later, () => receive(receiver, later))
    },
  }
}

function decodedAlone(title: string, bodies: readonly Uint8Array[]): Contender {
  return {
    title: `${title}, protobufjs alone`,
    round: () => pointsASecond(bodies, () => decodeAlone(bodies)),
  }
}

function pointsASecond({ length }: readonly Uint8Array[], act: () => number): number {
  const points = length * METRICS * POINTS
  return points / processorSeconds(() => assert.equal(act(), points))
}

/** What a stream costs when it is met, with its series, which the hub knows. */
function firstPoints(kind: string, bodies: readonly Uint8Array[]): Contender {
  return {
    title: `first point of a ${kind}'s stream`,
    round() {
      const receiver = newReceiver()
      const first = bodies.slice(0, 1)
      return (1e6 * processorSeconds(() => receive(receiver, first))) / (METRICS * POINTS)
    },
  }
}
