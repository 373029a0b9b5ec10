/** One filter in threads of its own over a zone of its own: requests in, metrics and counts out. */

import { type MetricMode, Zone, type ZoneReader } from '../../../shm/index.ts'
import { printable } from '../../../terminal/index.ts'
import type { HostMode } from '../host/abi.ts'
import { type FilterModule, FilterRefusedError } from '../host/module/module.ts'
import type { FilterLogLine, FilterOptions } from '../host/options.ts'
import { addStatistics, type FilterStatistics } from '../host/statistics.ts'
import type { FilterOutcome, FilterRequest } from '../host/stream/exchange.ts'
import { FilterThread } from '../host/thread/thread.ts'
import { type ThreadValues, valuesOf } from '../hub/settings/values.ts'
import type { JsonDocument, JsonMetric } from '../spec.ts'
import { slabSizeOf } from '../store/filter-settings.ts'
import { checkRules, type StoreOptions, zoneOptions } from '../store/options.ts'
import { spaceSource } from '../store/space.ts'
import { documentType } from '../store/values.ts'
import { metricLines, metricRows, readMetrics } from './metrics.ts'
import { refusedError } from './wasm-file.ts'

type StoreKnobs = Pick<StoreOptions, 'slabSize' | 'maxMetricNameLength' | 'histogram' | 'workers'>

/** Bytes that its zone may take also with a small slab: segments of threads lie beside that. */
const ZONE_BYTES_LEAST = 268_435_456

interface FilterRunOptions extends Required<StoreKnobs> {
  readonly path: string
  readonly module: FilterModule
  readonly filter: FilterOptions
  readonly host: HostMode
  readonly profile: 'document' | 'peer'
  readonly callTimeoutMs: number
  /** Unit of its histograms. */
  readonly unit: string
  /** Whether names are shown with their prefix. */
  readonly isPrefixShown: boolean
  readonly onLog: (line: FilterLogLine) => void
}

/** Report that `--json` prints. */
export interface RunReport {
  readonly filter: string
  readonly abi: string
  readonly host: HostMode
  readonly statistics: FilterStatistics
  /** Metrics by prefixed name, in the shape of the original's Lua library. */
  readonly metrics: JsonDocument
  /** Values by thread, of a filter with several. */
  readonly threads?: readonly ThreadValues[]
}

export class FilterRun {
  readonly #options: FilterRunOptions
  readonly #zone: Zone
  readonly #reader: ZoneReader
  readonly #threads: readonly FilterThread[]
  /** Number of requests sent, by which threads take turns. */
  #turn = 0

  private constructor(options: FilterRunOptions, zone: Zone, threads: readonly FilterThread[]) {
    this.#options = options
    this.#zone = zone
    this.#reader = zone.reader()
    this.#threads = threads
  }

  /** @throws {CommandError} when the filter does not start */
  static async start(options: FilterRunOptions): Promise<FilterRun> {
    const { path, module, filter, callTimeoutMs, workers, onLog } = options
    const { host, profile, slabSize, maxMetricNameLength, histogram } = options
    const stored: StoreOptions = {
      ...{ host, slabSize, maxMetricNameLength, histogram, workers },
      ...{ backing: 'wasm', onFull: 'error' },
      // Envoy has names of its own
      ...(host === 'envoy' ? {} : { profile }),
    }
    const rules = checkRules(stored)
    const room = Math.max(ZONE_BYTES_LEAST, slabSizeOf(slabSize))
    const zone = Zone.create(zoneOptions({ ...stored, zoneBytesLimit: room }, rules))
    const space = spaceSource({ zone: zone.shared, rules })
    const threads: FilterThread[] = []
    try {
      for (let i = 0; i < workers; i++) {
        const sharedData = threads[0]?.sharedData
        const parts = { space, callTimeoutMs, sharedData, onLog }
        threads.push(await FilterThread.start(module, filter, parts))
      }
      return new FilterRun(options, zone, threads)
    } catch (error) {
      await Promise.all(threads.map((thread) => thread.close()))
      if (error instanceof FilterRefusedError) throw refusedError(path, error)
      throw error
    }
  }

