/** What is read of a counter at one moment: its total, value or distribution. */
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import type { Exact, Exemplar, Histogram, Labels, Summary } from '../../model/index.ts'

interface AnyReading {
  /** Description; without a provider where another library has named it. */
  readonly description: CounterDescription
  /** Labels, where they are others than the pairs of the description. */
  readonly labels: Labels | undefined
  /** Whether it is a counter whose total is a double, also where that is whole. */
  readonly isFractional?: boolean | undefined
  /** Exemplars of a counter or histogram, the newest at the end. */
  readonly exemplars?: readonly Exemplar[] | undefined
}

/** One counter, as it is now. */
export type Reading = AnyReading &
  (
    | { readonly kind: 'counter'; readonly total: Exact }
    /** NaN before there was a value. */
    | { readonly kind: 'gauge'; readonly value: number }
    | { readonly kind: 'histogram'; readonly histogram: Histogram }
    | {
        readonly kind: 'summary'
        readonly sum: number
        readonly count: number
        /** Quantiles, where its library computes them. */
        readonly quantiles?: readonly (readonly [quantile: number, value: number])[]
        /** Statistics of the window that ended last. */
        readonly last: Summary
      }
  )

/** Writes what tells one series from others; the same in all processes. */
export function identityText({
  kind,
  description,
  labels = description.metaData,
}: Reading): string {
  const { provider, name, units } = description
  return JSON.stringify([kind, provider, name, units, labels])
}
