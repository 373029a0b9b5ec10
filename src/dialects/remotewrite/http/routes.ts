/**
 * `POST /api/v1/write`: requests of remote write 1.0 and 2.0. What was taken whole is answered 204;
 * of a request that was taken but for some samples, these are told by counts with 400, at which
 * senders do not send it again; what the hub has no room for gets 429 or 503 with a time to wait.
 * Answers to 2.0 say in headers how much was written, be it nothing.
 */
import type { GuestRoutes, HubApp, HubContext, RouteContext } from '../../../http/guest-routes.ts'
import { HttpError } from '../../../http/http-error.ts'
import { readBody } from '../../../http/load/body.ts'
import type { Task } from '../../../time/task.ts'
import type { Peer } from '../../endpoints.ts'
import { blockHead, unpackingSnappy } from '../codec/snappy.ts'
import type { Taken } from '../hub/receiver.ts'
import { type RemoteWriteResident, remoteWriteOf } from '../hub/resident.ts'
import {
  MESSAGES,
  PART_BYTES_LIMIT,
  PATH,
  PROTOBUF_TYPE,
  type Version,
  WRITTEN_HEADERS,
} from '../spec.ts'

/** Requests that are read at once; one more gets 429. */
const REQUESTS_LIMIT = 64
/** Bytes of all of them, unpacked; one more gets 503. */
const UNPACKED_BYTES_TOGETHER = 134_217_728
const PART_IS_LONG = `what is not series or their words is longer than ${PART_BYTES_LIMIT} bytes`
/** Causes of what can't be read once it is unpacked. */
const CAUSES = {
  bad_protobuf: 'a length leads out of its message',
  other_version: 'the message is of another version than the content type says',
  bad_symbols: 'the first symbol is not the empty one',
} as const
const RETRY_AFTER = { 'Retry-After': '1' }
/** Characters of the name of the sending program that are shown. */
const AGENT_LENGTH = 64

export function addRoutes(app: HubApp, { view, options }: RouteContext): GuestRoutes {
  const resident = remoteWriteOf(view)
  if (resident === undefined) return {}
  const requests = new WriteRequests(resident, {
    requestBytes: options.requestBytesLimit as number,
    unpackedBytes: options.unpackedBytesLimit as number,
    isOverloaded: () => view.refusesAnswers,
  })
  app.post(PATH, (context) => requests.answer(context))
  return { errorAnswers: { [PATH]: textAnswer } }
}

interface RequestLimits {
  readonly requestBytes: number
  readonly unpackedBytes: number
  readonly isOverloaded: () => boolean
}

/** One request, as it was sent. */
interface SentRequest {
  readonly body: Uint8Array
  readonly peer: Peer
  readonly version: Version
}

class WriteRequests {
  readonly #resident: RemoteWriteResident
  readonly #limits: RequestLimits
  #count = 0
  #bytes = 0

  constructor(resident: RemoteWriteResident, limits: RequestLimits) {
    this.#resident = resident
    this.#limits = limits
  }

