/**
 * What metrics would take before there are any, here and in the original: the one function behind
 * `pentameter size` and the estimator of the page (docs/zone-sizing.md).
 */
import {
  capacity,
  type Estimate,
  type EstimateKind,
  type EstimateProfile,
  estimate,
  estimateZone,
  smallestZone,
  type ZoneQuestion,
  zoneBytes,
} from '../../../../shm/index.ts'

export { BINS_AT_FIRST, BINS_LIMIT } from '../../../../shm/index.ts'

/** Metrics of one kind whose names are equally long. */
export interface SizeQuestion {
  readonly kind: EstimateKind
  /** Bytes of a name with its prefix. */
  readonly nameLength: number
  readonly workers: number
  /** Bins of a histogram in the original. */
  readonly bins: number
  readonly profile: EstimateProfile
}

export interface Sizing {
  readonly question: SizeQuestion
  readonly bytesPerMetric: Estimate & { readonly thisZone: number }
  readonly zone: {
    readonly bytes: number
    readonly pages: number
    readonly fits: number
    readonly fitsThisZone: number
  }
  /** Bytes that so many need. */
  readonly needed?: { readonly count: number; readonly bytes: number; readonly thisZone: number }
}

/**
 * Estimates what metrics take, and how many fit: into a zone of a size, or into the smallest one of
 * the original that has room for a number of them.
 * @param own type and mode that they have in this zone
 * @throws {RangeError} for what no zone could have
 */
export function sizeOf(
  question: SizeQuestion,
  own: Pick<ZoneQuestion, 'type' | 'mode'>,
  room: { readonly zone: number | string } | { readonly count: number },
): Sizing {
  const { kind, nameLength, workers, bins, profile } = question
  const metric = { kind, profile, prefixedNameBytes: nameLength, workers, bins }
  const original = estimate(metric)
  const thisZone = estimateZone({ ...own, keyBytes: nameLength, workers }).total
  const bytes = 'zone' in room ? zoneBytes(room.zone) : smallestZone(metric, room.count)
  return {
    question,
    bytesPerMetric: { ...original, thisZone },
    zone: {
      bytes,
      ...capacity({ ...metric, zoneBytes: bytes }),
      fitsThisZone: Math.floor(bytes / thisZone),
    },
    ...('count' in room
      ? { needed: { count: room.count, bytes, thisZone: room.count * thisZone } }
      : {}),
  }
}
