/**
 * Names of a hub's filter metrics, changed while they run: `pw.{filter}.` in front of them, or the
 * filter as a label. A metric stays what it is, with its number, its totals and its beginning; its
 * series has another identity.
 */
import type { SeriesRefusal } from '../../../../hub/ingest/definition.ts'
import type { SeriesStore } from '../../../../hub/series/series.ts'
import type { Identity } from '../../../../model/index.ts'
import { LabelPatterns } from '../../label-patterns.ts'
import { describePrefixed } from '../../map.ts'
import type { FilterConfig } from '../../options.ts'
import type { MetricNames } from '../../store/filter-settings.ts'
import type { SlabMetric } from './slab.ts'

type NamedConfig = Pick<FilterConfig, 'name' | 'profile' | 'labelPatterns'>

/** A metric that can't have its other name. */
export interface Misnamed {
  readonly metric: SlabMetric
  readonly why: string
}

const WHY: Partial<Record<SeriesRefusal, string>> = {
  type_mismatch: 'another series has the name that it would get',
  key_too_long: 'its name would be too long',
  name_too_long: 'its name would be too long',
  zone_percent_per_source: 'its filter has no share of memory left for a longer name',
}

/** Names metrics in one of both ways. */
export class MetricNaming {
  readonly #store: Pick<SeriesStore, 'ofMetric' | 'rename'>
  /** Filters by the source of their series. */
  readonly #filters: ReadonlyMap<string, { config: NamedConfig; patterns: LabelPatterns }>

  constructor(
    store: Pick<SeriesStore, 'ofMetric' | 'rename'>,
    filters: ReadonlyMap<string, { readonly config: NamedConfig }>,
  ) {
    this.#store = store
    this.#filters = new Map(
      Array.from(filters, ([source, { config }]) => {
        return [source, { config, patterns: new LabelPatterns(config.labelPatterns) }]
      }),
    )
  }

  /**
   * Names all metrics so, or none; under the lock of the quota.
   * @returns the first that can't have such a name; then all have theirs
   */
  nameAll(metrics: Iterable<SlabMetric>, names: MetricNames): Misnamed | undefined {
    const before: (readonly [SlabMetric, Identity])[] = []
    for (const metric of metrics) {
      const record = this.#store.ofMetric(metric.metric)
      if (record === undefined) continue
      const { identity } = record
      const refusal = this.#store.rename(record, this.#identityOf(metric, names))
      if (refusal === undefined) {
        before.push([metric, identity])
        continue
      }
      // the last one first: a name may be one that another metric had
      for (const [{ metric: number }, former] of before.reverse()) {
        const renamed = this.#store.ofMetric(number)
        if (renamed !== undefined) this.#store.rename(renamed, former)
      }
      return { metric, why: WHY[refusal] ?? 'the hub has no room for its name' }
    }
    return undefined
  }

  #identityOf({ filter, kind, prefixed }: SlabMetric, names: MetricNames): Identity {
    const { config, patterns } = this.#filters.get(filter)!
    return describePrefixed(prefixed, kind, {
      filters: [config.name],
      labelPatterns: patterns,
      ...(names === 'prefix' ? { prefixOf: config.profile } : {}),
    }).identity
  }
}
