/**
 * `POST /v1/metrics`: requests of OTLP/HTTP, in protobuf or JSON, packed by gzip or not. What is
 * taken and what is not is answered by counts (partial success); a request that can't be read gets
 * 400, what the hub has no room for 429 or 503 with a time to wait.
 */
import type { GuestRoutes, HubApp, HubContext, RouteContext } from '../../../http/guest-routes.ts'
import { HttpError } from '../../../http/http-error.ts'
import { readBody } from '../../../http/load/body.ts'
import { ProtobufWriter } from '../../../wire/protobuf/writer.ts'
import type { Peer } from '../../endpoints.ts'
import { checkingJson } from '../codec/json-check.ts'
import { countingPoints, parsingJson } from '../codec/request.ts'
import type { Taken } from '../hub/receiver.ts'
import { type OpenTelemetryResident, openTelemetryOf } from '../hub/resident.ts'
import {
  JSON_BYTES_LIMIT,
  JSON_FORMS_LIMIT,
  JSON_NAMES_LIMIT,
  JSON_OBJECTS_LIMIT,
  JSON_TYPE,
  PART_BYTES_LIMIT,
  PATH,
  PROTOBUF_TYPE,
} from '../spec.ts'
import { gunzipWithin, TooLong } from './gunzip.ts'

/** Requests that are unpacked and read at once; one more gets 429. */
const REQUESTS_LIMIT = 64
/** Bytes of all of them, unpacked; one more gets 503. */
const UNPACKED_BYTES_TOGETHER = 134_217_728
const PART_IS_LONG = `besides its points a message has more than ${PART_BYTES_LIMIT} bytes`
const JSON_IS_MUCH =
  `JSON of more than ${JSON_OBJECTS_LIMIT} objects and lists, ` +
  `${JSON_NAMES_LIMIT} names of an object, or ${JSON_FORMS_LIMIT} forms of objects`
const RETRY_AFTER = { 'Retry-After': '1' }
/** Code of google.rpc.Status: INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNAVAILABLE. */
const INVALID_ARGUMENT = 3
const EXHAUSTED = 8
const UNAVAILABLE = 14

export function addRoutes(app: HubApp, { view, options }: RouteContext): GuestRoutes {
  const resident = openTelemetryOf(view)
  if (resident === undefined) return {}
  const requests = new MetricRequests(resident, {
    requestBytes: options.requestBytesLimit as number,
    unpackedBytes: options.unpackedBytesLimit as number,
    isOverloaded: () => view.refusesAnswers,
  })
  app.post(PATH, (context) => requests.answer(context))
  return { errorAnswers: { [PATH]: statusAnswer } }
}

interface RequestLimits {
  readonly requestBytes: number
  readonly unpackedBytes: number
  readonly isOverloaded: () => boolean
}

/** Memory that a request has of that of all. */
interface Held {
  bytes: number
}

type BodyType = typeof PROTOBUF_TYPE | typeof JSON_TYPE

class MetricRequests {
  readonly #resident: OpenTelemetryResident
  readonly #limits: RequestLimits
  #count = 0
  #bytes = 0

  constructor(resident: OpenTelemetryResident, limits: RequestLimits) {
    this.#resident = resident
    this.#limits = limits
  }

  async answer(context: HubContext): Promise<Response> {
    const type = typeOf(context)
    const isPacked = isGzip(context)
    if (this.#limits.isOverloaded()) throw unavailable('the hub is overloaded')
    const { incoming } = context.env
    const body = await readBody(incoming, this.#limits.requestBytes)
    if (this.#count >= REQUESTS_LIMIT) {
      const message = `${REQUESTS_LIMIT} requests are being read`
      throw new HttpError(429, 'requests_limit', message, 'send it again later', RETRY_AFTER)
    }
    this.#count++
    const held: Held = { bytes: 0 }
    try {
      const { remoteAddress: address = '', remotePort: port = 0 } = incoming.socket
      const peer: Peer = { transport: 'tcp', address, port }
      if (!isPacked) this.#hold(held, body.length)
      const bytes = isPacked ? await this.#unpacked(body, type, peer, held) : body
      return await this.#take(context, bytes, type, peer)
    } finally {
      this.#count--
      this.#bytes -= held.bytes
    }
  }

  /** Takes memory for a request, before it is filled. @throws {HttpError} where there is none */
  #hold(held: Held, bytes: number): void {
    if (this.#bytes - held.bytes + bytes > UNPACKED_BYTES_TOGETHER) {
      throw unavailable('requests that are being read take all the memory there is for them')
    }
    this.#bytes += bytes - held.bytes
    held.bytes = bytes
  }

  /** Unpacks what was sent, within memory that is taken before: so much as gzip says it will be. */
  async #unpacked(body: Buffer, type: BodyType, peer: Peer, held: Held): Promise<Buffer> {
    const { unpackedBytes } = this.#limits
    const limit = type === JSON_TYPE ? Math.min(unpackedBytes, JSON_BYTES_LIMIT) : unpackedBytes
    let room = Math.min(statedSize(body), limit)
    while (true) {
      this.#hold(held, room)
      try {
        return await gunzipWithin(body, room)
      } catch (error) {
        if (room === limit || !(error instanceof TooLong)) {
          throw this.#notUnpacked(error, body, peer, limit)
        }
        // of several parts only the size of the last one is stated
        room = limit
      }
    }
  }

