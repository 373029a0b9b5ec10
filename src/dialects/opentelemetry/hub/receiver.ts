/**
 * Points into the model: each is read, found its stream, and added to its series as what it brings
 * since the one before. A stream of cumulative points counts from its start where that is later
 * than the hub's own and than all that was forgotten; else its first point only says where it
 * stands. A later start is a reset: all since then is new.
 */
import type { Task } from '../../../hub/tasks/task.ts'
import { emptyLike, takeGain } from '../../../model/histogram/cumulative.ts'
import {
  addExact,
  type Exact,
  Histogram,
  identityKey,
  keyedHash,
  sortLabels,
  subtractExact,
} from '../../../model/index.ts'
import type { Peer, Reports } from '../../endpoints.ts'
import type { Ingest } from '../../ingest.ts'
import { textOf } from '../codec/attributes.ts'
import { exemplarAt } from '../codec/exemplar.ts'
import { Point } from '../codec/point.ts'
import { PointScan, type Range } from '../codec/point-scan.ts'
import { histogramOf, identityOf, metadataOf } from '../map.ts'
import {
  type DataKind,
  NAME,
  NAME_BYTES_LIMIT,
  NO_RECORDED_VALUE,
  POINT_ERROR_CODES,
} from '../spec.ts'
import type { KnownMetric, KnownOrigin, Stream, Streams } from './streams.ts'

/** Points that are taken before others have their turn; each costs about a microsecond. */
const POINTS_PER_STEP = 256
/** Bytes of a point, or of the resource of a scope, that cost as much as another point does. */
const POINT_BYTES = 1024
const NS_PER_SECOND = 1e9
/** Types of keys in the ingest. */
const KEY_TYPES = { counter: 0, gauge: 1, histogram: 2, summary: 3 } as const
const CODES: ReadonlySet<string> = new Set(POINT_ERROR_CODES)

/** Points of one request that were taken, and of those that were not how many for which reason. */
export interface Taken {
  accepted: number
  rejected: number
  readonly reasons: Map<string, number>
  /** Origin of the last point; undefined without any. */
  origin: KnownOrigin | undefined
}

interface ReceiverParts {
  readonly ingest: Ingest
  readonly streams: Streams
  readonly reports: Reports
  /** Time before which streams may have been counted by an earlier hub, Unix ns. */
  readonly sinceNs: number
  readonly nowMs: () => number
}

export class Receiver {
  readonly #parts: ReceiverParts
  readonly #point = new Point()
  readonly #gain = new Histogram()
  /** A reading that no stream keeps; the next one is made of it. */
  #spare: Histogram | undefined = undefined
  readonly #counterCell = { kind: 'counter' as const, delta: 0 as Exact }
  readonly #histogramCell = { kind: 'histogram' as const, histogram: new Histogram() }

  constructor(parts: ReceiverParts) {
    this.#parts = parts
  }

  /** Takes the points of a request whose framing fits. */
  *take(bytes: Uint8Array, peer: Peer): Task<Taken> {
    const taken: Taken = { accepted: 0, rejected: 0, reasons: new Map(), origin: undefined }
    const scan = new PointScan(bytes)
    const { streams, ingest } = this.#parts
    let scopeNumber = 0
    let metricNumber = 0
    let origin: KnownOrigin | string = ''
    let metric: KnownMetric | string = ''
    const lastResource: Range = { from: -1, to: -1 }
    const lastScope: Range = { from: -1, to: -1 }
    let left = POINTS_PER_STEP
    ingest.begin(peer.address)
    while (scan.next()) {
      if (scan.metricNumber !== metricNumber) {
        if (scan.scopeNumber !== scopeNumber && !isSameOrigin(scan, lastResource, lastScope)) {
          origin = streams.origin(scan)
          left -= (scan.resource.to - scan.resource.from) / POINT_BYTES
          Object.assign(lastResource, scan.resource)
          Object.assign(lastScope, scan.scope)
        }
        metric = typeof origin === 'string' ? origin : streams.metric(scan, origin)
        metricNumber = scan.metricNumber
        scopeNumber = scan.scopeNumber
      }
      if (typeof origin !== 'string') taken.origin = origin
      const code = typeof metric === 'string' ? metric : this.#takePoint(scan, metric)
      if (code === undefined) taken.accepted++
      else this.#reject(taken, code, scan, peer)
      left -= 1 + (scan.point.to - scan.point.from) / POINT_BYTES
      if (left > 0) continue
      left = POINTS_PER_STEP
      yield
      ingest.begin(peer.address)
    }
    return taken
  }