  /** Sends a request through the thread whose turn it is. */
  request(request: FilterRequest): Promise<FilterOutcome> {
    return this.#threads[this.#turn++ % this.#threads.length]!.request(request)
  }

  #counts(): FilterStatistics {
    return this.#threads.map((thread) => thread.statistics()).reduce(addStatistics)
  }

  #byThread(): ThreadValues[] {
    const zone = this.#zone
    const metrics = Array.from({ length: zone.metrics }, (_, metric) => metric)
    const shapes = metrics
      .filter((metric) => zone.has(metric))
      .map((metric) => {
        const mode = zone.mode(metric) as MetricMode
        return { metric, mode, kind: documentType(zone.type(metric)), prefixed: zone.key(metric) }
      })
    const segments = this.#threads.map(({ segment }) => segment)
    return valuesOf(this.#reader, shapes, segments)
  }

  /** True once a request failed or the filter trapped. */
  get hasFailed(): boolean {
    const { requestsFailed, traps, callTimeouts } = this.#counts()
    return requestsFailed + traps + callTimeouts > 0
  }

  /** Writes the table, and below it what the filter did and cost. */
  lines(): string[] {
    const { filter, unit, host, histogram, isPrefixShown } = this.#options
    const counts = this.#counts()
    const document = readMetrics(this.#zone, this.#reader, host)
    const rows = metricRows(document, {
      ...{ unit, hasWrapped: counts.gaugeWraps > 0, isDense: histogram === 'dense' },
      ...(isPrefixShown ? {} : { filter: filter.name }),
      ...(this.#threads.length === 1 ? {} : { threads: this.#byThread() }),
    })
    return [...metricLines(rows), '', ...statisticsLines(counts)]
  }

  report(): RunReport {
    const { filter, module, host, profile } = this.#options
    const metrics = readMetrics(this.#zone, this.#reader, host)
    return {
      filter: filter.name,
      abi: module.abi,
      host,
      statistics: this.#counts(),
      metrics: profile === 'peer' ? metrics : withoutSums(metrics),
      ...(this.#threads.length === 1 ? {} : { threads: this.#byThread() }),
    }
  }

  close(): Promise<unknown> {
    return Promise.all(this.#threads.map((thread) => thread.close()))
  }
}

/** Leaves out what the document's shape of a histogram has no place for, as the store does. */
function withoutSums(metrics: JsonDocument): JsonDocument {
  const entries = Object.entries(metrics).map(([name, metric]): [string, JsonMetric] => {
    if (metric.type !== 'histogram') return [name, metric]
    const { sum: _, ...others } = metric
    return [name, others]
  })
  return Object.fromEntries(entries)
}

const PROBLEMS: readonly (readonly [keyof FilterStatistics, string])[] = [
  ['traps', 'traps'],
  ['callTimeouts', 'calls that took too long'],
  ['startsRefused', 'starts refused'],
  ['definitionsRefused', 'definitions refused'],
  ['sharedRefused', 'shared values refused'],
  ['valuesDropped', 'values dropped'],
  ['badCalls', 'metric calls refused'],
  ['counterResets', 'counters recorded lower'],
  ['gaugeWraps', 'gauges below zero'],
  ['idCollisions', 'ids that collide'],
  ['logLinesDropped', 'log lines dropped'],
]

function statisticsLines(counts: FilterStatistics): string[] {
  const { requests, requestsFailed, ticks, calls, callbackNs, memoryBytes, instances } = counts
  const each = calls === 0 ? 0 : callbackNs / calls / 1000
  const cost = `${calls} calls into the filter, ${each.toFixed(1)} µs each`
  const lines = [
    `requests ${requests}, failed ${requestsFailed}; ticks ${ticks}; ${cost}`,
    `memory ${(memoryBytes / 1024).toFixed(0)} KiB; instances ${instances}`,
  ]
  const problems = PROBLEMS.filter(([field]) => Number(counts[field]) > 0)
  if (problems.length > 0) {
    lines.push(problems.map(([field, words]) => `${words} ${counts[field]}`).join('; '))
  }
  const called = counts.unknownImports.filter((each) => each.calls > 0)
  for (const { name, calls: times } of called) {
    lines.push(`import not served: ${printable(name)}, called ${times} times`)
  }
  return lines
}
