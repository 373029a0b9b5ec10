/** What a store refused, dropped or mended, by name (§6). */
const STORE_COUNTS = [
  'redefinition',
  'nameTooLong',
  'zoneFull',
  'filterLimit',
  'droppedValue',
  'counterReset',
  'gaugeWrap',
  'binFallback',
  'orphanFolded',
  'lockTakeover',
] as const
export type StoreCount = (typeof STORE_COUNTS)[number]

/**
 * Those of one store object are counted where they happen, in its thread; the others are the
 * zone's, of all threads.
 */
const OWN_COUNTS = ['filterLimit', 'droppedValue', 'counterReset', 'gaugeWrap'] as const
type OwnCount = (typeof OWN_COUNTS)[number]

export type OwnCounts = Record<OwnCount, number>

export function noCounts(): OwnCounts {
  return { filterLimit: 0, droppedValue: 0, counterReset: 0, gaugeWrap: 0 }
}
