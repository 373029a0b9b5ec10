/**
 * `POST /api/v1/write`: requests of remote write 1.0. What was taken whole is answered 204; of a
 * request that was taken but for some samples, these are told by counts with 400, at which senders
 * do not send it again; what the hub has no room for gets 429 or 503 with a time to wait.
 */
import type { GuestRoutes, HubApp, HubContext, RouteContext } from '../../../http/guest-routes.ts'
import { HttpError } from '../../../http/http-error.ts'
import { readBody } from '../../../http/load/body.ts'
import type { Task } from '../../../time/task.ts'
import type { Peer } from '../../endpoints.ts'
import { blockHead, unpackingSnappy } from '../codec/snappy.ts'
import type { Taken } from '../hub/receiver.ts'
import { type RemoteWriteResident, remoteWriteOf } from '../hub/resident.ts'
import { MESSAGE, PART_BYTES_LIMIT, PATH, PROTOBUF_TYPE } from '../spec.ts'

/** Requests that are read at once; one more gets 429. */
const REQUESTS_LIMIT = 64
/** Bytes of all of them, unpacked; one more gets 503. */
const UNPACKED_BYTES_TOGETHER = 134_217_728
const PART_IS_LONG = `what is besides series and metadata is longer than ${PART_BYTES_LIMIT} bytes`
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
    checkHeaders(context)
    if (this.#limits.isOverloaded()) throw unavailable('the hub is overloaded')
    const { incoming } = context.env
    const body = await readBody(incoming, this.#limits.requestBytes)
    if (this.#count >= REQUESTS_LIMIT) {
      const message = `${REQUESTS_LIMIT} requests are being read`
      throw new HttpError(429, 'requests_limit', message, 'send it again later', RETRY_AFTER)
    }
    const { remoteAddress: address = '', remotePort: port = 0 } = incoming.socket
    const peer: Peer = { transport: 'tcp', address, port }
    const size = this.#statedSize(body, peer)
    if (this.#bytes + size > UNPACKED_BYTES_TOGETHER) {
      throw unavailable('requests that are being read take all the memory there is for them')
    }
    this.#count++
    this.#bytes += size
    try {
      return await this.#take(context, body, peer)
    } finally {
      this.#count--
      this.#bytes -= size
    }
  }

  /** Reads the size that a body says it has once unpacked. */
  #statedSize(body: Buffer, peer: Peer): number {
    const head = blockHead(body)
    if (typeof head !== 'object') throw this.#noSnappy(body, peer)
    const { unpackedBytes } = this.#limits
    if (head.size <= unpackedBytes) return head.size
    throw this.#tooLarge(body, peer, `the body is longer than ${unpackedBytes} bytes once unpacked`)
  }

  async #take(context: HubContext, body: Buffer, peer: Peer): Promise<Response> {
    const { turns } = context.get('answers')
    const run = async <T>(task: Task<T>): Promise<T> => (await turns.run(task, () => true))!
    const unpacked = await run(unpackingSnappy(body, this.#limits.unpackedBytes))
    if (typeof unpacked === 'string' || unpacked.end !== body.length) {
      throw this.#noSnappy(body, peer)
    }
    const { bytes } = unpacked
    const found = await run(this.#resident.opening(bytes))
    if (found === 'too_large') throw this.#tooLarge(body, peer, PART_IS_LONG)
    if (found === 'bad_protobuf') {
      throw this.#refused(found, bytes, peer, 'a length leads out of its message')
    }
    const agent = (context.req.header('User-Agent') ?? '').slice(0, AGENT_LENGTH)
    const taken = await run(this.#resident.receive(bytes, peer, agent))
    if (context.env.outgoing.destroyed) return context.body(null)
    if (taken.rejected > 0) return context.text(reasonsText(taken), 400)
    return context.body(null, 204)
  }

  #noSnappy(body: Uint8Array, peer: Peer): HttpError {
    return this.#refused('bad_snappy', body, peer, 'it is no block of snappy')
  }

  #tooLarge(body: Uint8Array, peer: Peer, message: string): HttpError {
    this.#resident.reject('too_large', body, peer, message)
    return new HttpError(413, 'too_large', message, 'send fewer samples in a request')
  }

  #refused(code: string, body: Uint8Array, peer: Peer, detail: string): HttpError {
    this.#resident.reject(code, body, peer, detail)
    return new HttpError(400, code, `the body can't be read: ${detail}`)
  }
}

function unavailable(message: string): HttpError {
  return new HttpError(503, 'busy', message, 'send it again later', RETRY_AFTER)
}

function checkHeaders(context: HubContext): void {
  const header = context.req.header('Content-Type') ?? ''
  const [type = '', ...rest] = header.split(';').map((part) => part.trim().toLowerCase())
  const proto = rest.find((part) => part.startsWith('proto='))?.slice('proto='.length)
  if (type !== PROTOBUF_TYPE || (proto !== undefined && !proto.endsWith(MESSAGE))) {
    const message = `content type ${JSON.stringify(header)}, want ${PROTOBUF_TYPE}`
    const hint = 'set protobuf_message to prometheus.WriteRequest: the hub takes version 1.0'
    throw new HttpError(415, 'unsupported_media_type', message, hint)
  }
  const encoding = (context.req.header('Content-Encoding') ?? '').trim().toLowerCase()
  if (encoding === 'snappy') return
  const message = `content encoding ${JSON.stringify(encoding)}, want snappy`
  throw new HttpError(415, 'unsupported_encoding', message)
}

/** Writes `3 of 10 samples were not taken: 2 out_of_order, 1 bad_value`. */
function reasonsText({ accepted, rejected, reasons }: Taken): string {
  const counts = [...reasons].sort((a, b) => b[1] - a[1]).map(([code, n]) => `${n} ${code}`)
  const all = accepted + rejected
  return `${rejected} of ${all} samples were not taken: ${counts.join(', ')}\n`
}

/** Answers an error in a line of text, which senders write into their log. */
function textAnswer(context: HubContext, refusal: HttpError): Response {
  const { status, headers, hint, message } = refusal
  return context.text(`${hint === undefined ? message : `${message}; ${hint}`}\n`, status, headers)
}
