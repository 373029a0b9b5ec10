/**
 * A hub without listeners: real frames, ring, sessions and distributions, filled by hand, under a
 * clock that only moves when told. For tests of whatever reads a HubView.
 */
import { EventCountersResident } from '../../../src/dialects/eventcounters/hub/resident.ts'
import { type ExportRules, HOUSE_RULES } from '../../../src/dialects/export-rules.ts'
import type { WallarooViews } from '../../../src/dialects/wallaroo/hub/resident.ts'
import type { TakeTapped } from '../../../src/hub/listen/tap/tap.ts'
import { type Frame, FrameBuilder } from '../../../src/hub/live/frame.ts'
import type { PlainSpread } from '../../../src/hub/live/packed-spreads.ts'
import { LiveRing } from '../../../src/hub/live/ring.ts'
import { GaugeSampler, type SampleDemand } from '../../../src/hub/live/samples/gauge-sampler.ts'
import { Samples } from '../../../src/hub/live/samples/samples.ts'
import { Sessions } from '../../../src/hub/live/sessions.ts'
import type {
  CounterRecord,
  GaugeRecord,
  SeriesRecord,
  Total,
} from '../../../src/hub/series/record.ts'
import type { SourcesAnswer } from '../../../src/hub/status/status.ts'
import {
  exportRulesOf,
  type HubView,
  type Rates,
  type SeriesList,
  type SeriesWatcher,
} from '../../../src/hub/view.ts'
import {
  addExact,
  addToSummary,
  EMPTY_SUMMARY,
  type Exact,
  Exemplars,
  exact,
  Histogram,
  type Identity,
  identityKey,
  type Metadata,
  mergeSummaries,
  type Summary,
  sortLabels,
  subtractExact,
  summarySum,
} from '../../../src/model/index.ts'
import { DIALECTS } from '../dialects.ts'
import { FakeClock } from '../fake-clock.ts'

export interface FakeSeries {
  readonly name: string
  readonly kind: Identity['kind']
  readonly labels?: readonly (readonly [string, string])[]
  readonly qualifier?: readonly [string, string]
  readonly nameBytes?: Uint8Array
  readonly metadata?: Partial<Metadata>
  readonly source?: string
  /** A histogram that comes as windows. */
  readonly isWindowed?: boolean
}

/** What a series holds in the open second and since it began. */
interface Held {
  record: SeriesRecord
  total: Exact
  /** Total, or count, when the last second was closed. */
  told: Exact
  value: Exact | undefined
  all: Histogram
  summary: Summary
  last: Summary
  open: {
    delta: Exact
    value: Exact | undefined
    spread: PlainSpread | undefined
    histogram: Histogram
    summary: Summary
    hasWindow: boolean
  }
}

/** What a series is besides its kind. */
interface Form {
  readonly isWindowed?: boolean
  /** Id of the counter whose decrements it is. */
  readonly wholeId?: number
}

/** Wallaroo's side of a hub that no worker has sent to. */
export const NO_WORKERS: WallarooViews = {
  applications: async () => ({ nowMs: START_MS, applications: [] }),
  application: async () => undefined,
  compatibleApplication: async () => undefined,
  view: async () => undefined,
  compatible: async () => undefined,
  workerConnections: () => ({ nowMs: START_MS, connections: [], workers: [] }),
}

export const START_MS = 1_700_000_000_000

export class FakeHubView implements HubView {
  readonly version = '0.0.0-test'
  readonly clock = new FakeClock(START_MS)
  staleAfterMs = 300_000
  startId = 'start 1'
  readonly away: { readonly source: string; readonly fromMs: number; readonly toMs: number }[] = []

  wasAway(source: string, fromMs: number, toMs: number): boolean {
    return this.away.some((it) => it.source === source && it.fromMs < toMs && fromMs < it.toMs)
  }

  isAway({ source }: SeriesRecord): boolean {
    const nowMs = this.clock.wallMs()
    return this.away.some((it) => it.source === source && it.fromMs <= nowMs && nowMs < it.toMs)
  }

  clockSteps = 0
  refusesAnswers = false
  readonly series: FakeSeriesList = new FakeSeriesList()
  readonly samples = new Samples()
  #sampler: GaugeSampler | undefined
  readonly live: LiveRing
  readonly sessions: Sessions
  /** By the name of their dialect. */
  readonly residents = new Map<string, object>()
  isReady = true
  status: SourcesAnswer = {
    startedMs: 0,
    dialects: [],
    listeners: [],
    sources: [],
    connections: [],
    limits: [],
    errors: [],
    refusals: [],
  }
  readonly #exportRules: ReadonlyMap<string, ExportRules>
  readonly movingAverages = new Map<number, Rates>()

  /** @param options sections of its configuration that differ from the defaults, by dialect */
  constructor(
    ring?: LiveRing['options'],
    sessionsLimit?: number,
    options: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
  ) {
    this.#exportRules = exportRulesOf(DIALECTS, (name) => options[name] ?? {})
    this.live = new LiveRing(ring)
    this.sessions = new Sessions(sessionsLimit)
    this.residents.set('eventcounters', new EventCountersResident(this, { sessionsLimit: 64 }))
    this.residents.set('wallaroo', NO_WORKERS)
  }

