/**
 * Carries requests to a receiver over HTTP, as OTLP has it (opentelemetry-proto,
 * docs/specification.md, "OTLP/HTTP"): what may be tried again is, with back-off, in the receiver's
 * own time where it says one; what was refused is not.
 */
import { promisify } from 'node:util'
import { Backoff, type BackoffOptions } from '../time/backoff.ts'
import type { Clock } from '../time/clock.ts'
import { asOwnTraffic } from './own-traffic.ts'

export interface DeliveryOptions {
  /** Address with the path; https for TLS. */
  readonly url: string
  readonly compression: 'gzip' | 'none'
  /** Headers sent with every request; may hold secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** Time for one attempt. */
  readonly timeoutMs: number
  /** Attempts of one request, 5 unless stated. */
  readonly attempts?: number
}

/** Format of the requests: what is known of them beyond their bytes. */
export interface DeliveryFormat {
  /** Media type of the requests. */
  readonly contentType: string
  /** Advice about answers, by their status. */
  readonly hints: Readonly<Record<number, string>>
  /** Advice where there is no answer. */
  readonly unreachableHint: string
  /** Advice where the receiver asks for less. */
  readonly overloadedHint: string
  /** Reads what was taken from an answer of status 2xx; may throw, which is as if nothing stood. */
  readAnswer(contentType: string, bytes: Uint8Array): Taken
  /** Tells whether a request may be tried again after such an answer; OTLP's rule unless stated. */
  isRetryable?(status: number): boolean
  /** Whether the text of a refusal is for people, and belongs to its cause. */
  readonly explainsRefusals?: boolean
}

/** Answer of a receiver about a request that it took. */
export interface Taken {
  readonly rejectedPoints: number
  readonly message: string
}

/** Outcome of a request; `answer` is there where one came. */
export type Outcome = { readonly answer?: Pick<Response, 'status' | 'headers'> } & (
  | ({ readonly kind: 'taken' } & Taken)
  /** Refusal: another attempt would fail as well. */
  | { readonly kind: 'refused'; readonly cause: string; readonly hint: string }
  | {
      readonly kind: 'failed'
      readonly cause: string
      readonly hint: string
      readonly retryAfterMs?: number
    }
)

interface DeliveryParts {
  readonly clock: Clock
  /** 0 to below 1, spreads the attempts of many. */
  readonly random: () => number
  /** Signal that ends waiting: what fails from now on is not tried again. */
  readonly hurry: AbortSignal
  /** Signal that ends requests under way. */
  readonly signal: AbortSignal
  readonly retried: (cause: string) => void
}

const ATTEMPTS = 5
const PAUSE_LIMIT_MS = 60_000
/** Longest pause that a receiver may ask for. */
const RETRY_AFTER_LIMIT_MS = 3_600_000
/** Doubled, and spread by half both ways. */
const PAUSES: BackoffOptions = {
  reconnectFirstMs: 1000,
  reconnectLimitMs: PAUSE_LIMIT_MS,
  reconnectJitter: 0.5,
}
/** Size of an answer that is read; what is beyond is not. */
const ANSWER_BYTES = 65_536
/** Part of a refusal's text that is told. */
const SAID_BYTES = 300
const RETRYABLE = [429, 502, 503, 504]
/** Packs bytes; zlib is loaded with the first request. */
const compress = (bytes: Uint8Array) => promisify(process.getBuiltinModule('node:zlib').gzip)(bytes)

const UNKNOWN = 'see the log of the receiver'

export class Delivery {
  readonly #options: DeliveryOptions
  readonly #format: DeliveryFormat
  readonly #parts: DeliveryParts

  constructor(options: DeliveryOptions, format: DeliveryFormat, parts: DeliveryParts) {
    this.#options = { ...options, ...addressOf(options) }
    this.#format = format
    this.#parts = parts
  }

  /** Resolves with the last attempt's outcome; never rejects. */
  async send(body: Uint8Array<ArrayBuffer>): Promise<Outcome> {
    const { attempts = ATTEMPTS } = this.#options
    const isSmaller = this.#options.compression === 'gzip'
    const bytes = isSmaller ? new Uint8Array(await compress(body)) : body
    const backoff = new Backoff(PAUSES, this.#parts.random)
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(bytes)
      if (outcome.kind !== 'failed' || attempt >= attempts) return outcome
      if (this.#parts.hurry.aborted) return outcome
      this.#parts.retried(outcome.cause)
      const pauseMs = backoff.nextMs()
      await this.#pause(outcome.retryAfterMs ?? pauseMs)
    }
  }

  #pause(delayMs: number): Promise<void> {
    const { clock, hurry } = this.#parts
    return new Promise((resolve) => {
      const end = (): void => {
        cancel()
        hurry.removeEventListener('abort', end)
        resolve()
      }
      const cancel = clock.after(Math.min(delayMs, PAUSE_LIMIT_MS), end)
      hurry.addEventListener('abort', end)
    })
  }

