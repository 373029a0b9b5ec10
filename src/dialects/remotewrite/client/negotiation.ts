/**
 * The version that a receiver is spoken to in. 2.0 is asked for with a request itself: who takes
 * it says how much was written. Who does not, says 415 or 400, or nothing at all and 2xx, having
 * skipped what it does not know; the same request then goes out as 1.0, so nothing is lost by
 * asking. What a receiver speaks is remembered, and asked again after it was away. Of a receiver
 * that only fails, each third attempt is of 1.0: what stands before it may hold, or break off, what
 * it does not know.
 */
import { setImmediate } from 'node:timers/promises'
import { Delivery, type DeliveryFormat, type Outcome } from '../../../peers/delivery.ts'
import type { Clock } from '../../../time/clock.ts'
import { packSnappy, unpackSnappy } from '../codec/snappy.ts'
import {
  MESSAGES,
  PROTOBUF_TYPE,
  UNPACKED_BYTES_LIMIT,
  VERSION_HEADER,
  VERSION_TEXTS,
  type Version,
  WRITTEN_HEADERS,
} from '../spec.ts'
import { type OpenedRecord, openRecord } from './record.ts'
import { writingVersion2 } from './version-2.ts'

/**
 * Pauses before a receiver of 1.0 is asked again, ms: after a failure, doubled with each question
 * that fails up to the other one, and where it has said that it is of 1.0.
 */
const ASK_AFTER_FAILURE_MS = 60_000
const ASK_MS = 3_600_000
/** Attempts as 2.0, before one as 1.0, at a receiver that fails and has not said what it speaks. */
const ATTEMPTS_AS_2 = 2
const TOO_MANY = 429
/** Statuses of a receiver, or a gateway before it, that has not looked into the request. */
const BUSY = [TOO_MANY, 502, 503, 504]
/** Causes of failures where no request was sent, so that they say nothing of its version. */
const UNREACHED = [
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  'UND_ERR_CONNECT_TIMEOUT',
]

const FORMAT: Omit<DeliveryFormat, 'contentType'> = {
  hints: {
    401: 'set remotewrite.emit.headers',
    403: 'set remotewrite.emit.headers',
    404: 'see whether the path is that of remote write, and whether the receiver takes it',
    413: 'the receiver takes no request of 2000 samples',
  },
  unreachableHint: 'it is tried again',
  overloadedHint: 'it is tried again',
  readAnswer: () => ({ rejectedPoints: 0, message: '' }),
  isRetryable: (status: number) => status < 400 || status === TOO_MANY || status >= 500,
  explainsRefusals: true,
}
const CONTENT_TYPES: Readonly<Record<Version, string>> = {
  1: PROTOBUF_TYPE,
  2: `${PROTOBUF_TYPE};proto=${MESSAGES[2]}`,
}

interface ReceiverOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

interface DeliveryParts {
  readonly clock: Clock
  readonly hurry: AbortSignal
  readonly signal: AbortSignal
}

/** Outcome of a record; `written` is how many of its samples were, where the receiver said it. */
export interface Sent {
  readonly outcome: Outcome
  readonly written?: number
}

export class Negotiation {
  readonly #clock: Clock
  readonly #deliveries: Readonly<Record<Version, Delivery>>
  /** Version that the receiver speaks; undefined before it has said it. */
  version: Version | undefined
  #askedMs = 0
  #askAfterMs = ASK_MS
  /** Attempts in a row that failed while it was not known what the receiver speaks. */
  #failures = 0

  constructor(options: ReceiverOptions, { clock, hurry, signal }: DeliveryParts) {
    this.#clock = clock
    const own = { clock, random: Math.random, hurry, signal, retried: () => {} }
    const { url, timeoutMs } = options
    const speaking = (version: Version): Delivery => {
      const headers = {
        'Content-Encoding': 'snappy',
        [VERSION_HEADER]: VERSION_TEXTS[version],
        ...options.headers,
      }
      const requests = { url, headers, timeoutMs, compression: 'none', attempts: 1 } as const
      return new Delivery(requests, { ...FORMAT, contentType: CONTENT_TYPES[version] }, own)
    }
    this.#deliveries = { 1: speaking(1), 2: speaking(2) }
  }

