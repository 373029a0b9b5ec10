/**
 * A second as the head log keeps it: the columns of store.ts, with slots of this store for refs and
 * with all that was defined, so that a record of a file explains itself.
 *
 *   [packed by zstd, in logs of version 1 by deflate: value in the format of V8's serializer, which
 *   later versions read]
 */
import { deserialize, serialize } from 'node:v8'
import { constants, inflateRawSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Exact, Kind, Metadata, Summary } from '../../../model/index.ts'
import { PackedHistograms } from '../../../model/packed/packed-histogram.ts'
import type { ClosedSecond } from '../../store.ts'

export interface SlotDefinition {
  readonly slot: number
  readonly kind: Kind
  readonly key: Uint8Array
  readonly metadata: Metadata
  readonly origin: string | undefined
}

export interface SecondRecord {
  readonly endS: number
  readonly seconds: number
  readonly defined: readonly SlotDefinition[]
  readonly ended: readonly number[]
  /** Those defined ones that begin anew, although the former one was not told to have ended. */
  readonly anew?: readonly number[]
  readonly counters: {
    readonly slots: Uint32Array
    readonly deltas: Float64Array
    readonly wide: ReadonlyMap<number, bigint>
  }
  readonly gauges: {
    readonly slots: Uint32Array
    readonly values: Float64Array
    readonly wide: ReadonlyMap<number, bigint>
    readonly spreads: ReadonlyMap<number, readonly [number, number, number, number]>
  }
  readonly histograms: {
    readonly slots: Uint32Array
    /** Ends of each one's bytes. */
    readonly ends: Uint32Array
    readonly bytes: Uint8Array
  }
  readonly summaries: { readonly slots: Uint32Array; readonly cells: readonly Summary[] }
  /** Totals of those that have had fractions, by slot. */
  readonly sums?: ReadonlyMap<number, Exact>
}

/** Changes of the list of series that a record tells of, by slots. */
export type SlotChanges = Pick<SecondRecord, 'defined' | 'ended' | 'anew'>

/**
 * Makes the record of a second.
 * @param slotOf slot of a ref; 0 for one that was never defined, whose cells are left out
 */
export function recordOf(
  second: ClosedSecond,
  changes: SlotChanges,
  slotOf: (ref: number) => number,
): SecondRecord {
  const slots = (refs: Uint32Array): Uint32Array => {
    const found = new Uint32Array(refs.length)
    for (let row = 0; row < refs.length; row++) found[row] = slotOf(refs[row]!)
    return found
  }
  const { counters, gauges, histograms, summaries, sums } = second
  return {
    endS: second.endS,
    seconds: second.seconds,
    ...changes,
    counters: { slots: slots(counters.refs), deltas: counters.deltas, wide: counters.wide },
    gauges: {
      slots: slots(gauges.refs),
      values: gauges.values,
      wide: gauges.wide,
      spreads: gauges.spreads,
    },
    histograms: { slots: slots(histograms.refs), ...bytesOf(histograms) },
    summaries: { slots: slots(summaries.refs), cells: summaries.cells },
    ...(sums === undefined
      ? {}
      : { sums: new Map([...sums].map(([ref, sum]) => [slotOf(ref), sum])) }),
  }
}

function bytesOf({ places, packed }: ClosedSecond['histograms']) {
  const histograms = PackedHistograms.of(packed)
  const ends = new Uint32Array(places.length)
  const parts: Uint8Array[] = []
  let end = 0
  for (let i = 0; i < places.length; i++) {
    const bytes = histograms.bytesAt(places[i]!)
    parts.push(bytes)
    end += bytes.length
    ends[i] = end
  }
  const bytes = new Uint8Array(end)
  parts.forEach((part, i) => {
    bytes.set(part, ends[i]! - part.length)
  })
  return { ends, bytes }
}

/** Version of the logs whose records are as they are written now. */
export const RECORD_VERSION = 2
/** A second of ten thousand series takes a fifth of the time of deflate's fastest level so. */
const PACKING = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** Largest record, unpacked: what a second of a million histograms may take. */
const RECORD_BYTES_LIMIT = 1_073_741_824

export function encodeRecord(record: SecondRecord): Buffer {
  return zstdCompressSync(serialize(record), PACKING)
}

/**
 * Reads a record of a log of a version.
 * @throws for bytes that were not made so; their checksum says that they were
 */
export function decodeRecord(bytes: Uint8Array, version: number): SecondRecord {
  const options = { maxOutputLength: RECORD_BYTES_LIMIT }
  const unpack = version === 1 ? inflateRawSync : zstdDecompressSync
  return deserialize(unpack(bytes, options))
}
