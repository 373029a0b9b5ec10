/** What a zone really uses, and what happened to it. */
import {
  BACKINGS,
  type Backing,
  ENTRY,
  HEADER,
  PAGE_BYTES,
  PARTS,
  type Part,
  REFUSALS,
  SEGMENT_STATE,
  type ZoneRefusal,
} from './layout.ts'
import type { ZoneMemory } from './memory/memory.ts'
import type { Segments } from './segments/segments.ts'

export interface ZoneUsage {
  readonly backing: Backing
  /** Metrics that can be found. */
  readonly metrics: number
  /** Number of metrics taken out of the index and not retired yet. */
  readonly metricsUnlinked: number
  /** Retired metrics whose number and memory wait for the next definition of their type. */
  readonly metricsFree: number
  /** Metrics retired since the zone was created. */
  readonly metricsRetired: number
  /** Limit of the numbers given out, waiting ones included. */
  readonly metricsLimit: number
  readonly keyBytesLimit: number
  /** Bytes the zone takes up now, by what they are used for; their sum is `bytesTotal`. */
  readonly bytes: Readonly<Record<Part, number>>
  readonly bytesTotal: number
  readonly bytesLimit: number
  /** Bytes that definitions and expanding tables may be charged; 0 = any number. */
  readonly budgetBytes: number
  readonly chargedBytes: number
  /** Segments in use: the base, if anything was folded, and every attached writer. */
  readonly segments: readonly SegmentUsage[]
  /** Segments that definitions are charged for. */
  readonly workers: number
  readonly workersLimit: number
  /** Reconfigurations that made another zone of this one. */
  readonly replacements: number
  /** Segments of writers that have not moved into this zone yet. */
  readonly segmentsUnmoved: number
  /** Segments folded for threads that ended without detaching. */
  readonly orphansFolded: number
  /** Locks taken over from such threads. */
  readonly lockTakeovers: number
  /** Number of times that a thread found the lock held. */
  readonly lockWaits: number
  /** Observations of expanding histograms counted at a larger bound than theirs. */
  readonly binFallbacks: number
  /** Windows of summaries that waited for another taking, since a writer was in the middle. */
  readonly summariesDeferred: number
  /** Definitions and slots refused since the zone was created. */
  readonly refusals: Readonly<Record<ZoneRefusal, number>>
}

export interface SegmentUsage {
  /** 0 is the base. */
  readonly segment: number
  /** Thread of the writer; 0 for the base (and for writers of the main thread). */
  readonly threadId: number
  /** Number of times that the segment was leased. */
  readonly lease: number
  readonly bytes: number
}

/** Takes no lock, so parts may be moments apart. */
export function usageOf(memory: ZoneMemory, segments: Segments): ZoneUsage {
  const { ints } = memory
  const bytes = record(PARTS, (i) => ints[HEADER.partPages + i]! * PAGE_BYTES)
  const free = ints[HEADER.freeCount]!
  const unlinked = ints[HEADER.unlinked]!
  return {
    backing: BACKINGS[ints[HEADER.backing]!]!,
    metrics: ints[HEADER.metrics]! - free - unlinked,
    metricsUnlinked: unlinked,
    metricsFree: free,
    metricsRetired: ints[HEADER.retired]! >>> 0,
    metricsLimit: ints[HEADER.metricsLimit]!,
    keyBytesLimit: ints[HEADER.keyBytesLimit]!,
    bytes,
    bytesTotal: PARTS.reduce((sum, part) => sum + bytes[part], 0),
    bytesLimit: ints[HEADER.pagesMax]! * PAGE_BYTES,
    budgetBytes: 8 * (ints[HEADER.budget]! >>> 0),
    chargedBytes: 8 * (ints[HEADER.charged]! >>> 0),
    segments: segmentsInUse(segments),
    workers: ints[HEADER.workers]!,
    workersLimit: ints[HEADER.segmentsMax]! - 1,
    replacements: ints[HEADER.ordinal]!,
    segmentsUnmoved: ints[HEADER.unmoved]!,
    orphansFolded: ints[HEADER.orphansFolded]! >>> 0,
    lockTakeovers: ints[HEADER.lockTakeovers]! >>> 0,
    lockWaits: ints[HEADER.lockWaits]! >>> 0,
    summariesDeferred: ints[HEADER.summariesDeferred]!,
    binFallbacks: ints[HEADER.binFallbacks]! >>> 0,
    refusals: record(REFUSALS, (i) => ints[HEADER.refusals + i]!),
  }
}

function segmentsInUse(segments: Segments): SegmentUsage[] {
  const used: SegmentUsage[] = []
  for (let i = 0; i < segments.ownCount; i++) {
    const segment = segments.own(i)
    const size = segment.countChunks() * PAGE_BYTES
    if (i === 0 ? size === 0 : segment.field(ENTRY.state) === SEGMENT_STATE.free) continue
    used.push({
      segment: i,
      threadId: segment.field(ENTRY.threadId),
      lease: segment.field(ENTRY.lease),
      bytes: size,
    })
  }
  return used
}

function record<K extends string>(
  keys: readonly K[],
  numberOf: (index: number) => number,
): Record<K, number> {
  return Object.fromEntries(keys.map((key, i) => [key, numberOf(i)])) as Record<K, number>
}