  /** Sends a record of the queue once, in the version that the receiver takes. */
  async send(record: Uint8Array<ArrayBuffer>): Promise<Sent> {
    const opened = openRecord(record)
    const isAsked = this.#asksNow()
    const sent = isAsked ? await this.#sendAs2(opened) : undefined
    if (sent !== undefined) return sent
    const outcome = await this.#deliveries[1].send(opened.body)
    if (outcome.kind === 'failed') {
      this.#askAfterMs = ASK_AFTER_FAILURE_MS
      if (wasHeld(outcome)) this.#failures++
    }
    if (outcome.kind === 'taken') this.#speaks(1)
    // one that takes nothing but 2.0, and could not be asked before
    const wants2 = outcome.answer?.status === 415 && !isAsked
    return (wants2 ? await this.#sendAs2(opened) : undefined) ?? { outcome }
  }

  #asksNow(): boolean {
    if (this.version === 1) return this.#clock.wallMs() - this.#askedMs >= this.#askAfterMs
    return this.version === 2 || this.#failures % (ATTEMPTS_AS_2 + 1) < ATTEMPTS_AS_2
  }

  #speaks(version: Version): void {
    this.#failures = 0
    this.version = version
  }

  /** Sends a record as 2.0. @returns undefined where it is to be sent as 1.0 instead */
  async #sendAs2(record: OpenedRecord): Promise<Sent | undefined> {
    const body = await asVersion2(record)
    if (body === undefined) return undefined
    const outcome = await this.#deliveries[2].send(body)
    this.#askedMs = this.#clock.wallMs()
    const { answer } = outcome
    const written = answer && writtenOf(answer.headers)
    if (written !== undefined) {
      this.#speaks(2)
      return { outcome, written }
    }
    if (outcome.kind === 'failed') {
      this.#fail(outcome)
      return { outcome }
    }
    const isOther = outcome.kind === 'taken' || [400, 415].includes(answer!.status)
    if (!isOther) return { outcome }
    this.#askAfterMs = ASK_MS
    return undefined
  }

  /**
   * Takes note that a request of 2.0 was not taken. A receiver that says so by a status, and was
   * not heard to speak 2.0, may fail of what it can't read: it gets the request as 1.0 next time.
   */
  #fail(outcome: Failure): void {
    const isHeld = wasHeld(outcome)
    const isAgain = isHeld && this.version === 1
    this.#askAfterMs = isAgain ? Math.min(2 * this.#askAfterMs, ASK_MS) : ASK_AFTER_FAILURE_MS
    if (isAgain) return
    const status = outcome.answer?.status
    const isOfContent = status !== undefined && status >= 500 && !BUSY.includes(status)
    if (isOfContent && this.version !== 2) this.#speaks(1)
    else if (status === undefined || isOfContent) this.version = undefined
    if (isHeld) this.#failures++
  }
}

type Failure = Extract<Outcome, { kind: 'failed' }>

/** Tells whether a request left and came to nothing, for which its version may be the reason. */
function wasHeld({ answer, cause }: Failure): boolean {
  return answer === undefined ? !UNREACHED.includes(cause) : answer.status !== TOO_MANY
}

/** Writes a record as 2.0, in steps of the event loop. */
async function asVersion2({
  body,
  facts,
}: OpenedRecord): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const unpacked = unpackSnappy(body, UNPACKED_BYTES_LIMIT)
  if (typeof unpacked === 'string') return undefined
  const task = writingVersion2(unpacked.bytes, facts)
  let step = task.next()
  for (; step.done !== true; step = task.next()) await setImmediate()
  return step.value && packSnappy(step.value)
}

/** Reads how many samples and histograms were written; undefined where nothing is said of it. */
function writtenOf(headers: Headers): number | undefined {
  const counts = Object.values(WRITTEN_HEADERS).map((name) => headers.get(name))
  if (counts.every((count) => count === null)) return undefined
  const [samples, histograms] = counts.map((count) => {
    return /^\d{1,15}$/.test(count ?? '') ? Number(count) : 0
  })
  return samples! + histograms!
}