  async answer(context: HubContext): Promise<Response> {
    const version = versionOf(context)
    if (this.#limits.isOverloaded()) throw unavailable('the hub is overloaded')
    const { incoming } = context.env
    const body = await readBody(incoming, this.#limits.requestBytes)
    if (this.#count >= REQUESTS_LIMIT) {
      const message = `${REQUESTS_LIMIT} requests are being read`
      throw new HttpError(429, 'requests_limit', message, 'send it again later', RETRY_AFTER)
    }
    const { remoteAddress: address = '', remotePort: port = 0 } = incoming.socket
    const peer: Peer = { transport: 'tcp', address, port }
    const request = { body, peer, version }
    const size = this.#statedSize(request)
    if (this.#bytes + size > UNPACKED_BYTES_TOGETHER) {
      throw unavailable('requests that are being read take all the memory there is for them')
    }
    this.#count++
    this.#bytes += size
    try {
      return await this.#take(context, request)
    } finally {
      this.#count--
      this.#bytes -= size
    }
  }

  /** Reads the size that a body says it has once unpacked. */
  #statedSize(request: SentRequest): number {
    const head = blockHead(request.body)
    if (typeof head !== 'object') throw this.#noSnappy(request)
    const { unpackedBytes } = this.#limits
    if (head.size <= unpackedBytes) return head.size
    throw this.#tooLarge(request, `the body is longer than ${unpackedBytes} bytes once unpacked`)
  }

  async #take(context: HubContext, request: SentRequest): Promise<Response> {
    const { body, peer, version } = request
    const { turns } = context.get('answers')
    const run = async <T>(task: Task<T>): Promise<T> => (await turns.run(task, () => true))!
    const unpacked = await run(unpackingSnappy(body, this.#limits.unpackedBytes))
    if (typeof unpacked === 'string' || unpacked.end !== body.length) throw this.#noSnappy(request)
    const { bytes } = unpacked
    const opened = await run(this.#resident.opening(bytes, version))
    if (opened === 'too_large') throw this.#tooLarge(request, PART_IS_LONG)
    if (typeof opened === 'string') {
      throw this.#refused(opened, { ...request, body: bytes }, CAUSES[opened])
    }
    const agent = (context.req.header('User-Agent') ?? '').slice(0, AGENT_LENGTH)
    const taken = await run(this.#resident.receive(opened, peer, agent))
    if (context.env.outgoing.destroyed) return context.body(null)
    const headers = writtenHeaders(version, taken)
    const isWhole = taken.rejected === 0 && (version === 1 || taken.exemplars.rejected === 0)
    if (isWhole) return context.body(null, 204, headers)
    return context.text(reasonsText(version, taken), 400, headers)
  }

  #noSnappy(request: SentRequest): HttpError {
    return this.#refused('bad_snappy', request, 'it is no block of snappy')
  }

  #tooLarge({ body, peer, version }: SentRequest, message: string): HttpError {
    this.#resident.reject('too_large', body, peer, message)
    const hint = 'send fewer samples in a request'
    return new HttpError(413, 'too_large', message, hint, writtenHeaders(version))
  }

  #refused(code: string, { body, peer, version }: SentRequest, detail: string): HttpError {
    this.#resident.reject(code, body, peer, detail)
    const message = `the body can't be read: ${detail}`
    return new HttpError(400, code, message, undefined, writtenHeaders(version))
  }
}

/** Writes what an answer of 2.0 says of what was written: nothing unless something was taken. */
function writtenHeaders(version: Version, taken?: Taken): Record<string, string> {
  if (version === 1) return {}
  const { accepted = 0, histograms = 0 } = taken ?? {}
  return {
    [WRITTEN_HEADERS.samples]: String(accepted - histograms),
    [WRITTEN_HEADERS.histograms]: String(histograms),
    [WRITTEN_HEADERS.exemplars]: String(taken?.exemplars.accepted ?? 0),
  }
}

function unavailable(message: string): HttpError {
  return new HttpError(503, 'busy', message, 'send it again later', RETRY_AFTER)
}

/** Reads the version of a request from its content type, which 1.0 need not name. */
function versionOf(context: HubContext): Version {
  const header = context.req.header('Content-Type') ?? ''
  const [type = '', ...rest] = header.split(';').map((part) => part.trim().toLowerCase())
  const named = rest.find((part) => part.startsWith('proto='))?.slice('proto='.length)
  const proto = named?.replaceAll('"', '') ?? MESSAGES[1].toLowerCase()
  const version = ([1, 2] as const).find((each) => MESSAGES[each].toLowerCase() === proto)
  if (type !== PROTOBUF_TYPE || version === undefined) {
    const message = `content type ${JSON.stringify(header)}, want ${PROTOBUF_TYPE}`
    const hint = `the hub takes ${MESSAGES[1]} and ${MESSAGES[2]}`
    throw new HttpError(415, 'unsupported_media_type', message, hint)
  }
  const encoding = (context.req.header('Content-Encoding') ?? '').trim().toLowerCase()
  if (encoding === 'snappy') return version
  const message = `content encoding ${JSON.stringify(encoding)}, want snappy`
  throw new HttpError(415, 'unsupported_encoding', message)
}

/** Writes `3 of 10 samples were not taken: 2 out_of_order, 1 bad_value`. */
function reasonsText(version: Version, taken: Taken): string {
  const { accepted, rejected, exemplars, reasons } = taken
  const counts = [...reasons].sort((a, b) => b[1] - a[1]).map(([code, n]) => `${n} ${code}`)
  const ofSamples = `${rejected} of ${accepted + rejected} samples`
  const all = exemplars.accepted + exemplars.rejected
  const isOfBoth = version === 2 && exemplars.rejected > 0
  const ofExemplars = isOfBoth ? ` and ${exemplars.rejected} of ${all} exemplars` : ''
  return `${ofSamples}${ofExemplars} were not taken: ${counts.join(', ')}\n`
}

/** Answers an error in a line of text, which senders write into their log. */
function textAnswer(context: HubContext, refusal: HttpError): Response {
  const { status, headers, hint, message } = refusal
  return context.text(`${hint === undefined ? message : `${message}; ${hint}`}\n`, status, headers)
}
