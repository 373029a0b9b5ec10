/**
 * Chunks: the bytes of one block. They say what they hold, not of which series and which window:
 * that is in the bundle around them. Drawn whole in docs/formats/history.md.
 *
 *   [kind:2] counter, gauge, histogram or summary; then as scalars.ts, histogram/histograms.ts and
 *            summaries.ts say, places first, which tell the version of the chunk (places.ts)
 *
 * Chunks of both versions are read, those of version 2 are written.
 */
import { KINDS, type Kind } from '../../model/index.ts'
import { type Block, PLACES_LIMIT } from './block.ts'
import type { Decoder, Encoder } from './coder/coder.ts'
import { ScriptDecoder } from './coder/script-decoder.ts'
import { ScriptEncoder } from './coder/script-encoder.ts'
import { faultOf } from './fault.ts'
import { decodeHistograms, encodeHistograms } from './histogram/histograms.ts'
import { checkPlaces } from './places.ts'
import { decodeCounter, decodeGauge, encodeCounter, encodeGauge } from './scalars.ts'
import { decodeSummaries, encodeSummaries } from './summaries.ts'

export interface EncodeOptions {
  /**
   * Significant digits that gauges keep where they are no decimals of few places; absent = every
   * bit. VictoriaMetrics keeps 12 or so.
   */
  readonly digits?: number
}

/** Longest chunk that is made or read. */
export const CHUNK_BYTES_MAX = 16_777_216

/** Both ends of a chunk over one pair of coders, which serve one call at a time. */
export class ChunkCodec {
  readonly #encoder: Encoder
  readonly #decoder: Decoder

  constructor(encoder: Encoder, decoder: Decoder) {
    this.#encoder = encoder
    this.#decoder = decoder
  }

  /**
   * Makes the chunk of a block.
   * @throws {RangeError} for a block that no reader would take: without a cell, places that do not
   *   rise or are beyond {@link PLACES_LIMIT}, more buckets than fit into 16 MB
   */
  encode(block: Block, options: EncodeOptions = {}): Uint8Array {
    checkPlaces(block.places)
    const encoder = this.#encoder
    encoder.begin()
    encoder.bits(KINDS.indexOf(block.kind), 2)
    if (block.kind === 'counter') encodeCounter(encoder, block)
    else if (block.kind === 'gauge') encodeGauge(encoder, block, options.digits ?? 0)
    else if (block.kind === 'histogram') encodeHistograms(encoder, block)
    else encodeSummaries(encoder, block)
    const bytes = encoder.take()
    if (bytes.length <= CHUNK_BYTES_MAX) return bytes
    throw new RangeError(`chunk of ${bytes.length} bytes, limit ${CHUNK_BYTES_MAX}`)
  }

  /**
   * Reads a chunk. Takes bounded time and memory, whatever the bytes are.
   * @throws {DecodeError} with a code of {@link CODEC_FAULTS}
   */
  decode<K extends Kind>(kind: K, bytes: Uint8Array): Extract<Block, { kind: K }> {
    if (bytes.length > CHUNK_BYTES_MAX) {
      throw faultOf('chunk_too_large', 0, `chunk of ${bytes.length} bytes`)
    }
    const decoder = this.#decoder
    decoder.open(bytes)
    const found = KINDS[decoder.bits(2)]!
    if (found !== kind) throw faultOf('chunk_kind', 0, `chunk of a ${found}, not of a ${kind}`)
    return this.#read(kind) as Extract<Block, { kind: K }>
  }

  #read(kind: Kind): Block {
    switch (kind) {
      case 'counter':
        return decodeCounter(this.#decoder)
      case 'gauge':
        return decodeGauge(this.#decoder)
      case 'histogram':
        return decodeHistograms(this.#decoder)
      case 'summary':
        return decodeSummaries(this.#decoder)
    }
  }
}

let script: ChunkCodec | undefined

/** Gives the codec in JavaScript, which needs nothing else. */
export function scriptCodec(): ChunkCodec {
  script ??= new ChunkCodec(new ScriptEncoder(), new ScriptDecoder())
  return script
}
