/**
 * Streams of points by their bytes: a resource with a scope, a metric of that, and the attributes
 * of a point are found again as they were sent, without being read. Where the same attributes come
 * in another order, they are read once and lead to the same stream. What is known here is bounded:
 * streams that were silent make room, and those of whom nothing was forgotten are never counted
 * twice.
 */
import { KeyTable } from '../../../hub/ingest/keys/key-table.ts'
import { forEachItem, runNow, type Task } from '../../../hub/tasks/task.ts'
import { createWordSecrets, hashWords } from '../../../model/hash/word-hash.ts'
import type { Exact, Histogram, Kind, Labels } from '../../../model/index.ts'
import {
  type Attributes,
  fieldAttributes,
  pointAttributes,
  RESOURCE_ATTRIBUTES,
  SCOPE_ATTRIBUTES,
  scopeTexts,
  textOf,
} from '../codec/attributes.ts'
import type { Point } from '../codec/point.ts'
import type { PointScan, Range } from '../codec/point-scan.ts'
import { kindOf, labelsOf, type MetricFacts, type Origin, originOf } from '../map.ts'
import {
  ATTRIBUTES_BYTES_LIMIT,
  CUMULATIVE,
  DATA_FIELDS,
  DELTA,
  DESCRIPTION_BYTES_LIMIT,
  NAME_BYTES_LIMIT,
  type PointErrorCode,
  type RefusalCode,
} from '../spec.ts'

/** Silence after which a stream may make room for another, ms, and after which it is forgotten. */
const YIELDING_MS = 120_000
const FORGOTTEN_MS = 3_600_000
/** Pause between looks for those that may make room, ms. */
const ROOM_EVERY_MS = 1000
/** Ways of writing that are remembered, for each stream that may be. */
const SPELLINGS_PER_STREAM = 2
const SPELLINGS_LEAST = 1024
const NS_PER_MS = 1_000_000
/** Largest key: resource and scope, or the attributes of a point; and what stands before them. */
const KEY_BYTES = 3 * ATTRIBUTES_BYTES_LIMIT

/** No key is longer than the words that have one of their own. */
const SECRETS = createWordSecrets()

const TYPES = { origin: 1, metric: 2, stream: 3 } as const

export interface KnownOrigin extends Origin {
  readonly id: number
  readonly key: string
}

/** A metric of a resource and scope: what its points have in common. */
export interface KnownMetric extends MetricFacts {
  readonly id: number
  readonly key: string
  readonly origin: KnownOrigin
  readonly isDelta: boolean
  readonly seriesKind: Kind
}

/** One stream of points, with what must be known of its last one. */
export interface Stream {
  readonly metric: KnownMetric
  readonly labels: Labels
  /** Slot of its series in the ingest, of this generation; -1 before the first. */
  slot: number
  generation: number
  /** Key of its series, while the hub has no room for that. */
  refusedKey: Uint8Array | undefined
  /** Unix ns of the last point; 0 before any. */
  startNs: number
  timeNs: number
  isPrimed: boolean
  /** Last reading of a sum, or the value of a gauge that grows by deltas. */
  value: Exact
  /** Last reading of a distribution. */
  histogram: Histogram | undefined
  count: bigint
  sum: number
  /** Slots of a summary's quantiles. */
  quantiles: Map<number, number> | undefined
  seenMs: number
}