  #notUnpacked(error: unknown, body: Buffer, peer: Peer, limit: number): HttpError {
    if (error instanceof TooLong) {
      return this.#tooLarge(body, peer, `the body is longer than ${limit} bytes once unpacked`)
    }
    this.#resident.reject('bad_gzip', body, peer, (error as Error).message)
    return new HttpError(400, 'bad_gzip', `the body is no gzip: ${String(error)}`)
  }

  #tooLarge(body: Buffer, peer: Peer, message: string): HttpError {
    this.#resident.reject('too_large', body, peer, message)
    return new HttpError(413, 'too_large', message, 'send fewer points in a request')
  }

  async #take(context: HubContext, body: Buffer, type: BodyType, peer: Peer): Promise<Response> {
    const { turns } = context.get('answers')
    let bytes: Uint8Array = body
    let badPoints = 0
    if (type === JSON_TYPE) {
      const found = await turns.run(checkingJson(body), () => true)
      if (found === 'too_large') throw this.#tooLarge(body, peer, JSON_IS_MUCH)
      if (found === 'too_deep') throw this.#refused(found, body, peer, 'it is too deep')
      const parsed = (await turns.run(parsingJson(body.toString('utf8')), () => true))!
      if ('code' in parsed) throw this.#refused(parsed.code, body, peer, parsed.detail)
      bytes = parsed.bytes
      badPoints = parsed.badPoints
    }
    const count = await turns.run(countingPoints(bytes), () => true)
    if (count === 'too_large') throw this.#tooLarge(body, peer, PART_IS_LONG)
    if (count === 'bad_protobuf') {
      throw this.#refused(count, body, peer, 'a length leads out of its message')
    }
    const { outgoing } = context.env
    const taken = await turns.run(this.#resident.receive(bytes, peer, badPoints), () => true)
    if (taken === undefined || outgoing.destroyed) return context.body(null)
    return takenAnswer(context, type, taken)
  }

  #refused(code: string, body: Buffer, peer: Peer, detail: string): HttpError {
    this.#resident.reject(code, body, peer, detail)
    return new HttpError(400, code, `the body can't be read: ${detail}`)
  }
}

/** Reads the size that gzip states in its last four bytes, modulo 2^32; 1 at least. */
function statedSize(body: Buffer): number {
  return body.length < 4 ? 1 : Math.max(1, body.readUInt32LE(body.length - 4))
}

function unavailable(message: string): HttpError {
  return new HttpError(503, 'busy', message, 'send it again later', RETRY_AFTER)
}

function typeOf(context: HubContext): BodyType {
  const type = mediaType(context)
  if (type === PROTOBUF_TYPE || type === JSON_TYPE) return type
  const message = `content type ${JSON.stringify(type)}, want ${PROTOBUF_TYPE} or ${JSON_TYPE}`
  throw new HttpError(415, 'unsupported_media_type', message)
}

function mediaType(context: HubContext): string {
  return (context.req.header('Content-Type') ?? '').split(';')[0]!.trim().toLowerCase()
}

function isGzip(context: HubContext): boolean {
  const encoding = (context.req.header('Content-Encoding') ?? 'identity').trim().toLowerCase()
  if (encoding === 'gzip') return true
  if (encoding === 'identity' || encoding === '') return false
  const message = `content encoding ${JSON.stringify(encoding)}, want gzip or none`
  throw new HttpError(415, 'unsupported_encoding', message)
}

/** Answers ExportMetricsServiceResponse; what was left out is its partial success. */
function takenAnswer(context: HubContext, type: BodyType, taken: Taken): Response {
  const { rejected } = taken
  const message = rejected === 0 ? '' : reasonsText(taken)
  context.header('Content-Type', type)
  if (type === JSON_TYPE) {
    const partialSuccess = { rejectedDataPoints: String(rejected), errorMessage: message }
    return context.body(JSON.stringify(rejected === 0 ? {} : { partialSuccess }))
  }
  const writer = new ProtobufWriter()
  if (rejected > 0) {
    writer.message(1, () => {
      writer.tag(1, 0)
      writer.varint(rejected)
      writer.text(2, message)
    })
  }
  return context.body(writer.finish())
}

/** Writes `3 points were not taken: 2 bad_value, 1 out_of_order`. */
function reasonsText({ rejected, reasons }: Taken): string {
  const counts = [...reasons].sort((a, b) => b[1] - a[1]).map(([code, n]) => `${n} ${code}`)
  const points = rejected === 1 ? '1 point was' : `${rejected} points were`
  return `${points} not taken: ${counts.join(', ')}`
}

/** Answers an error as google.rpc.Status, in the type of the request. */
function statusAnswer(context: HubContext, refusal: HttpError): Response {
  const { status, headers, hint } = refusal
  const code = { 429: EXHAUSTED, 503: UNAVAILABLE }[status as number] ?? INVALID_ARGUMENT
  const message = hint === undefined ? refusal.message : `${refusal.message}; ${hint}`
  if (mediaType(context) !== PROTOBUF_TYPE) return context.json({ code, message }, status, headers)
  const writer = new ProtobufWriter()
  writer.tag(1, 0)
  writer.varint(code)
  writer.text(2, message)
  return context.body(writer.finish(), status, { ...headers, 'Content-Type': PROTOBUF_TYPE })
}