  #reject(taken: Taken, code: string, scan: PointScan, peer: Peer): void {
    const { bytes, point } = scan
    taken.rejected++
    taken.reasons.set(code, (taken.reasons.get(code) ?? 0) + 1)
    const { reports, ingest } = this.#parts
    if (!CODES.has(code)) {
      // a series without room has been counted where it was refused, by the limit it met
      if (code !== 'series_refused') ingest.refuse(code)
      return
    }
    const error = { dialect: NAME, code, offset: point.from, resync: true }
    reports.decodeError(error, bytes, peer, describe(scan), point.from, point.to)
  }

  #takePoint({ bytes, point: { from, to } }: PointScan, metric: KnownMetric): string | undefined {
    const point = this.#point
    const problem = point.read(metric.kind, bytes, from, to)
    if (problem !== undefined) return problem
    const stream = this.#parts.streams.stream(bytes, point, metric, this.#parts.nowMs())
    if (typeof stream === 'string') return stream
    if ((point.flags & NO_RECORDED_VALUE) !== 0) return this.#takeNothing(stream)
    const code = this.#takeValue(stream)
    if (code === undefined && point.exemplarCount > 0) this.#takeExemplars(stream, bytes)
    return code
  }

  #takeValue(stream: Stream): string | undefined {
    const { kind } = stream.metric
    switch (kind) {
      case 'gauge':
      case 'sum':
        return this.#takeNumber(stream)
      case 'histogram':
      case 'exponentialHistogram':
        return this.#takeDistribution(stream, kind)
      case 'summary':
        return this.#takeSummary(stream)
    }
  }

  /** Keeps the exemplars of a point that was taken; what is none is noted, and costs itself. */
  #takeExemplars({ slot }: Stream, bytes: Uint8Array): void {
    const { ingest, nowMs } = this.#parts
    const { exemplars, exemplarCount } = this.#point
    for (let i = 0; i < exemplarCount; i++) {
      const exemplar = exemplarAt(bytes, exemplars[2 * i]!, exemplars[2 * i + 1]!, nowMs())
      if (exemplar === undefined) ingest.note('bad_exemplar')
      else ingest.addExemplar?.(slot, exemplar)
    }
  }

  #takeNothing(stream: Stream): undefined {
    const { ingest } = this.#parts
    ingest.note('no_recorded_value')
    if (stream.metric.seriesKind === 'gauge' && stream.isPrimed) ingest.end(this.#slot(stream))
  }

  #takeNumber(stream: Stream): string | undefined {
    const { value } = this.#point
    const { kind, isMonotonic, isDelta } = stream.metric
    if (value === undefined) return 'no_value'
    if (typeof value === 'number' && !Number.isFinite(value)) return 'bad_value'
    if (kind === 'sum' && isMonotonic) return this.#takeCounter(stream, value)
    const { timeNs } = this.#point
    if (kind === 'sum' && isDelta) {
      if (this.#isRepeated(stream)) return undefined
      stream.value = addExact(stream.value, value)
    } else {
      if (timeNs !== 0 && timeNs < stream.timeNs) return 'out_of_order'
      stream.value = value
    }
    const slot = this.#slot(stream)
    this.#parts.ingest.set(slot, stream.value)
    return this.#took(stream, slot)
  }

  #takeCounter(stream: Stream, value: Exact): string | undefined {
    if (value < 0) return 'bad_value'
    let delta: Exact = value
    let seconds = this.#secondsSince(this.#point.startNs)
    if (stream.metric.isDelta) {
      if (this.#isRepeated(stream)) return undefined
    } else {
      const order = this.#orderOf(stream, value < stream.value)
      if (order === 'duplicate') return undefined
      if (order === 'out_of_order') return order
      if (order === 'first') delta = 0
      else if (order === 'next') {
        delta = subtractExact(value, stream.value)
        seconds = this.#secondsSince(stream.timeNs)
      }
      stream.value = value
    }
    const cell = this.#counterCell
    cell.delta = delta
    const slot = this.#slot(stream)
    this.#parts.ingest.merge(slot, cell, seconds)
    return this.#took(stream, slot)
  }

  #takeDistribution(
    stream: Stream,
    kind: Extract<DataKind, 'histogram' | 'exponentialHistogram'>,
  ): string | undefined {
    const { isDelta } = stream.metric
    const { histogram: earlier } = stream
    const read = histogramOf(this.#point, kind, isDelta, { earlier, spare: this.#spare })
    if (typeof read === 'string') return read
    this.#spare = read
    let gain = read
    if (isDelta) {
      if (this.#isRepeated(stream)) return undefined
    } else {
      const isFall = earlier !== undefined && !takeGain(read, earlier, this.#gain)
      const order = this.#orderOf(stream, isFall)
      if (order === 'duplicate') return undefined
      if (order === 'out_of_order') return order
      if (order === 'first') gain = emptyLike(read)
      else if (order === 'next') gain = this.#gain
      stream.histogram = read
      this.#spare = earlier
    }
    const cell = this.#histogramCell
    cell.histogram = gain
    const slot = this.#slot(stream, read)
    this.#parts.ingest.merge(slot, cell)
    return this.#took(stream, slot)
  }

  /** Takes a summary, which is since its start, too: what it gained is one of unknown range. */
  #takeSummary(stream: Stream): string | undefined {
    const { count, sum, quantiles } = this.#point
    if (!Number.isFinite(sum) && count > 0n) return 'bad_value'
    const order = this.#orderOf(stream, count < stream.count)
    if (order === 'duplicate') return undefined
    if (order === 'out_of_order') return order
    const isNext = order === 'next'
    const gained = order === 'first' ? 0 : Number(isNext ? count - stream.count : count)
    const gainedSum = isNext ? sum - stream.sum : sum
    stream.count = count
    stream.sum = Number.isNaN(sum) ? 0 : sum
    const mean = gained === 0 ? 0 : gainedSum / gained
    const range = { min: Number.NaN, max: Number.NaN }
    const summary = { count: gained, mean, squares: 0, ...range }
    const { ingest } = this.#parts
    const slot = this.#slot(stream)
    ingest.merge(slot, { kind: 'summary', summary })
    for (let i = 0; i < quantiles.length; i += 2) {
      this.#setQuantile(stream, quantiles[i]!, quantiles[i + 1]!)
    }
    return this.#took(stream, slot)
  }

  /** Sets the gauge of a quantile, `NAME.p95`. */
  #setQuantile(stream: Stream, quantile: number, value: number): void {
    if (!(quantile >= 0 && quantile <= 1) || !Number.isFinite(value)) return
    const { ingest } = this.#parts
    stream.quantiles ??= new Map()
    let slot = stream.quantiles.get(quantile)
    if (slot === undefined) {
      const { metric, labels } = stream
      const percent = String(Number((quantile * 100).toPrecision(12)))
      const name = `${metric.name}.p${percent}`
      const identity = { name, kind: 'gauge' as const, labels: sortLabels(labels) }
      const metadata = metadataOf(metric)
      const key = identityKey(identity)
      const hash = keyedHash(key, 0, key.length)
      slot = ingest.slot(key, 0, key.length, KEY_TYPES.gauge, hash, () => ({ identity, metadata }))
      stream.quantiles.set(quantile, slot)
    }
    ingest.set(slot, value)
  }

  /** Tells whether a delta has come before: a sender that got no answer sends it again. */
  #isRepeated(stream: Stream): boolean {
    const { startNs, timeNs } = this.#point
    const isSame = timeNs !== 0 && timeNs === stream.timeNs && startNs === stream.startNs
    if (isSame && stream.isPrimed) {
      this.#parts.ingest.note('duplicate')
      return true
    }
    if (startNs > stream.timeNs && stream.timeNs > 0) this.#parts.ingest.note('gap')
    return false
  }

  /** Says how a cumulative point stands to the one before it. */
  #orderOf(
    stream: Stream,
    isFall: boolean,
  ): 'first' | 'whole' | 'next' | 'reset' | 'duplicate' | 'out_of_order' {
    const { startNs, timeNs } = this.#point
    const { ingest, sinceNs, streams } = this.#parts
    if (!stream.isPrimed) {
      const hasStart = startNs !== 0 && startNs !== timeNs
      const isNew = startNs >= sinceNs && startNs > streams.forgottenNs
      return hasStart && isNew ? 'whole' : 'first'
    }
    if (startNs !== 0 && startNs < stream.startNs) return 'out_of_order'
    if (startNs > stream.startNs && stream.startNs !== 0) {
      ingest.note('reset')
      return 'reset'
    }
    if (timeNs !== 0 && timeNs < stream.timeNs) return 'out_of_order'
    if (timeNs !== 0 && timeNs === stream.timeNs) {
      ingest.note('duplicate')
      return 'duplicate'
    }
    if (!isFall) return 'next'
    ingest.note('unannounced_reset')
    return 'reset'
  }

  #secondsSince(fromNs: number): number {
    const seconds = (this.#point.timeNs - fromNs) / NS_PER_SECOND
    return fromNs > 0 && seconds > 0 ? seconds : Number.NaN
  }

  /**
   * Notes the times of a point that has been added. @returns the code of one that was not, because
   * the hub has no room for its series, nor one that takes what such series bring
   */
  #took(stream: Stream, slot: number): 'series_refused' | undefined {
    const { startNs, timeNs } = this.#point
    stream.isPrimed = true
    stream.startNs = startNs
    stream.timeNs = Math.max(stream.timeNs, timeNs)
    return slot < 0 ? 'series_refused' : undefined
  }

  #slot(stream: Stream, histogram?: Histogram): number {
    const { ingest } = this.#parts
    if (stream.generation === ingest.generation) return stream.slot
    const { metric, labels } = stream
    // of a series that was refused the key alone is asked for again, until there is room
    const key = stream.refusedKey ?? identityKey(identityOf(metric, labels))
    const hash = keyedHash(key, 0, key.length)
    const type = KEY_TYPES[metric.seriesKind]
    const isWindowed = metric.seriesKind === 'histogram'
    stream.quantiles = undefined
    stream.slot = ingest.slot(key, 0, key.length, type, hash, () => {
      const identity = identityOf(metric, labels)
      const metadata = metadataOf(metric, histogram)
      return { identity, metadata, ...(isWindowed ? { isWindowed } : {}) }
    })
    const isRefused = stream.slot < 0 || ingest.isOverflow?.(stream.slot) === true
    stream.generation = isRefused ? -1 : ingest.generation
    stream.refusedKey = isRefused ? key : undefined
    return stream.slot
  }
}

