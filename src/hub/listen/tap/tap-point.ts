/**
 * The place of a listener where a tap may be: one property to look at while there is none. Those
 * who watch a listener share one tap.
 */
import type { DatagramBatch, DatagramPlace, Peer, Reports } from '../../../dialects/endpoints.ts'
import type { TakeTapped, Tap, TapBatch } from './tap.ts'

/** A listener's tap, where there is one. */
export class TapPoint {
  tap: Tap | undefined

  /** Makes the reports of a dialect's server: errors are told to the tap, too. */
  reports(reports: Reports): Reports {
    return {
      ...reports,
      decodeError: (error, bytes, peer: Peer, detail, start, end, origin) => {
        reports.decodeError(error, bytes, peer, detail, start, end, origin)
        this.tap?.error(error, bytes, peer, detail, start, end, origin)
      },
    }
  }

  /** Makes a place for datagrams that are shown to the tap. @param dialect whose place it is */
  place(dialect: string, place: DatagramPlace): DatagramPlace {
    const { buffer, at, size } = place
    return {
      ...{ buffer, at, size },
      take: (batch, first, budget) => {
        const { tap } = this
        if (tap === undefined) return place.take(batch, first, budget)
        const bytes = new Uint8Array(buffer)
        const sizes = new DataView(buffer)
        let told = first
        const tell = (end: number): void => {
          for (; told < end; told++) {
            const length = sizes.getUint32(batch.sizesAt + told * batch.sizesStride, true)
            const start = batch.at + told * batch.stride
            if (length === 0) continue
            const { address, port } = batch.sender(told)
            tap.datagram(dialect, bytes.subarray(start, start + length), address, port)
          }
        }
        // one that is handed on comes to the tap as a single one does
        const handOn = (index: number): void => {
          tell(index)
          told = index + 1
          batch.handOn(index)
        }
        const next = place.take(shownBatch(batch, handOn), first, budget)
        tell(next)
        return next
      },
    }
  }
}

function shownBatch(batch: DatagramBatch, handOn: (index: number) => void): DatagramBatch {
  return {
    ...batch,
    isOfSameSender: (index) => batch.isOfSameSender(index),
    sender: (index) => batch.sender(index),
    handOn,
  }
}

/** Those who watch one listener: the first begins, the last ends. */
export class TapTakers {
  readonly #takers = new Set<TakeTapped>()
  readonly #begin: (give: TakeTapped) => () => void
  #end: (() => void) | undefined

  /** @param begin makes the tap, and gives what ends it */
  constructor(begin: (give: TakeTapped) => () => void) {
    this.#begin = begin
  }

  /** Adds one. @returns a function that takes it away */
  add(take: TakeTapped): () => void {
    this.#takers.add(take)
    this.#end ??= this.#begin((batch) => this.#give(batch))
    return () => {
      if (!this.#takers.delete(take) || this.#takers.size > 0) return
      this.#end?.()
      this.#end = undefined
    }
  }

  #give(batch: TapBatch): void {
    for (const take of [...this.#takers]) take(batch)
  }
}
