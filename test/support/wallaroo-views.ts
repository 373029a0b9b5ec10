/**
 * The views of the golden vectors: series of one category added up over every label but some
 * (wallaroo.md §8.2, wallaroo.md §8.3). The named ones are those of the original, and one more.
 */
import type { SeriesNames } from '../../src/dialects/wallaroo/map.ts'
import { LatencyTotals } from '../../src/dialects/wallaroo/rollup/latency-totals.ts'
import { CATEGORIES, type Category } from '../../src/dialects/wallaroo/spec.ts'

type Label = keyof SeriesNames

interface View {
  /** Undefined for the categories that the peer does not have. */
  readonly category: Category | undefined
  /** What stays apart, in the order of the key. */
  readonly by: readonly Label[]
}

export const VIEWS = {
  pipeline_by_worker: { category: 'start-to-end', by: ['application', 'pipeline', 'worker'] },
  pipeline: { category: 'start-to-end', by: ['application', 'pipeline'] },
  worker_by_pipeline: {
    category: 'node-ingress-egress',
    by: ['application', 'worker', 'pipeline'],
  },
  worker: { category: 'node-ingress-egress', by: ['application', 'worker'] },
  computation_by_worker: {
    category: 'computation',
    by: ['application', 'pipeline', 'worker', 'name'],
  },
  /** Equal names of different pipelines merge here, as in the original. */
  computation: { category: 'computation', by: ['application', 'name'] },
  computation_of_pipeline: { category: 'computation', by: ['application', 'pipeline', 'name'] },
  pipeline_ingestion: {
    category: 'pipeline-ingestion',
    by: ['application', 'pipeline', 'name'],
  },
  other: {
    category: undefined,
    by: ['application', 'category', 'pipeline', 'worker', 'name'],
  },
} as const satisfies Record<string, View>
export type ViewName = keyof typeof VIEWS

interface Group {
  /** Values of the view's labels, in its order. */
  readonly key: readonly string[]
  readonly totals: LatencyTotals
}

function isInView({ category }: SeriesNames, view: View): boolean {
  if (view.category !== undefined) return category === view.category
  return !(CATEGORIES as readonly string[]).includes(category)
}

/** Adds up the series of a view; groups come in the order in which their first series do. */
export function rollUp(
  series: Iterable<{ readonly names: SeriesNames; readonly totals: LatencyTotals }>,
  view: View,
): Group[] {
  const groups = new Map<string, Group>()
  for (const { names, totals } of series) {
    if (!isInView(names, view)) continue
    const key = view.by.map((label) => names[label])
    const text = JSON.stringify(key)
    let group = groups.get(text)
    if (group === undefined) {
      group = { key, totals: new LatencyTotals() }
      groups.set(text, group)
    }
    group.totals.merge(totals)
  }
  return [...groups.values()]
}