  async #attempt(body: Uint8Array<ArrayBuffer>): Promise<Outcome> {
    const { url, compression, headers, timeoutMs } = this.#options
    const { clock, signal } = this.#parts
    const timeout = new AbortController()
    const cancel = clock.after(timeoutMs, () => {
      timeout.abort(new Error(`no answer within ${timeoutMs} ms`))
    })
    try {
      const request = {
        method: 'POST',
        headers: {
          'Content-Type': this.#format.contentType,
          ...(compression === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}),
          'User-Agent': 'pentameter',
          ...headers,
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout.signal]),
      } as const
      const answer = await asOwnTraffic(() => fetch(url, request))
      const { status, headers: said } = answer
      const judged = this.#judge(answer, await readSome(answer))
      return { ...judged, answer: { status, headers: said } }
    } catch (error) {
      return { kind: 'failed', cause: causeOf(error), hint: this.#format.unreachableHint }
    } finally {
      cancel()
    }
  }

  #judge({ status, ok, headers }: Response, bytes: Uint8Array): Outcome {
    if (ok) return { kind: 'taken', ...this.#takenOf(headers.get('content-type') ?? '', bytes) }
    const said = this.#format.explainsRefusals ? saidText(bytes) : ''
    const cause = `status ${status}${said}`
    const moved = movedHint(status, headers.get('location'), this.#options.url)
    if (!(this.#format.isRetryable?.(status) ?? RETRYABLE.includes(status))) {
      return { kind: 'refused', cause, hint: moved ?? this.#format.hints[status] ?? UNKNOWN }
    }
    const retryAfterMs = this.#retryAfterMs(headers.get('retry-after'))
    return {
      ...{ kind: 'failed', cause, hint: moved ?? this.#format.overloadedHint },
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    }
  }

  /**
   * Reads what was taken. An answer that can't be read is one that states nothing: the request was
   * taken all the same.
   */
  #takenOf(contentType: string, bytes: Uint8Array): Taken {
    try {
      return this.#format.readAnswer(contentType, bytes)
    } catch {
      return { rejectedPoints: 0, message: '' }
    }
  }

  /** Reads seconds, or a date (RFC 9110 §10.2.3). */
  #retryAfterMs(text: string | null): number | undefined {
    if (text === null) return undefined
    const isSeconds = /^\d{1,9}$/.test(text)
    const askedMs = isSeconds ? Number(text) * 1000 : Date.parse(text) - this.#parts.clock.wallMs()
    if (Number.isNaN(askedMs)) return undefined
    return Math.min(Math.max(0, askedMs), RETRY_AFTER_LIMIT_MS)
  }
}

/**
 * Makes `user:password@` a header: `fetch` refuses such addresses, and puts the password into its
 * error. One that is in `headers` holds.
 */
function addressOf({ url, headers }: DeliveryOptions): Pick<DeliveryOptions, 'url' | 'headers'> {
  const address = new URL(url)
  const { username, password } = address
  if (username === '' && password === '') return { url, headers }
  address.username = ''
  address.password = ''
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const own = { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
  const isGiven = Object.keys(headers).some((key) => key.toLowerCase() === 'authorization')
  return { url: address.href, headers: isGiven ? headers : { ...own, ...headers } }
}

/**
 * Reads what there is of the answer's body. The status has decided already: a request that was
 * taken must not be sent again because the rest of the answer broke off, or deltas would count
 * twice.
 */
async function readSome(answer: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of answer.body ?? []) {
      parts.push(part)
      size += part.length
      if (size >= ANSWER_BYTES) break
    }
  } catch {
    // cut off, or later than the time for one attempt
  }
  return Buffer.concat(parts).subarray(0, ANSWER_BYTES)
}

/** Writes the first line of an answer behind a colon, without what a terminal would obey. */
function saidText(bytes: Uint8Array): string {
  const [line = ''] = new TextDecoder().decode(bytes.subarray(0, SAID_BYTES)).split('\n')
  const text = line.replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim()
  return text === '' ? '' : `: ${text}`
}

/**
 * Writes where a receiver says that it is. It is not followed: headers may hold secrets that
 * another host must not get, and each request would go twice.
 */
function movedHint(status: number, location: string | null, url: string): string | undefined {
  if (status < 300 || status >= 400 || location === null) return undefined
  const address = URL.parse(location.slice(0, SAID_BYTES), url)
  if (address === null) return undefined
  const { origin, pathname } = address
  return `it has moved: give the address ${origin}${pathname}`
}

function causeOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException }
  return cause?.code ?? cause?.message ?? message
}
