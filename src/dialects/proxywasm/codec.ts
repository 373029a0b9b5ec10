/**
 * Codec of Proxy-Wasm metrics in JSON (§3.4), in which a zone is seen outside its process:
 *
 *   {"pw.a_filter.a_counter":{"type":"counter","value":3}, …}
 *
 * One message is one document, an object of metrics by their prefixed names. Documents follow each
 * other in a stream, with or without white space between. A metric that makes no sense is left out
 * of its document; what is no JSON, or longer than 16 MiB, ends the reading.
 */

import { ByteQueue } from '../../wire/byte-queue.ts'
import { DecodeError, type DecodeErrorFields } from '../../wire/decode-error.ts'
import { EncodeError } from '../../wire/encode-error.ts'
import { type CodecOptions, type Decoded, type Decoder, decodeWhole } from '../decoder.ts'
import { DocumentScan, memberOffsets, type ScanStop } from './codec/document-scan.ts'
import { MetricError, readMetric } from './codec/metric.ts'
import {
  DOCUMENT_BYTES_LIMIT,
  type ErrorCode,
  type JsonDocument,
  type JsonMetric,
  NAME,
  NESTING_LIMIT,
} from './spec.ts'

export { jsonInteger } from './codec/metric.ts'

/**
 * Reads documents of metrics, one after the other. A metric that makes no sense is left out of its
 * document, with an error.
 *
 * @example
 * import { decodeProxyWasm } from 'pentameter/proxywasm'
 *
 * const bytes = Buffer.from('{"hits":{"type":"counter","value":3}}')
 * console.log(decodeProxyWasm(bytes).messages[0]) // { hits: { type: 'counter', value: 3 } }
 */
export function decodeProxyWasm(
  bytes: Uint8Array,
  options: CodecOptions = {},
): Decoded<JsonDocument> {
  return decodeWhole(createDecoder(options), bytes)
}

export function createDecoder(_options: CodecOptions = {}): Decoder {
  return new DocumentDecoder()
}

class DocumentDecoder implements Decoder {
  readonly messages: JsonDocument[] = []
  readonly errors: DecodeErrorFields[] = []
  readonly notes: string[] = []
  readonly #held = new ByteQueue()
  readonly #scan = new DocumentScan()
  #isOver = false

  push(bytes: Uint8Array): void {
    for (let start = 0; !this.#isOver && start < bytes.length; ) {
      const stop = this.#scan.scan(bytes, start)
      const { from, at } = this.#scan
      start = stop === 'end' ? at + 1 : at
      if (from !== -1) this.#take(bytes.subarray(from, start), stop)
      else if (stop === 'malformed') this.#fail(0, 'no JSON object')
    }
  }

  /** Takes a piece of a document, up to its end or to what makes it none. */
  #take(piece: Uint8Array, stop: ScanStop): void {
    const size = this.#held.size + piece.length
    if (size > DOCUMENT_BYTES_LIMIT) {
      this.#fail(DOCUMENT_BYTES_LIMIT, `document of more than ${DOCUMENT_BYTES_LIMIT} bytes`)
    } else if (stop === 'malformed') {
      this.#fail(size, `nested deeper than ${NESTING_LIMIT}`)
    } else {
      this.#held.append(piece)
      if (stop === 'end') this.#read()
    }
  }

  end(): void {
    if (this.#isOver || this.#scan.isBetween) return
    this.#fail(this.#held.size, 'the document ends in the middle')
  }

  #read(): void {
    const bytes = this.#held.peek()
    let json: object
    try {
      json = JSON.parse(strictText.decode(bytes))
    } catch (error) {
      this.#fail(0, (error as Error).message)
      return
    }
    this.messages.push(this.#readMetrics(json, bytes))
    this.#held.clear()
  }

  #readMetrics(json: object, bytes: Uint8Array): JsonDocument {
    const metrics: [string, JsonMetric][] = []
    let offsets: ReadonlyMap<string, number> | undefined
    for (const [name, value] of Object.entries(json)) {
      try {
        metrics.push([name, readMetric(value)])
      } catch (error) {
        if (!(error instanceof MetricError)) throw error
        offsets ??= memberOffsets(bytes)
        this.#report(error.code, offsets.get(name) ?? 0, true, `${name}: ${error.message}`)
      }
    }
    return Object.fromEntries(metrics)
  }

  #fail(offset: number, detail: string): void {
    this.#isOver = true
    this.#held.clear()
    this.#report('bad_document', offset, false, detail)
  }

  #report(code: ErrorCode, offset: number, resync: boolean, detail: string): void {
    this.errors.push(new DecodeError({ dialect: NAME, code, offset, resync }, detail))
  }
}

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Makes an error for what a document cannot express; its codes are the decoder's. */
function encodeError(code: ErrorCode, detail: string): EncodeError {
  return new EncodeError({ dialect: NAME, code }, detail)
}

/**
 * Encodes metrics, one array of bytes per document. The document's edition (the default) knows
 * neither sums nor bounds of a definition's own.
 * @throws {EncodeError} for a metric that is none
 *
 * @example
 * import { encodeProxyWasm } from 'pentameter/proxywasm'
 *
 * const [bytes] = encodeProxyWasm([{ 'pw.auth.denied': { type: 'counter', value: 3 } }])
 * console.log(new TextDecoder().decode(bytes))
 */
export function encodeProxyWasm(
  messages: readonly unknown[],
  options: CodecOptions = {},
): Uint8Array[] {
  return messages.map((message) => encodeDocument(message, options.profile === 'peer'))
}

function encodeDocument(message: unknown, isPeer: boolean): Uint8Array {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw encodeError('bad_document', 'a document is an object of metrics by name')
  }
  const metrics = Object.entries(message).map(([name, value]): [string, JsonMetric] => {
    try {
      return [name, inEdition(readMetric(value), isPeer)]
    } catch (error) {
      if (!(error instanceof MetricError)) throw error
      throw encodeError(error.code, `${name}: ${error.message}`)
    }
  })
  const bytes = encoder.encode(`${JSON.stringify(Object.fromEntries(metrics))}\n`)
  if (bytes.length <= DOCUMENT_BYTES_LIMIT) return bytes
  throw encodeError('bad_document', `${bytes.length} bytes, limit ${DOCUMENT_BYTES_LIMIT}`)
}

function inEdition(metric: JsonMetric, isPeer: boolean): JsonMetric {
  if (isPeer || metric.type !== 'histogram') return metric
  if (metric.bounds !== undefined) {
    throw new MetricError('bad_bound', 'bounds of its own, which profile document does not have')
  }
  return { type: metric.type, value: metric.value }
}
