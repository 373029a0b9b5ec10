/** One filter in its own thread over a zone of its own: requests in, metrics and counts out. */

import { Zone, type ZoneReader } from '../../../shm/index.ts'
import { printable } from '../../../terminal/index.ts'
import type { HostMode } from '../host/abi.ts'
import { type FilterModule, FilterRefusedError } from '../host/module/module.ts'
import type { FilterLogLine, FilterOptions } from '../host/options.ts'
import type { FilterStatistics } from '../host/statistics.ts'
import type { FilterOutcome, FilterRequest } from '../host/stream/exchange.ts'
import { FilterThread } from '../host/thread/thread.ts'
import type { JsonDocument, JsonMetric } from '../spec.ts'
import { zoneSpaceSource } from '../store/space.ts'
import { metricLines, metricRows, readMetrics } from './metrics.ts'
import { refusedError } from './wasm-file.ts'

interface FilterRunOptions {
  readonly path: string
  readonly module: FilterModule
  readonly filter: FilterOptions
  readonly host: HostMode
  readonly profile: 'document' | 'peer'
  readonly callTimeoutMs: number
  /** Unit of its histograms. */
  readonly unit: string
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
}

export class FilterRun {
  readonly #options: FilterRunOptions
  readonly #zone: Zone
  readonly #reader: ZoneReader
  readonly #thread: FilterThread

  private constructor(options: FilterRunOptions, zone: Zone, thread: FilterThread) {
    this.#options = options
    this.#zone = zone
    this.#reader = zone.reader()
    this.#thread = thread
  }

  /** @throws {CommandError} when the filter does not start */
  static async start(options: FilterRunOptions): Promise<FilterRun> {
    const { path, module, filter, host, profile, callTimeoutMs, onLog } = options
    const zone = Zone.create({ backing: 'wasm' })
    const space = zoneSpaceSource({ shared: zone.shared, host, profile })
    try {
      const thread = await FilterThread.start(module, filter, { space, callTimeoutMs, onLog })
      return new FilterRun(options, zone, thread)
    } catch (error) {
      if (error instanceof FilterRefusedError) throw refusedError(path, error)
      throw error
    }
  }

  request(request: FilterRequest): Promise<FilterOutcome> {
    return this.#thread.request(request)
  }

  /** True once a request failed or the filter trapped. */
  get hasFailed(): boolean {
    const { requestsFailed, traps, callTimeouts } = this.#thread.statistics()
    return requestsFailed + traps + callTimeouts > 0
  }

  /** Writes the table, and below it what the filter did and cost. */
  lines(): string[] {
    const { filter, unit, host } = this.#options
    const counts = this.#thread.statistics()
    const document = readMetrics(this.#zone, this.#reader, host)
    const rows = metricRows(document, filter.name, unit, counts.gaugeWraps > 0)
    return [...metricLines(rows), '', ...statisticsLines(counts)]
  }

  report(): RunReport {
    const { filter, module, host, profile } = this.#options
    const metrics = readMetrics(this.#zone, this.#reader, host)
    return {
      filter: filter.name,
      abi: module.abi,
      host,
      statistics: this.#thread.statistics(),
      metrics: profile === 'peer' ? metrics : withoutSums(metrics),
    }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

/** Leaves out what the document's shape of a histogram has no place for, as the store does. */
function withoutSums(metrics: JsonDocument): JsonDocument {
  const entries = Object.entries(metrics).map(([name, metric]): [string, JsonMetric] => {
    return [name, metric.type === 'histogram' ? { type: metric.type, value: metric.value } : metric]
  })
  return Object.fromEntries(entries)
}

const PROBLEMS: readonly (readonly [keyof FilterStatistics, string])[] = [
  ['traps', 'traps'],
  ['callTimeouts', 'calls that took too long'],
  ['startsRefused', 'starts refused'],
  ['definitionsRefused', 'definitions refused'],
  ['sharedRefused', 'shared values refused'],
  ['badCalls', 'metric calls refused'],
  ['counterResets', 'counters set lower'],
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
