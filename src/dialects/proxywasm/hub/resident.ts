/**
 * The filters that a hub runs, each in a thread of its own. Their metrics are ordinary series of
 * the hub's zone: the threads define and write them, and announce each one to the main thread.
 */
import { BroadcastChannel } from 'node:worker_threads'
import type { SharedSources } from '../../../hub/live/totals.ts'
import type { Log } from '../../../hub/log.ts'
import type { DialectOptions, Measured, Resident, ResidentContext } from '../../../hub/resident.ts'
import type { SeriesStore } from '../../../hub/series/series.ts'
import type { ErrorReports } from '../../../hub/status/reports.ts'
import type { DialectStatus } from '../../../hub/status/status.ts'
import type { Task } from '../../../hub/tasks/task.ts'
import type { ReportColumns } from '../../../hub/threads/messages.ts'
import type { Zone } from '../../../shm/index.ts'
import type { Clock } from '../../../time/clock.ts'
import type { MetricSpaceSource } from '../host/metric-space.ts'
import type { FilterStatus } from '../http/api.ts'
import type { FilterConfig } from '../options.ts'
import { NAME } from '../spec.ts'
import type { Announcement } from './announcement.ts'
import { HubFilter } from './hub-filter.ts'
import { hubSpaceSource } from './hub-space.ts'
import type { CodeCount } from './problems.ts'

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
  readonly #channel: BroadcastChannel | undefined

  constructor(configs: readonly FilterConfig[], parts: FiltersParts) {
    this.#parts = parts
    this.#filters = configs.map((config) => new HubFilter(config, parts.clock, parts.log))
    this.#bySource = new Map(this.#filters.map((filter) => [filter.source, filter]))
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
    await Promise.all(this.#filters.map((filter, i) => filter.start(this.#spaceOf(filter, i))))
  }

  #spaceOf({ config }: HubFilter, index: number): MetricSpaceSource {
    const { zone, store } = this.#parts
    return hubSpaceSource({
      zone: zone.shared,
      quota: store.quota.shared,
      limits: store.limits,
      thread: FIRST_OWNER + index,
      channel: this.#channel!.name,
      filter: config,
      labelPatterns: config.labelPatterns,
    })
  }

  #hear(announcement: Announcement): void {
    const { store, reports } = this.#parts
    if (announcement.kind === 'series') store.adopt(announcement.series, announcement.metric)
    else {
      const { code, name, source } = announcement
      reports.merge({ ...NO_REPORTS, names: [{ code, key: name, source }] })
    }
  }

  /** Closes an interval: rates, and what went wrong in it. */
  *beforeClose(_endMs: number, seconds: number): Task {
    this.#filters.forEach((filter, i) => {
      const { measurements, problems, notes } = filter.tick(seconds)
      if (measurements > 0) this.#active.add(filter.source)
      this.#report(filter.source, problems, notes)
      // a thread that was ended may have been defining
      if (problems.some(({ code }) => code === 'call_timeout')) {
        this.#parts.store.quota.releaseOf(FIRST_OWNER + i)
      }
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

  statuses(): FilterStatus[] {
    const { store } = this.#parts
    return this.#filters.map((filter) => filter.status(store.countOf(filter.source)))
  }

  errorsOfSource(address: string): number {
    return this.#errorsOf(address)
  }

  status(): Readonly<Record<string, unknown>> {
    return { filters: this.statuses() }
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
      tryIt: 'pentameter proxy-wasm run FILTER.wasm --serve',
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

/** Makes the resident of a hub that has filters to run. */
export function createResident(context: ResidentContext): FiltersResident | undefined {
  const filters = filtersOf(context.options)
  return filters.length === 0 ? undefined : new FiltersResident(filters, context)
}

/** Reads the filters of a configuration. */
export function filtersOf(options: DialectOptions): readonly FilterConfig[] {
  return (options.filters ?? []) as readonly FilterConfig[]
}
