/**
 * The filters that a hub runs, each in a thread of its own. Their metrics are ordinary series of
 * the hub's zone: the threads define and write them, and announce each one to the main thread.
 */
import { BroadcastChannel } from 'node:worker_threads'
import { ConfigError } from '../../../hub/config/values.ts'
import type { SharedSources } from '../../../hub/live/totals.ts'
import type { Log } from '../../../hub/log.ts'
import type { DialectOptions, Measured, Resident, ResidentContext } from '../../../hub/resident.ts'
import type { SeriesStore } from '../../../hub/series/series.ts'
import type { ErrorReports } from '../../../hub/status/reports.ts'
import type { DialectStatus } from '../../../hub/status/status.ts'
import type { Task } from '../../../hub/tasks/task.ts'
import type { ReportColumns } from '../../../hub/threads/messages.ts'
import type { HubView } from '../../../hub/view.ts'
import type { Zone } from '../../../shm/index.ts'
import type { Clock } from '../../../time/clock.ts'
import type { MetricSpaceSource } from '../host/metric-space.ts'
import type { FilterStatus, MetricsAnswer, SlabAnswer, ValuesAnswer } from '../http/api.ts'
import type { FilterConfig } from '../options.ts'
import { NAME } from '../spec.ts'
import {
  FilterSettings,
  type MetricNames,
  type SettingValues,
  slabMisfit,
  slabSizeOf,
  WORKERS_LIMIT,
} from '../store/filter-settings.ts'
import { histogramRuleOf } from '../store/histogram-rule.ts'
import type { Announcement } from './announcement.ts'
import { HubFilter } from './hub-filter.ts'
import { hubSpaceSource } from './hub-space.ts'
import type { CodeCount } from './problems.ts'
import { MetricNaming, type Misnamed } from './settings/renaming.ts'
import { misfitOf, type SlabMetric, slabOf } from './settings/slab.ts'
import { valuesOf } from './settings/values.ts'

/** Owners of the quota's lock: beyond all ingest threads. */
const FIRST_OWNER = 4096
const DIALECT = NAME
/** Turns of the event loop, at a stop, in which the last announcements come. */
const LAST_TURNS = 3

const NO_REPORTS: ReportColumns = {
  errors: [],
  errorsOfSources: [],
  refusals: [],
  names: [],
  notes: [],
  decodeNotes: [],
  counts: [],
  log: [],
  logLinesLeftOut: 0,
}

interface FiltersParts {
  readonly zone: Zone
  readonly store: SeriesStore
  readonly reports: ErrorReports
  readonly clock: Clock
  readonly log: Log
}

class FiltersResident implements SharedSources, Measured, Resident {
  readonly #parts: FiltersParts
  readonly #filters: readonly HubFilter[]
  readonly #bySource: ReadonlyMap<string, HubFilter>
  readonly #errors = new Map<string, number>()
  #active = new Set<string>()
  readonly #settings: FilterSettings
  readonly #naming: MetricNaming
  /** Metrics by their numbers, in the order of definition. */
  readonly #metrics = new Map<number, SlabMetric>()
  /** Use of the slab, reckoned anew when there is a further metric or another setting. */
  #slab: { readonly state: string; readonly answer: SlabAnswer } | undefined
  /** Settles when the change before is through. */
  #changed: Promise<unknown> = Promise.resolve()
  readonly #channel: BroadcastChannel | undefined

