/** Metrics of one exposition, by what its metadata says and by the names of samples. */
import type { MetricType } from '../spec.ts'
import type { Family } from './sample.ts'

/** Endings of the samples of a metric, by its type. */
const ENDINGS: Readonly<Record<MetricType, readonly string[]>> = {
  counter: ['_total', '_created'],
  gauge: [],
  histogram: ['_bucket', '_sum', '_count', '_created'],
  gaugehistogram: ['_bucket', '_gsum', '_gcount'],
  summary: ['_sum', '_count', '_created'],
  info: ['_info'],
  stateset: [],
  unknown: [],
}
const ALL_ENDINGS = [...new Set(Object.values(ENDINGS).flat())]

export function makeFamily(name: string): Family {
  return { name, type: 'unknown', help: '', unit: '' }
}

export class Families {
  readonly #known = new Map<string, Family>()

  /** Finds the metric that metadata names, or makes it. */
  named(name: string): Family {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const family = makeFamily(name)
    this.#known.set(name, family)
    return family
  }

  /** Finds the metric that a sample of this name is of: its own, where no other is known. */
  ofSample(name: string): Family {
    const own = this.#known.get(name)
    if (own !== undefined) return own
    const ending = ALL_ENDINGS.find((each) => name.endsWith(each))
    const stem = ending && this.#known.get(name.slice(0, -ending.length))
    return stem && hasEnding(stem.type, ending) ? stem : this.named(name)
  }
}

export function hasEnding(type: MetricType, ending: string): boolean {
  return ENDINGS[type].includes(ending)
}
