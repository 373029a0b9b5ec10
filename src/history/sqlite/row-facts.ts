/**
 * Facts of rows of series that are bytes and texts of their own: totals, which are chunks of one
 * cell, and metadata. One that can't be read costs that fact of that series, and is counted.
 */
import type { Cell, Kind, Metadata } from '../../model/index.ts'
import { DecodeError } from '../../wire/index.ts'
import type { Block } from '../codec/index.ts'
import { quickCodec } from '../quick/quick-coder.ts'
import { blockOf, entriesOf } from './bundles/entries.ts'

const TOTAL_FRAME = { startMs: 0, widthMs: 1 }

/** Callback that counts what can't be read, by its code. */
export type NoteDamage = (fault: { readonly code: string }) => void

export function encodeTotal(cell: Cell): Uint8Array {
  return quickCodec().encode(blockOf([{ place: 0, cell }], TOTAL_FRAME))
}

/** Reads a total; undefined for one that can't be read. */
export function totalBlock(kind: Kind, bytes: Uint8Array, damaged: NoteDamage): Block | undefined {
  try {
    const block = quickCodec().decode(kind, bytes)
    if (block.places.length === 1) return block
    damaged({ code: 'total' })
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    damaged({ code: 'total' })
  }
  return undefined
}

/** Reads the total of a row; undefined where there is none that can be read. */
export function totalOf(kind: Kind, bytes: unknown, damaged: NoteDamage): Cell | undefined {
  const block = bytes instanceof Uint8Array ? totalBlock(kind, bytes, damaged) : undefined
  return block && entriesOf(block, TOTAL_FRAME)[0]?.cell
}

/** Reads metadata; of those that can't be read nothing is known. */
export function metadataOf(text: string, damaged: NoteDamage): Metadata {
  try {
    const metadata: unknown = JSON.parse(text)
    const { dialect } = metadata as Partial<Metadata>
    if (typeof dialect === 'string') return metadata as Metadata
  } catch {
    // it is counted as what is no metadata
  }
  damaged({ code: 'metadata' })
  return { dialect: '' }
}

/** Reader of metadata, which many series in a row share. */
export class LastMetadata {
  readonly #damaged: NoteDamage
  #text = ''
  #metadata: Metadata = { dialect: '' }

  constructor(damaged: NoteDamage) {
    this.#damaged = damaged
  }

  of(text: string): Metadata {
    if (text !== this.#text) {
      this.#text = text
      this.#metadata = metadataOf(text, this.#damaged)
    }
    return this.#metadata
  }
}