  constructor(options: HubFilterOptions, parts: FiltersParts) {
    const configs = options.filters
    this.#parts = parts
    this.#settings = FilterSettings.create({
      ...options,
      slabSize: slabSizeOf(options.slabSize),
      histogram: histogramRuleOf(options.histogram),
    })
    this.#filters = configs.map((config, i) => {
      const spaceOf = (worker: number) => this.#spaceOf(config, ownerOf(i, worker))
      return new HubFilter(config, spaceOf, parts.clock, parts.log)
    })
    this.#bySource = new Map(this.#filters.map((filter) => [filter.source, filter]))
    this.#naming = new MetricNaming(parts.store, this.#bySource)
    if (configs.length === 0) return
    // a hub without filters starts without it
    const { randomUUID } = process.getBuiltinModule('node:crypto')
    this.#channel = new BroadcastChannel(`pentameter-filters-${randomUUID()}`)
    this.#channel.unref()
    this.#channel.onmessage = (event) =>
      this.#hear((event as unknown as { data: Announcement }).data)
  }

  get size(): number {
    return this.#filters.length
  }

  /** Starts all; resolves when each one runs or is refused. */
  async start(): Promise<void> {
    const { workers } = this.#settings
    await Promise.all(this.#filters.map((filter) => filter.start(workers)))
  }

  #spaceOf(config: FilterConfig, thread: number): MetricSpaceSource {
    const { zone, store } = this.#parts
    return hubSpaceSource({
      zone: zone.shared,
      quota: store.quota.shared,
      limits: store.limits,
      thread,
      settings: this.#settings.shared,
      channel: this.#channel!.name,
      filter: config,
      labelPatterns: config.labelPatterns,
    })
  }

  #hear(announcement: Announcement): void {
    const { store, reports } = this.#parts
    if (announcement.kind === 'series') {
      const { series, metric, type: kind, prefixed } = announcement
      store.adopt(series, metric)
      if (this.#metrics.has(metric)) return
      const filter = series.source
      const shape = { ...series.storage!, nameBytes: prefixed.length }
      const defined = { ...shape, metric, filter, kind, prefixed }
      this.#metrics.set(metric, defined)
      this.#nameAsAll(defined)
    } else {
      const { code, name, source } = announcement
      reports.merge({ ...NO_REPORTS, names: [{ code, key: name, source }] })
    }
  }

  /** Names a metric as the others are, if they were renamed before it was heard of. */
  #nameAsAll(metric: SlabMetric): void {
    const { store, log } = this.#parts
    const { metricNames } = this.#settings
    const misnamed = store.quota.exclusively(() => this.#naming.nameAll([metric], metricNames))
    if (misnamed === undefined) return
    const facts = { metric: nameOf(metric), reason: misnamed.why, metricNames }
    log('warn', 'a metric of a filter keeps its name', facts)
  }

  /** Closes an interval: rates, and what went wrong in it. */
  *beforeClose(_endMs: number, seconds: number): Task {
    this.#filters.forEach((filter, i) => {
      const { measurements, problems, notes, timedOut } = filter.tick(seconds)
      if (measurements > 0) this.#active.add(filter.source)
      this.#report(filter.source, problems, notes)
      // a thread that was ended may have been defining
      for (const worker of timedOut) this.#parts.store.quota.releaseOf(ownerOf(i, worker))
    })
  }

  /** Filters called since the last call. */
  takeActive(): Set<string> {
    const active = this.#active
    this.#active = new Set()
    return active
  }

  get measured(): Measured {
    return this
  }

  get sharedSources(): SharedSources {
    return this
  }

  #report(source: string, problems: readonly CodeCount[], notes: readonly CodeCount[]): void {
    const ofDialect = (each: CodeCount) => ({ dialect: DIALECT, ...each })
    const refusals = problems.map(ofDialect)
    this.#parts.reports.merge({ ...NO_REPORTS, refusals, notes: notes.map(ofDialect) })
    const errors = problems.reduce((sum, { count }) => sum + count, 0)
    if (errors > 0) this.#errors.set(source, this.#errorsOf(source) + errors)
  }

  #errorsOf(source: string): number {
    return this.#errors.get(source) ?? 0
  }

  isActive(source: string): boolean {
    return this.#bySource.get(source)?.isActive ?? false
  }

  hasWrapped(source: string): boolean {
    return this.#bySource.get(source)?.hasWrapped ?? false
  }

  /** Requests and ticks of all filters since the start. */
  get measurements(): number {
    return this.#filters.reduce((sum, filter) => sum + filter.measurements, 0)
  }

  /** Settings of the filters' metrics, and the use of their slab. */
  metrics(): MetricsAnswer {
    const settings = this.#settings.values
    const state = JSON.stringify([settings, this.#metrics.size])
    if (this.#slab?.state !== state) {
      this.#slab = { state, answer: slabOf(this.#settings, this.#metrics) }
    }
    return { settings, slab: this.#slab.answer }
  }

  /** Reads a filter's metrics by its threads; undefined for a filter that there is not. */
  values(name: string, limit: number): ValuesAnswer | undefined {
    const filter = this.#filters.find(({ config }) => config.name === name)
    if (filter === undefined) return undefined
    const metrics = [...this.#metrics.values()].filter((each) => each.filter === filter.source)
    const shown = valuesOf(this.#parts.zone.reader(), metrics.slice(0, limit), filter.segments)
    return { filter: name, metrics: shown, count: metrics.length }
  }

  /**
   * Changes settings while the filters run, one change after the other; totals stay. Where the
   * number of workers or the size changes, all metrics must fit, as into the document's new zone; a
   * name length alone leaves longer names as they are.
   * @throws {SettingsError} when they do not, the zone is smaller than the slab, or a thread does
   * not start: then nothing has changed
   */
  reconfigure(change: Partial<SettingValues>): Promise<MetricsAnswer> {
    const changed = this.#changed.then(() => this.#reconfigure(change))
    this.#changed = changed.catch(() => {})
    return changed
  }

  async #reconfigure(change: Partial<SettingValues>): Promise<MetricsAnswer> {
    const { log, store } = this.#parts
    const before = this.#settings.values
    const next = { ...before, ...change }
    const misfit = slabMisfit(next.slabSize, store.limits.zoneBytesLimit)
    if (misfit !== undefined) throw new SettingsError(misfit)
    const isMoved = next.workers !== before.workers || next.slabSize !== before.slabSize
    store.quota.exclusively(() => {
      if (isMoved) this.#mustFit(next)
      this.#setNames(next.metricNames)
      this.#settings.set(next)
    })
    try {
      for (const filter of this.#filters) await filter.setWorkers(next.workers)
    } catch (error) {
      store.quota.exclusively(() => {
        this.#setNames(before.metricNames)
        this.#settings.set(before)
      })
      for (const filter of this.#filters) await filter.setWorkers(before.workers)
      throw new SettingsError((error as Error).message, { cause: error })
    }
    log('info', 'settings of filters changed', { ...next })
    return this.metrics()
  }

  /** @throws {SettingsError} with all names as they were */
  #setNames(names: MetricNames): void {
    if (names === this.#settings.metricNames) return
    refuse(this.#naming.nameAll(this.#metrics.values(), names))
  }

  #mustFit(next: SettingValues): void {
    refuse(misfitOf(this.#metrics.values(), next))
    const used = this.#settings.used(next.workers)
    if (used <= next.slabSize) return
    throw new SettingsError(`metrics take ${used} bytes, slab of ${next.slabSize}`)
  }

  statuses(): FilterStatus[] {
    const { store } = this.#parts
    return this.#filters.map((filter) => filter.status(store.countOf(filter.source)))
  }

  errorsOfSource(address: string): number {
    return this.#errorsOf(address)
  }

  status(): Readonly<Record<string, unknown>> {
    return { filters: this.statuses(), filterMetrics: this.metrics() }
  }

  /** Describes all filters as one meter. */
  describe(): Partial<DialectStatus> {
    const { store } = this.#parts
    const sources = this.#filters.map(({ source }) => source)
    const count = this.#filters.length
    return {
      address: `${count} ${count === 1 ? 'filter' : 'filters'} in this process`,
      errors: sources.reduce((sum, source) => sum + this.#errorsOf(source), 0),
      connections: this.statuses().filter(({ state }) => state === 'running').length,
      series: sources.reduce((sum, source) => sum + store.countOf(source), 0),
      tryIt: 'npx pentameter proxy-wasm run FILTER.wasm',
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#filters.map((filter) => filter.stop()))
    // what the threads said last has been sent, but perhaps not heard: it takes a turn to come
    for (let turn = 0; turn < LAST_TURNS; turn++) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#channel?.close()
  }
}

/** Settings that can't be: the reason says which metric, or which filter, stands against them. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

/** @throws {SettingsError} where a metric stands against the settings */
function refuse(misfit: Misnamed | undefined): void {
  if (misfit === undefined) return
  throw new SettingsError(`failed redefining metric "${nameOf(misfit.metric)}": ${misfit.why}`)
}

function nameOf({ prefixed }: SlabMetric): string {
  return new TextDecoder().decode(prefixed)
}

/** Gives the owner of the quota's lock that a worker of a filter is. */
function ownerOf(filter: number, worker: number): number {
  return FIRST_OWNER + filter * WORKERS_LIMIT + worker
}

/** Options of the dialect that filters of a hub have. */
type HubFilterOptions = Omit<SettingValues, 'slabSize' | 'histogram'> & {
  readonly slabSize: string
  readonly histogram: string
  readonly filters: readonly FilterConfig[]
}

/** Finds the filters of a hub. */
export function filterResidentOf(hub: Pick<HubView, 'resident'>): FiltersResident | undefined {
  return hub.resident(NAME) as FiltersResident | undefined
}

/**
 * Makes the resident of a hub that has filters to run.
 * @throws {ConfigError} for a slab that is larger than the hub's zone
 */
export function createResident(context: ResidentContext): FiltersResident | undefined {
  const filters = filtersOf(context.options)
  if (filters.length === 0) return undefined
  const options = context.options as unknown as HubFilterOptions
  const misfit = slabMisfit(slabSizeOf(options.slabSize), context.store.limits.zoneBytesLimit)
  if (misfit !== undefined) throw new ConfigError([`${NAME}.slabSize: ${misfit}`])
  return new FiltersResident(options, context)
}

/** Reads the filters of a configuration. */
export function filtersOf(options: DialectOptions): readonly FilterConfig[] {
  return (options.filters ?? []) as readonly FilterConfig[]
}