export class Streams {
  readonly #limit: number
  #table = new KeyTable()
  /** Things known, by slot of the table. */
  #known: (KnownOrigin | KnownMetric | Stream)[] = []
  readonly #origins = new Map<string, KnownOrigin>()
  readonly #metrics = new Map<string, KnownMetric>()
  readonly #streams = new Map<string, Stream>()
  #nextId = 1
  #madeRoomMs = Number.NEGATIVE_INFINITY
  readonly #key = new Uint8Array(KEY_BYTES)
  #keySize = 0
  /** Streams that were forgotten had no point later than this, Unix ns. */
  forgottenNs = 0
  /** Streams that were refused. */
  refused = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#streams.size
  }

  get limit(): number {
    return this.#limit
  }

  /** Finds resource and scope. */
  origin({ bytes, resource, scope }: PointScan): KnownOrigin | PointErrorCode {
    if (size(resource) > ATTRIBUTES_BYTES_LIMIT || size(scope) > ATTRIBUTES_BYTES_LIMIT) {
      return 'attributes_limit'
    }
    this.#keySize = 0
    this.#addNumber(size(resource))
    this.#addBytes(bytes, resource.from, resource.to)
    this.#addBytes(bytes, scope.from, scope.to)
    const found = this.#find(TYPES.origin)
    if (found !== undefined) return found as KnownOrigin
    const attributes = fieldAttributes(bytes, resource.from, resource.to, RESOURCE_ATTRIBUTES)
    if (typeof attributes === 'string') return attributes
    const ofScope = fieldAttributes(bytes, scope.from, scope.to, SCOPE_ATTRIBUTES)
    if (typeof ofScope === 'string') return ofScope
    const { name, version } = scopeTexts(bytes, scope.from, scope.to)
    const key = JSON.stringify([inOrder(attributes), name, version, inOrder(ofScope)])
    const known = this.#origins.get(key) ?? {
      ...originOf(attributes, { name, attributes: ofScope }),
      ...{ id: this.#nextId++, key },
    }
    this.#remember(TYPES.origin, known)
    return known
  }

  /** Finds the metric that a scan is at. */
  metric(scan: PointScan, origin: KnownOrigin): KnownMetric | PointErrorCode {
    const { bytes, name, unit, kind, temporality, isMonotonic } = scan
    if (size(name) === 0 || size(name) > NAME_BYTES_LIMIT) return 'bad_name'
    if (size(unit) > NAME_BYTES_LIMIT) return 'bad_name'
    const hasTemporality = kind !== 'gauge' && kind !== 'summary'
    if (hasTemporality && temporality !== DELTA && temporality !== CUMULATIVE) {
      return 'bad_temporality'
    }
    this.#keySize = 0
    this.#addNumber(origin.id)
    this.#addNumber((DATA_FIELDS[kind] << 8) | (temporality << 1) | (isMonotonic ? 1 : 0))
    this.#addNumber(size(name))
    this.#addBytes(bytes, name.from, name.to)
    this.#addBytes(bytes, unit.from, unit.to)
    const found = this.#find(TYPES.metric)
    if (found !== undefined) return found as KnownMetric
    const texts = {
      name: textOf(bytes, name.from, name.to),
      unit: textOf(bytes, unit.from, unit.to),
    }
    const key = JSON.stringify([origin.id, kind, temporality, isMonotonic, texts])
    const known = this.#metrics.get(key) ?? {
      ...{ ...texts, kind, isMonotonic, origin, id: this.#nextId++, key },
      description: descriptionOf(scan),
      isDelta: temporality === DELTA,
      seriesKind: kindOf(scan),
    }
    this.#remember(TYPES.metric, known)
    return known
  }

  /** Finds the stream of a point that was read. */
  stream(
    bytes: Uint8Array,
    point: Point,
    metric: KnownMetric,
    nowMs: number,
  ): Stream | PointErrorCode | RefusalCode {
    this.#keySize = 0
    this.#addNumber(metric.id)
    for (let i = 0; i < point.attributeCount; i++) {
      const from = point.attributes[2 * i]!
      const to = point.attributes[2 * i + 1]!
      this.#addNumber(to - from)
      this.#addBytes(bytes, from, to)
    }
    const found = this.#find(TYPES.stream) as Stream | undefined
    if (found !== undefined) {
      found.seenMs = nowMs
      return found
    }
    const attributes = pointAttributes(bytes, point)
    if (typeof attributes === 'string') return attributes
    const labels = labelsOf(attributes, metric.origin)
    const key = `${metric.id} ${JSON.stringify(labels)}`
    let stream = this.#streams.get(key)
    if (stream === undefined) {
      if (this.#streams.size >= this.#limit) this.#makeRoom(nowMs)
      if (this.#streams.size >= this.#limit) {
        this.refused++
        return 'streams_limit'
      }
      stream = newStream(metric, labels)
      this.#streams.set(key, stream)
      this.#metrics.set(metric.key, metric)
      this.#origins.set(metric.origin.key, metric.origin)
    }
    stream.seenMs = nowMs
    this.#remember(TYPES.stream, stream)
    return stream
  }

  /** Forgets streams that were silent for so long, with metrics and resources of no other. */
  *sweep(nowMs: number, silentMs = FORGOTTEN_MS): Task {
    const silent: string[] = []
    const isSilent = ({ seenMs }: Stream): boolean => nowMs - seenMs >= silentMs
    yield* forEachItem(this.#streams, ([key, stream]) => {
      if (isSilent(stream)) silent.push(key)
    })
    if (silent.length === 0) return
    // all at once: one that is half forgotten would be counted from its start again
    const nowNs = nowMs * NS_PER_MS
    for (const key of silent) {
      const stream = this.#streams.get(key)
      if (stream === undefined || !isSilent(stream)) continue
      this.#streams.delete(key)
      // a clock that is ahead must not keep later streams from being counted from their start
      this.forgottenNs = Math.max(this.forgottenNs, Math.min(stream.timeNs, nowNs))
    }
    this.#forgetUnused()
  }

  /** Looks for streams that may make room, once a second: a flood of new ones looks no oftener. */
  #makeRoom(nowMs: number): void {
    if (nowMs - this.#madeRoomMs < ROOM_EVERY_MS) return
    this.#madeRoomMs = nowMs
    runNow(this.sweep(nowMs, YIELDING_MS))
  }

  /** Forgets metrics and resources without a stream. */
  #forgetUnused(): void {
    const metrics = new Set([...this.#streams.values()].map(({ metric }) => metric))
    for (const [key, each] of this.#metrics) if (!metrics.has(each)) this.#metrics.delete(key)
    const origins = new Set([...metrics].map(({ origin }) => origin))
    for (const [key, each] of this.#origins) if (!origins.has(each)) this.#origins.delete(key)
    this.#forgetSpellings()
  }

  #forgetSpellings(): void {
    this.#table = new KeyTable()
    this.#known = []
  }

  #find(type: number): KnownOrigin | KnownMetric | Stream | undefined {
    const key = this.#key
    const end = this.#keySize
    const table = this.#table
    const slot = table.isRehashed
      ? table.findRehashed(key, 0, end, type)
      : table.find(key, 0, end, type, hashWords(key, 0, end, SECRETS))
    return slot < 0 ? undefined : this.#known[slot]
  }

  #remember(type: number, known: KnownOrigin | KnownMetric | Stream): void {
    // other spellings, and what has no stream of its own, must not pile up
    if (this.#known.length > SPELLINGS_LEAST + SPELLINGS_PER_STREAM * this.#limit) {
      this.#forgetSpellings()
    }
    const key = this.#key
    const end = this.#keySize
    this.#known[this.#table.add(key, 0, end, type, hashWords(key, 0, end, SECRETS))] = known
  }

  #addNumber(value: number): void {
    const key = this.#key
    key[this.#keySize++] = value
    key[this.#keySize++] = value >>> 8
    key[this.#keySize++] = value >>> 16
    key[this.#keySize++] = value >>> 24
  }

  #addBytes(bytes: Uint8Array, from: number, to: number): void {
    const key = this.#key
    let size = this.#keySize
    for (let at = from; at < to; at++) key[size++] = bytes[at]!
    this.#keySize = size
  }
}

function newStream(metric: KnownMetric, labels: Labels): Stream {
  return {
    ...{ metric, labels, slot: -1, generation: -1, startNs: 0, timeNs: 0, isPrimed: false },
    ...{
      refusedKey: undefined,
      value: 0,
      histogram: undefined,
      count: 0n,
      sum: 0,
      quantiles: undefined,
      seenMs: 0,
    },
  }
}

function size({ from, to }: Range): number {
  return to - from
}

function descriptionOf({ bytes, description: { from, to } }: PointScan): string {
  return textOf(bytes, from, Math.min(to, from + DESCRIPTION_BYTES_LIMIT))
}

function inOrder(attributes: Attributes): Attributes {
  return [...attributes].sort(([a], [b]) => (a < b ? -1 : 1))
}