  exportRules(dialect: string): ExportRules {
    return this.#exportRules.get(dialect) ?? HOUSE_RULES
  }

  resident(dialect: string): object | undefined {
    return this.residents.get(dialect)
  }

  /** Adds a series and returns its id. */
  add(series: FakeSeries): number {
    const { name, kind, labels = [], qualifier, nameBytes, metadata, source } = series
    const isWindowed = series.isWindowed ?? false
    const identity: Identity = {
      name,
      kind,
      labels: sortLabels(labels),
      ...(qualifier === undefined ? {} : { qualifier }),
      ...(nameBytes === undefined ? {} : { nameBytes }),
    }
    const { record } = this.#register(identity, { dialect: 'statshero', ...metadata }, source, {
      isWindowed,
    })
    return record.id
  }

  count(id: number, increment: Exact): void {
    const held = this.series.held(id)
    held.total = addExact(held.total, increment)
    held.open.delta = addExact(held.open.delta, increment)
  }

  /** A negative increment: goes to the series' decrements. */
  countDown(id: number, size: Exact): void {
    const { record } = this.series.held(id)
    if (record.kind !== 'counter') throw new TypeError(`series ${id} is a ${record.kind}`)
    record.decrements ??= this.#registerDecrements(record)
    this.count(record.decrements.id, size)
  }

  /** @param spread of a gauge that was sampled more than once in the running second */
  set(id: number, value: Exact, spread?: PlainSpread): void {
    const held = this.series.held(id)
    held.value = value
    held.open.value = value
    held.open.spread = spread
  }

  observe(id: number, value: Exact, count: Exact = 1): void {
    const held = this.series.held(id)
    held.all.record(value, count)
    held.open.histogram.record(value, count)
  }

  /** Replaces what a histogram holds: for distributions that no observation makes. */
  replace(id: number, histogram: Histogram): void {
    this.series.held(id).all = histogram
  }

  /** Adds observations that are a histogram already. */
  merge(id: number, histogram: Histogram): void {
    const held = this.series.held(id)
    held.all.mergeFrom(histogram)
    held.open.histogram.mergeFrom(histogram)
  }

  sample(id: number, value: number): void {
    const held = this.series.held(id)
    held.open.summary = addToSummary(held.open.summary, value)
    held.open.hasWindow = true
  }

  /** A window without observations. */
  emptyWindow(id: number): void {
    this.series.held(id).open.hasWindow = true
  }

  /** Closes a frame of so many seconds and hands it to ring and sessions. */
  tick(seconds = 1): Frame {
    this.clock.advance(seconds * 1000)
    const builder = new FrameBuilder()
    for (const held of this.series.all()) this.#close(held, builder)
    const frame = builder.build(this.clock.wallMs(), seconds)
    this.live.push(frame)
    this.told = { ...this.told, endMs: frame.endMs }
    this.sessions.push(frame)
    return frame
  }

  sampleGauges(): SampleDemand {
    this.#sampler ??= new GaugeSampler({
      clock: this.clock,
      samples: this.samples,
      find: (id) => this.series.get(id),
      read: ({ id }) => Number(this.series.held(id).value ?? Number.NaN),
    })
    return this.#sampler.open()
  }

  total(record: SeriesRecord): Total {
    const held = this.series.held(record.id)
    switch (record.kind) {
      case 'counter': {
        const decrements =
          record.decrements === undefined ? 0 : this.series.held(record.decrements.id).total
        return { kind: 'counter', total: held.total, decrements }
      }
      case 'gauge':
        return { kind: 'gauge', value: held.value }
      case 'histogram':
        return { kind: 'histogram', histogram: held.all }
      case 'summary': {
        const summary = mergeSummaries(held.summary, held.open.summary)
        return { kind: 'summary', summary, sum: summarySum(summary), last: held.last }
      }
    }
  }

  told: HubView['told'] = {
    of: (record) => {
      const { told } = this.series.held(record.id)
      if (record.kind !== 'counter' || record.decrements === undefined) return told
      return subtractExact(told, this.series.held(record.decrements.id).told)
    },
    endMs: START_MS,
  }

  countersOf(records: readonly CounterRecord[], totals: BigUint64Array): void {
    for (const [i, { id }] of records.entries()) totals[i] = BigInt(this.series.held(id).total)
  }

  rates(record: SeriesRecord): Rates | undefined {
    return this.movingAverages.get(record.id)
  }

  sources(): SourcesAnswer {
    return this.status
  }

  /** Takers of taps, by the name of the listener; those listed in `status` have some. */
  readonly taps = new Map<string, Set<TakeTapped>>()

  tap(listener: string, take: TakeTapped): (() => void) | undefined {
    if (!this.status.listeners.some(({ name }) => name === listener)) return undefined
    const takers = this.taps.get(listener) ?? new Set()
    this.taps.set(listener, takers.add(take))
    return () => takers.delete(take)
  }

  #close(held: Held, builder: FrameBuilder): void {
    const { open, record } = held
    held.open = emptyWindow()
    if (open.delta !== 0) builder.counter(record.id, open.delta)
    if (open.value !== undefined) builder.gauge(record.id, open.value, open.spread)
    if (!open.histogram.isEmpty) builder.histogram(record.id, open.histogram)
    if (open.summary.count > 0) builder.summary(record.id, open.summary)
    if (open.hasWindow) held.last = open.summary
    held.summary = mergeSummaries(held.summary, open.summary)
    held.told = held.total
    if (record.kind === 'histogram') held.told = exact(held.all.count)
    if (record.kind === 'summary') held.told = held.summary.count
    if (hasData(open)) record.lastDataMs = this.clock.wallMs()
  }

  #registerDecrements({ id: wholeId, identity, metadata, source }: CounterRecord): CounterRecord {
    const decrements = { ...identity, name: `${identity.name}.decrement` }
    const { record } = this.#register(decrements, metadata, source, { wholeId })
    if (record.kind !== 'counter') throw new TypeError(`${record.kind} for decrements`)
    return record
  }

  #register(identity: Identity, metadata: Metadata, source = '127.0.0.1', form: Form): Held {
    const times = { firstSeenMs: this.clock.wallMs(), lastDataMs: this.clock.wallMs() }
    const id = this.series.length
    return this.series.add(
      recordOf({ id, identity, metadata, source, metric: 0, ...times, isKept: false }, form),
    )
  }
}

