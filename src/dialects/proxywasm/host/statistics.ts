/**
 * What a filter did and cost, as numbers in shared memory: the host writes them with plain stores,
 * any thread reads them at any moment, also while the filter loops, and they outlive the thread.
 *
 *   [field: f64] x FIELDS | [calls: f64] per unknown import
 */
const FIELDS = [
  'instances',
  'calls',
  'callbackNs',
  'requests',
  'requestsFailed',
  'ticks',
  'traps',
  'callTimeouts',
  'startsRefused',
  'badCalls',
  'metrics',
  'definitionsRefused',
  'idCollisions',
  'counterResets',
  'gaugeWraps',
  'valuesDropped',
  'sharedRefused',
  'logLines',
  'logLinesDropped',
  'memoryBytes',
  // Odd while the filter runs: what the watchdog of its thread looks at.
  'turn',
] as const
type Field = (typeof FIELDS)[number]

/** Numbers counted since the filter was loaded; `memoryBytes` is the present instance's. */
export interface FilterStatistics extends Readonly<Record<Exclude<Field, 'turn'>, number>> {
  /** Imports that the host has only a stub for, and how often each was called. */
  readonly unknownImports: readonly { readonly name: string; readonly calls: number }[]
}

const AT = Object.freeze(Object.fromEntries(FIELDS.map((field, i) => [field, i]))) as Readonly<
  Record<Field, number>
>

/** The counts of one filter; written by the one thread that hosts it. */
export class FilterCounts {
  readonly shared: SharedArrayBuffer
  readonly #values: Float64Array
  readonly #unknown: readonly string[]

  /** @param shared of the counts to go on with; new ones without it */
  constructor(unknown: readonly string[], shared?: SharedArrayBuffer) {
    this.#unknown = unknown
    this.shared = shared ?? new SharedArrayBuffer((FIELDS.length + unknown.length) * 8)
    this.#values = new Float64Array(this.shared, 0, FIELDS.length + unknown.length)
  }

  add(field: Field, n = 1): void {
    const at = AT[field]
    this.#values[at] = this.#values[at]! + n
  }

  set(field: Field, value: number): void {
    this.#values[AT[field]] = value
  }

  get(field: Field): number {
    return this.#values[AT[field]]!
  }

  /** @returns whether it was the first call of this import */
  countUnknown(index: number): boolean {
    const at = FIELDS.length + index
    const calls = this.#values[at]! + 1
    this.#values[at] = calls
    return calls === 1
  }

  read(): FilterStatistics {
    const fields = FIELDS.filter((field) => field !== 'turn')
    const numbers = Object.fromEntries(fields.map((field) => [field, this.get(field)]))
    const unknownImports = this.#unknown.map((name, i) => ({
      name,
      calls: this.#values[FIELDS.length + i]!,
    }))
    return { ...(numbers as Record<Exclude<Field, 'turn'>, number>), unknownImports }
  }
}

/** Adds up all numbers of two threads of one filter; the second may have no imports. */
export function addStatistics(first: FilterStatistics, second: FilterStatistics): FilterStatistics {
  const { unknownImports, ...counts } = first
  const fields = Object.keys(counts) as (keyof typeof counts)[]
  const sums = Object.fromEntries(fields.map((field) => [field, counts[field] + second[field]]))
  const imports = unknownImports.map(({ name, calls }, i) => ({
    name,
    calls: calls + (second.unknownImports[i]?.calls ?? 0),
  }))
  return { ...(sums as typeof counts), unknownImports: imports }
}
