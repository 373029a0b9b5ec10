/**
 * OTLP metrics under generated and mutated requests: the scan of points reads what the table of
 * messages reads, decoding is the same wherever the bytes are cut, what was read is written and
 * read again, and whatever comes leaves no NaN and no fall of a counter in the model.
 */
import assert from 'node:assert/strict'
import { forEachPiece } from '../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../test/fuzz/engine/random.ts'
import { anyText, double, signed, unsigned } from '../../../../test/fuzz/engine/values.ts'
import type { FuzzTarget } from '../../../../test/fuzz/target.ts'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { runNow } from '../../../hub/tasks/task.ts'
import { NO_REPORTS } from '../../endpoints.ts'
import { pointAttributes, textOf } from '../codec/attributes.ts'
import { Point } from '../codec/point.ts'
import { PointScan } from '../codec/point-scan.ts'
import { countingPoints } from '../codec/request.ts'
import { labelText } from '../codec/texts.ts'
import { createDecoder, encodeOpenTelemetry } from '../codec.ts'
import { Receiver } from '../hub/receiver.ts'
import { Streams } from '../hub/streams.ts'
import { ATTRIBUTES_LIMIT, DATA_FIELDS, type DataKind, ERROR_CODES } from '../spec.ts'
import { type Json, KINDS, resourceOf, VALUES } from './requests.ts'

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)
const KIND_NAMES = Object.keys(DATA_FIELDS) as DataKind[]
const PEER = { transport: 'tcp', address: '127.0.0.1', port: 4000 } as const
const MODEL_ONCE_IN = 8

const target: FuzzTarget = {
  name: 'opentelemetry',
  seeds: () => encodeOpenTelemetry([resourceOf(KINDS, { 'service.name': 'shop' })]),

  generate(random) {
    const messages = [resourceOf(makeMetrics(random), { 'service.name': anyText(random) })]
    const [bytes] = encodeOpenTelemetry(messages)
    return { bytes: bytes!, check: () => assert.deepEqual(decode([bytes!]).codes, []) }
  },

  run(bytes, random) {
    const whole = decode([bytes])
    for (const code of whole.codes) assert.ok(CODES.has(code), code)
    const pieces: Uint8Array[] = []
    forEachPiece(random, bytes, (piece) => pieces.push(piece.slice()))
    assert.deepEqual(decode(pieces), whole)
    const written = encodeOpenTelemetry(whole.messages.filter(hasScopes))
    assert.deepEqual(decode(written).messages, whole.messages.filter(hasScopes))
    checkScan(bytes, scanned(bytes))
    if (random.isOnceIn(MODEL_ONCE_IN)) checkModel(bytes)
  },

  canary: {
    fault: 'the last point is left out',
    run: (bytes) => checkScan(bytes, scanned(bytes)?.slice(0, -1)),
  },
}

export const targets: readonly FuzzTarget[] = [target]

const hasScopes = ({ scopeMetrics }: Json): boolean => Array.isArray(scopeMetrics)

function decode(pieces: readonly Uint8Array[]): { messages: Json[]; codes: string[] } {
  const decoder = createDecoder()
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  return { messages: decoder.messages as Json[], codes: decoder.errors.map(({ code }) => code) }
}

function makeMetrics(random: Random): Json[] {
  return Array.from({ length: 1 + random.below(4) }, () => {
    const metric = structuredClone(random.pick(KINDS)) as Record<string, unknown>
    metric.name = anyText(random)
    const kind = KIND_NAMES.find((each) => metric[each] !== undefined)!
    const data = metric[kind] as { dataPoints: Record<string, unknown>[] }
    for (const point of data.dataPoints) {
      point.attributes = Array.from({ length: random.below(3) }, () => {
        return { key: anyText(random), value: random.pick(VALUES) }
      })
      point.timeUnixNano = String(unsigned(random, 64))
      if (point.asInt !== undefined) point.asInt = String(BigInt.asIntN(64, signed(random, 64)))
      if (point.asDouble !== undefined) point.asDouble = double(random)
      if (point.count !== undefined) point.count = String(unsigned(random, 64))
    }
    return metric
  })
}

type Seen = readonly unknown[]

/** Lists the points that the scan finds; undefined where the request is broken. */
function scanned(bytes: Uint8Array): Seen[] | undefined {
  const count = runNow(countingPoints(bytes))
  if (typeof count === 'string') return undefined
  const scan = new PointScan(bytes)
  const point = new Point()
  const seen: Seen[] = []
  let points = 0
  while (scan.next()) {
    points++
    const { kind, name, unit, temporality, isMonotonic } = scan
    const problem = point.read(kind, bytes, scan.point.from, scan.point.to)
    const head = [kind, textOf(bytes, name.from, name.to), textOf(bytes, unit.from, unit.to)]
    const attributes = problem ?? pointAttributes(bytes, point)
    const data = kind === 'gauge' || kind === 'summary' ? [] : [Math.min(temporality, 3)]
    if (kind === 'sum') data.push(Number(isMonotonic))
    seen.push([...head, ...data, attributes, problem ?? valuesOf(kind, point)])
  }
  // of several data of one metric the last ones count, of which there may be fewer
  assert.ok(points <= count)
  return seen
}