class FakeSeriesList implements SeriesList {
  revision = 0
  readonly #held: (Held | undefined)[] = []
  readonly #watchers: SeriesWatcher[] = []

  get lastId(): number {
    return this.#held.length - 1
  }

  readonly exemplars = new Exemplars(100)

  get size(): number {
    return this.#held.length
  }

  /** Of all there have been: the next id. */
  get length(): number {
    return this.#held.length
  }

  add(record: SeriesRecord): Held {
    const held: Held = {
      record,
      total: 0,
      told: 0,
      value: undefined,
      all: new Histogram(),
      summary: EMPTY_SUMMARY,
      last: EMPTY_SUMMARY,
      open: emptyWindow(),
    }
    this.#held.push(held)
    this.revision++
    return held
  }

  held(id: number): Held {
    return this.#held[id]!
  }

  *all(): Iterable<Held> {
    for (const held of this.#held) if (held !== undefined) yield held
  }

  /** Expires a series. */
  remove(id: number): void {
    for (const watcher of this.#watchers) watcher.leaves(this.held(id).record)
    this.#held[id] = undefined
    this.revision++
  }

  /** Changes what is known of a series. */
  annotate(id: number, metadata: Partial<Metadata>): void {
    const { record } = this.held(id)
    for (const watcher of this.#watchers) watcher.changes(record)
    record.metadata = { ...record.metadata, ...metadata }
    this.revision++
  }

  keyOf({ identity }: SeriesRecord): Uint8Array {
    return identityKey(identity)
  }

  keep<R extends SeriesRecord>(record: R): R {
    return record
  }

  isListed(record: SeriesRecord): boolean {
    return this.get(record.id) === record
  }

  watch(watcher: SeriesWatcher): void {
    this.#watchers.push(watcher)
  }

  retire({ id }: SeriesRecord): boolean {
    if (this.#held[id] === undefined) return false
    this.remove(id)
    return true
  }

  get(id: number): SeriesRecord | undefined {
    return this.#held[id]?.record
  }

  *[Symbol.iterator](): Iterator<SeriesRecord> {
    for (const { record } of this.all()) yield record
  }
}

function recordOf(
  any: Omit<GaugeRecord, 'kind'>,
  { isWindowed = false, wholeId }: Form,
): SeriesRecord {
  const open = { isWaiting: false, windows: undefined }
  switch (any.identity.kind) {
    case 'counter': {
      const parts = {
        decrements: undefined,
        begun: undefined,
        reading: undefined,
        falls: undefined,
        wholeId,
        isDecrements: wholeId !== undefined,
      }
      return { ...any, kind: 'counter', ...parts, ...open }
    }
    case 'gauge':
      return { ...any, kind: 'gauge' }
    case 'histogram':
      return { ...any, kind: 'histogram', isWindowed, ...open }
    case 'summary':
      return { ...any, kind: 'summary', ...open }
  }
}

function hasData({ delta, value, histogram, hasWindow }: Held['open']): boolean {
  return delta !== 0 || value !== undefined || !histogram.isEmpty || hasWindow
}

function emptyWindow(): Held['open'] {
  return {
    delta: 0,
    value: undefined,
    spread: undefined,
    histogram: new Histogram(),
    summary: EMPTY_SUMMARY,
    hasWindow: false,
  }
}
