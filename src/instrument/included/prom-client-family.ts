/**
 * Our metrics in a register of `prom-client` or `@prometheus-io/client`: one metric object for each
 * family, made as instruments are, so that the register's own text and JSON have them, too.
 */
import { exportedSum, forEachBound } from '../../exposition/distribution.ts'
import type { Exact, Kind } from '../../model/index.ts'
import type { RegistryReadings } from '../readings/metrics-readings.ts'
import { type Family, namedFamilies, type Row, sampleOf } from '../readings/metrics-text.ts'
import type { Reading } from '../readings/reading.ts'
import type { CounterRegistry } from '../registry.ts'
import type { IncludedSource } from './included-sources.ts'
import {
  OURS,
  type PromClientRegister,
  type PromClientSource,
  type RegisterValue,
} from './prom-client-source.ts'

/** Metric as a register calls it. */
interface MetricObject {
  readonly name: string
  readonly help: string
  readonly type: Kind
  readonly aggregator: 'sum'
  readonly [OURS]: true
  get(): Promise<object>
}

interface Parts {
  readonly registry: CounterRegistry
  readonly readings: RegistryReadings
  /** Source of that very register, which is not shown to itself. */
  readonly own: () => PromClientSource | undefined
}

/** Shows the metrics of a registry in a register, until it is closed. */
export function showIn(register: PromClientRegister, parts: Parts): IncludedSource {
  const { registry, readings, own } = parts
  const shown = new Map<string, MetricObject>()
  let round: Promise<ReadonlyMap<string, Family>> | undefined

  /** Reads all once for the metrics that are asked together. */
  const families = (): Promise<ReadonlyMap<string, Family>> => {
    round ??= read()
    return round
  }
  const read = async (): Promise<ReadonlyMap<string, Family>> => {
    // all metrics of a register are asked before anything else happens
    setImmediate(() => {
      round = undefined
    })
    await readings.gather()
    const named = namedFamilies(readings.read(own()))
    add(named)
    return new Map(named.map((family) => [nameOf(family), family]))
  }
  const add = (named: readonly Family[]): void => {
    for (const family of named) {
      const name = nameOf(family)
      if (shown.has(name)) continue
      const metric = metricOf(family, async () => {
        return own()?.isReading ? undefined : (await families()).get(name)
      })
      shown.set(name, metric)
      try {
        register.registerMetric(metric as never)
      } catch {
        const message = `the register has another metric named ${name}: ours is not shown there`
        registry.report('duplicate_counters', message)
      }
    }
  }
  const stop = registry.onCounter(({ kind, counter }) => {
    if (kind !== 'added') return
    const { description, labels, modelKind } = counter
    // the values do not matter yet: they are read when the register is
    add(namedFamilies([{ description, labels, kind: modelKind } as Reading]))
  })
  add(namedFamilies(readings.read(own())))
  return {
    close() {
      stop()
      for (const name of shown.keys()) register.removeSingleMetric(name)
      shown.clear()
    },
  }
}

function nameOf({ name, type }: Family): string {
  return type === 'counter' ? `${name}_total` : name
}

function metricOf(family: Family, find: () => Promise<Family | undefined>): MetricObject {
  const { type, help } = family
  const name = nameOf(family)
  return {
    ...{ name, help, type, aggregator: 'sum', [OURS]: true },
    async get() {
      const now = await find()
      const values = now?.rows.flatMap((row) => valuesOf(name, type, row)) ?? []
      return { name, help, type, values, aggregator: 'sum', [OURS]: true }
    },
  }
}

function valuesOf(name: string, type: Kind, row: Row): readonly RegisterValue[] {
  const { reading, shift, labels: pairs } = row
  const labels = Object.fromEntries(pairs)
  const scaled = (value: Exact): number => Number(value) / 10 ** shift
  const part = (suffix: string, value: number): RegisterValue => {
    return { metricName: `${name}_${suffix}`, labels, value }
  }
  if (type === 'histogram' && reading.kind === 'histogram') {
    const { histogram } = reading
    const buckets: RegisterValue[] = []
    const bucket = (le: number | string, seen: bigint): void => {
      buckets.push({ ...part('bucket', Number(seen)), labels: { le, ...labels } })
    }
    const count = forEachBound(histogram, false, (bound, seen) => bucket(scaled(bound), seen))
    bucket('+Inf', count)
    return [...buckets, part('sum', scaled(exportedSum(histogram))), part('count', Number(count))]
  }
  if (type === 'summary' && reading.kind === 'summary') {
    const { quantiles = [], sum, count } = reading
    const values = quantiles.map(([quantile, value]) => ({
      labels: { quantile, ...labels },
      value,
    }))
    return [...values, part('sum', scaled(sum)), part('count', count)]
  }
  const value = scaled(sampleOf(row))
  return Number.isNaN(value) ? [] : [{ labels, value }]
}