function valuesOf(kind: DataKind, point: Point): Seen {
  const times = [point.startNs, point.timeNs]
  if (kind === 'gauge' || kind === 'sum') return [...times, String(point.value)]
  const common = [...times, String(point.count), String(point.sum)]
  if (kind === 'summary') return [...common, ...point.quantiles.map(String)]
  if (kind === 'histogram') {
    const counts = Array.from(point.bucketCounts.subarray(0, point.bucketCount), String)
    return [...common, counts, Array.from(point.bounds.subarray(0, point.boundCount), String)]
  }
  const { scale, positive, negative } = point
  const sides = [positive, negative].map(({ offset, counts }) => [offset, ...counts.map(String)])
  return [...common, scale, String(point.zeroCount), ...sides]
}

/** Holds the scan against the table of messages, where that can read the request, too. */
function checkScan(bytes: Uint8Array, seen: readonly Seen[] | undefined): void {
  const { messages, codes } = decode([bytes])
  if (codes.length > 0 || seen === undefined || bytes[0] === 0x7b) return
  const wanted = messages.flatMap((message) => tablePoints(message))
  if (wanted.includes(undefined)) return
  assert.equal(seen.length, wanted.length)
  for (const [i, point] of wanted.entries()) {
    const found: Seen = seen[i]!
    // the scan has limits that the table has not, and takes no attribute without a key
    if (typeof found.at(-2) !== 'string') assert.deepEqual(found, point)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: messages of a table have any shape
type Loose = Record<string, any>

/** Lists the points of a message as the table reads it; undefined where a field came twice. */
function tablePoints(message: Loose): (Seen | undefined)[] {
  const metrics = ((message.scopeMetrics ?? []) as Loose[]).flatMap((each) => each.metrics ?? [])
  return metrics.flatMap((metric: Loose) => {
    const kinds = KIND_NAMES.filter((kind) => metric[kind] !== undefined)
    if (kinds.length > 1) return [undefined]
    const [kind] = kinds
    if (kind === undefined) return []
    const { aggregationTemporality = 0, isMonotonic = false, dataPoints = [] } = metric[kind]
    const head = [kind, metric.name ?? '', metric.unit ?? '']
    const data = kind === 'gauge' || kind === 'summary' ? [] : [Math.min(aggregationTemporality, 3)]
    if (kind === 'sum') data.push(Number(isMonotonic))
    return (dataPoints as Loose[]).map((point) => {
      if (point.asInt !== undefined && point.asDouble !== undefined) return undefined
      return [...head, ...data, labelsOf(point), tableValues(kind, point)]
    })
  })
}

function labelsOf({ attributes = [] }: Loose): Seen {
  return (attributes as Loose[]).slice(0, ATTRIBUTES_LIMIT).map(({ key = '', value }) => {
    return [key, labelText(value)]
  })
}

function tableValues(kind: DataKind, point: Loose): Seen {
  const rounded = (time = '0') => Number(BigInt(time))
  const times = [rounded(point.startTimeUnixNano), rounded(point.timeUnixNano)]
  if (kind === 'gauge' || kind === 'sum') {
    return [...times, String(point.asInt ?? numberText(point.asDouble))]
  }
  const common = [...times, point.count ?? '0', numberText(point.sum ?? Number.NaN)]
  if (kind === 'summary') {
    const pairs = ((point.quantileValues ?? []) as Loose[]).flatMap((each) => {
      return [numberText(each.quantile ?? 0), numberText(each.value ?? 0)]
    })
    return [...common, ...pairs]
  }
  if (kind === 'histogram') {
    const bounds = ((point.explicitBounds ?? []) as unknown[]).map(numberText)
    return [...common, point.bucketCounts ?? [], bounds]
  }
  const sides = [point.positive, point.negative].map((side: Loose = {}) => {
    return [side.offset ?? 0, ...(side.bucketCounts ?? [])]
  })
  return [...common, point.scale ?? 0, point.zeroCount ?? '0', ...sides]
}

function numberText(value: unknown): string {
  return String(value === undefined ? undefined : Number(value))
}

/** Feeds a request twice: nothing of it may be counted twice, and no total may be odd. */
function checkModel(bytes: Uint8Array): void {
  if (typeof runNow(countingPoints(bytes)) === 'string') return
  const ingest = new ModelIngest()
  const parts = { ingest, streams: new Streams(64), reports: NO_REPORTS, sinceNs: 0 }
  const receiver = new Receiver({ ...parts, nowMs: () => 0 })
  for (let i = 0; i < 2; i++) {
    const { accepted, rejected } = runNow(receiver.take(bytes, PEER))
    assert.ok(accepted >= 0 && rejected >= 0)
  }
  for (const series of ingest.series) {
    if (series.identity.kind === 'counter') assert.ok(series.total >= 0, String(series.total))
  }
}
