/**
 * The last offenders of one kind of error, raw and in memory that is used again: a peer may send
 * nothing but bad lines, each of which costs a copy of its first bytes. They are described when
 * they are listed.
 */
import type { Peer } from '../../dialects/endpoints.ts'
import { toHex } from '../../model/index.ts'
import { addressText } from '../../model/text/address.ts'
import type { OffenderStatus } from './status.ts'

const OFFENDERS_LIMIT = 20
export const OFFENDER_BYTES_LIMIT = 128

interface Place {
  timeMs: number
  offset: number
  /** Place of what is wrong in the excerpt, which may end before it. */
  excerptOffset: number
  /** Peer of a raw one; undefined for one that was described elsewhere. */
  peer: Peer | undefined
  detail: string
  readonly bytes: Uint8Array
  size: number
  described: OffenderStatus | undefined
}

/** The last 20 offenders, with the first 128 bytes of each. */
export class Offenders {
  readonly #places: Place[] = []
  /** Number of those that were added since it was last empty. */
  #added = 0

  /** Keeps the message in bytes[start, end). @param origin index from which the offset counts */
  add(
    timeMs: number,
    offset: number,
    peer: Peer,
    detail: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    origin: number,
  ): void {
    const place = this.#nextPlace()
    place.timeMs = timeMs
    place.offset = offset
    place.excerptOffset = origin + offset - start
    place.peer = peer
    place.detail = detail
    const size = Math.min(end - start, OFFENDER_BYTES_LIMIT)
    place.size = size
    const kept = place.bytes
    // a view for `set` would cost more than these few bytes
    for (let i = 0; i < size; i++) kept[i] = bytes[start + i]!
  }

  /** Keeps one that another thread has described. */
  addDescribed(offender: OffenderStatus): void {
    const place = this.#nextPlace()
    place.peer = undefined
    place.described = offender
  }

  #nextPlace(): Place {
    const at = this.#added++ % OFFENDERS_LIMIT
    const known = this.#places[at]
    if (known !== undefined) return known
    const bytes = new Uint8Array(OFFENDER_BYTES_LIMIT)
    const place: Place = {
      ...{ timeMs: 0, offset: 0, excerptOffset: 0, peer: undefined, detail: '' },
      ...{ bytes, size: 0, described: undefined },
    }
    this.#places[at] = place
    return place
  }

  /** Lists them, the latest last. */
  list(): OffenderStatus[] {
    const count = Math.min(this.#added, OFFENDERS_LIMIT)
    return Array.from({ length: count }, (_, i) => {
      return statusOf(this.#places[(this.#added - count + i) % OFFENDERS_LIMIT]!)
    })
  }
}

function statusOf(place: Place): OffenderStatus {
  const { timeMs, peer, offset, excerptOffset, detail, bytes, size, described } = place
  if (peer === undefined) return described!
  const { transport, address, port } = peer
  const hex = toHex(bytes.subarray(0, size))
  const from = `${transport} ${addressText(address, port)}`
  return { timeMs, peer: from, offset, ...hexOffsetOf(excerptOffset, size), detail, hex }
}

/** Gives the place of what is wrong in an excerpt, where that has it. */
export function hexOffsetOf(excerptOffset: number, size: number): { readonly hexOffset?: number } {
  return excerptOffset >= 0 && excerptOffset < size ? { hexOffset: excerptOffset } : {}
}