/** Tells whether a scan has come to another scope of a resource that says what the last one did. */
function isSameOrigin(
  { bytes, resource, scope }: PointScan,
  last: Range,
  lastScope: Range,
): boolean {
  if (resource.from !== last.from || resource.to !== last.to) return false
  const size = scope.to - scope.from
  if (size !== lastScope.to - lastScope.from) return false
  for (let i = 0; i < size; i++) {
    if (bytes[scope.from + i] !== bytes[lastScope.from + i]) return false
  }
  return true
}

/** Bytes of a name that are told. */
const TOLD_BYTES = 64

/** Describes a point that is not taken by its metric; names that are too long by their size. */
function describe({ bytes, name, unit }: PointScan): string {
  const [size, unitSize] = [name.to - name.from, unit.to - unit.from]
  if (size === 0) return 'a point of a metric without a name'
  const isCut = size > TOLD_BYTES
  const told = textOf(bytes, name.from, isCut ? name.from + TOLD_BYTES : name.to)
  const point = `a point of ${JSON.stringify(isCut ? `${told}…` : told)}`
  const long = size > NAME_BYTES_LIMIT ? `name of ${size}` : `unit of ${unitSize}`
  const isLong = Math.max(size, unitSize) > NAME_BYTES_LIMIT
  return isLong ? `${point}: ${long} bytes, limit ${NAME_BYTES_LIMIT}` : point
}
