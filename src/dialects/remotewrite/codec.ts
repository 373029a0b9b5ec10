/**
 * Requests of remote write, read and written whole: snappy blocks, each with one request, in the
 * words of prompb's JSON. A block says its size, so that bytes of several can be read in a row. The
 * fields of version 1.0 are reserved in 2.0: which one a request is of stands in itself.
 */
import { ByteQueue } from '../../wire/byte-queue.ts'
import type { DecodeErrorFields } from '../../wire/decode-error.ts'
import { EncodeError } from '../../wire/encode-error.ts'
import { decodeMessage } from '../../wire/protobuf/decode.ts'
import { BadField, encodeMessage } from '../../wire/protobuf/encode.ts'
import { ProtobufReader } from '../../wire/protobuf/reader.ts'
import type { JsonMessage } from '../../wire/protobuf/schema.ts'
import { ProtobufWriter } from '../../wire/protobuf/writer.ts'
import { type CodecOptions, type Decoded, type Decoder, decodeWhole } from '../decoder.ts'
import { SERIES_FIELDS } from './codec/request-scan.ts'
import { REQUESTS } from './codec/schema.ts'
import { blockHead, packSnappy, unpackSnappy } from './codec/snappy.ts'
import { type ErrorCode, NAME, UNPACKED_BYTES_LIMIT, type Version } from './spec.ts'

/** One request in the words of prompb; integers of 64 bits are decimal texts. */
export type WriteRequest = JsonMessage

/** Makes a decoder of requests as they are sent: packed by snappy. */
export function createDecoder(options: CodecOptions = {}): Decoder {
  return new RequestDecoder(options.unpackedBytesLimit ?? UNPACKED_BYTES_LIMIT)
}

class RequestDecoder implements Decoder {
  readonly messages: WriteRequest[] = []
  readonly errors: DecodeErrorFields[] = []
  readonly notes: string[] = []
  readonly #limit: number
  readonly #held = new ByteQueue()
  #isEnded = false

  constructor(limit: number) {
    this.#limit = limit
  }

  push(bytes: Uint8Array): void {
    if (this.#isEnded || bytes.length === 0) return
    this.#held.append(bytes)
    const { size } = this.#held
    const head = blockHead(this.#held.peek())
    if (head === 'bad_snappy') this.#fail('bad_snappy')
    else if (head !== undefined && Math.max(head.size, size) > this.#limit) this.#fail('too_large')
  }

  end(): void {
    const bytes = this.#held.peek()
    for (let at = 0; at < bytes.length; ) {
      const block = unpackSnappy(bytes, this.#limit, at)
      if (typeof block === 'string') {
        this.#fail(block)
        break
      }
      const version = versionOf(block.bytes)
      const message = decodeMessage(REQUESTS[version], block.bytes)
      // of 2.0 are those that have symbols, be it none
      if (typeof message !== 'string') {
        this.messages.push(version === 2 ? { symbols: [], ...message } : message)
      } else this.errors.push({ dialect: NAME, code: 'bad_protobuf', offset: at, resync: true })
      at = block.end
    }
    this.#held.clear()
    this.#isEnded = false
  }

  #fail(code: ErrorCode): void {
    this.errors.push({ dialect: NAME, code, offset: 0, resync: false })
    this.#isEnded = true
    this.#held.clear()
  }
}

/** Tells of which version a request is, by the first field that only one of them has. */
function versionOf(bytes: Uint8Array): Version {
  const reader = new ProtobufReader()
  reader.open(bytes)
  while (reader.next()) {
    if (reader.field < SERIES_FIELDS[2] - 1) return 1
    if (reader.field <= SERIES_FIELDS[2]) return 2
    reader.skip()
  }
  return 1
}

/**
 * Reads a whole request of remote write 1.0 or 2.0, packed as it is sent.
 *
 * @example
 * import { decodeRemoteWrite, encodeRemoteWrite } from 'pentameter/remotewrite'
 *
 * const labels = [{ name: '__name__', value: 'up' }]
 * const samples = [{ value: 1, timestamp: '1700000000000' }]
 * const [body] = encodeRemoteWrite([{ timeseries: [{ labels, samples }] }])
 * console.log(decodeRemoteWrite(body!).messages) // [ { timeseries: … } ]
 */
export function decodeRemoteWrite(
  bytes: Uint8Array,
  options: CodecOptions = {},
): Decoded<WriteRequest> {
  return decodeWhole<WriteRequest>(createDecoder(options), bytes)
}

/**
 * Writes requests of remote write, each as the body of a POST to `/api/v1/write`: of version 2.0
 * where they have `symbols`, and else of 1.0.
 * @throws {EncodeError} for what the format cannot say
 *
 * @example
 * import { encodeRemoteWrite } from 'pentameter/remotewrite'
 *
 * const labels = [{ name: '__name__', value: 'up' }]
 * const [body] = encodeRemoteWrite([{ timeseries: [{ labels, samples: [{ value: 1 }] }] }])
 * console.log(body!.length)
 */
export function encodeRemoteWrite(messages: readonly unknown[]): Uint8Array[] {
  return messages.map((message) => {
    const { timeseries, metadata, symbols } = (message ?? {}) as Partial<Record<string, unknown>>
    const version = Array.isArray(symbols) ? 2 : 1
    if (version === 1 && !Array.isArray(timeseries) && !Array.isArray(metadata)) {
      throw new EncodeError(
        { dialect: NAME, code: 'bad_message' },
        'no list timeseries, metadata or symbols',
      )
    }
    const writer = new ProtobufWriter()
    try {
      encodeMessage(REQUESTS[version], message, writer)
    } catch (error) {
      if (!(error instanceof BadField)) throw error
      const code = error.code === 'bad_value' ? 'bad_value' : 'bad_message'
      throw new EncodeError({ dialect: NAME, code }, error.message)
    }
    return packSnappy(writer.finish())
  })
}
