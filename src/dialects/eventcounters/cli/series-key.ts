/** What makes two windows of one session parts of one series (eventcounters.md §7.1). */
import type { CounterDescription } from '../window.ts'

/** Pairs count in any order. */
export function seriesKey({ provider, name, metaData }: CounterDescription): string {
  const pairs = metaData.length > 1 ? [...metaData].sort(byKey) : metaData
  return JSON.stringify([provider, name, pairs])
}

function byKey([a]: readonly [string, string], [b]: readonly [string, string]): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
