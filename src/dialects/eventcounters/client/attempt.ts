/**
 * One session from the client's side: request, answer, body, until something ends it. Nothing a
 * server sends is waited for without a limit in time, nor kept without one in size.
 */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { sendGet } from '../../../peers/get-request.ts'
import type { Clock } from '../../../time/clock.ts'
import { PartedWork } from '../../../time/parts.ts'
import { SilenceWatch } from '../../../time/silence.ts'
import type { Task } from '../../../time/task.ts'
import type { SharedReads } from '../../endpoints.ts'
import { CONTENT_TYPE, MARKS_HEADER, NAME, SERIES_HEADER, WITH_BUCKETS } from '../spec.ts'
import type { EndpointAddress } from './address.ts'
import { refusalText } from './refusal-text.ts'

/** Reason why a session ended or never began; the last three: after it was open. */
export type ClientErrorReason =
  | 'connect'
  | 'timeout'
  | 'bad_answer'
  | 'redirect'
  | 'status'
  | 'content_type'
  | 'closed'
  | 'broken'
  | 'silent'

export interface ClientError {
  readonly reason: ClientErrorReason
  /** Text for people: names the thing, with the server's own words where it gave some. */
  readonly message: string
  /** HTTP status, where the answer was not 200. */
  readonly status?: number
}

export interface Opened {
  readonly url: string
  /**
   * Series that the server says it serves: `Interval=1`, or `none`; undefined when it says nothing.
   */
  readonly series: string | undefined
}

interface AttemptSink {
  opened(opened: Opened): void
  /** Reads bytes of the body, in parts. */
  read(bytes: Uint8Array): Task
  /** Ends the attempt: called once, and nothing after it; not called after stop(). */
  end(error: ClientError): void
}

/** Limit from the first try to connect to the last byte of the answer's headers, ms. */
const ANSWER_TIMEOUT_MS = 10_000
const LINE_FEED = 0x0a

export class Attempt {
  readonly #address: EndpointAddress
  readonly #clock: Clock
  readonly #sink: AttemptSink
  readonly #outgoing: ClientRequest
  #isOver = false
  #silence: SilenceWatch | undefined
  readonly #cancelTimer: () => void
  readonly #reads: SharedReads | undefined
  readonly #work: PartedWork

  /** @param reads budget within which what comes is read; none unless given */
  constructor(address: EndpointAddress, clock: Clock, sink: AttemptSink, reads?: SharedReads) {
    this.#reads = reads
    // time in which it waits here is not the server's silence
    this.#work = new PartedWork(reads, () => this.#silence?.sign())
    this.#address = address
    this.#clock = clock
    this.#sink = sink
    this.#cancelTimer = clock.after(ANSWER_TIMEOUT_MS, () => {
      this.#end({ reason: 'timeout', message: `no answer within ${ANSWER_TIMEOUT_MS} ms` })
    })
    const { url, hasBuckets } = address
    // No agent: a session is a connection of its own, and none is kept for later.
    const headers = { ...HEADERS, [MARKS_HEADER]: hasBuckets ? WITH_BUCKETS : '1' }
    this.#outgoing = sendGet(
      url,
      { agent: false, headers },
      {
        answer: (incoming) => this.#onAnswer(incoming),
        switched: () => {
          this.#end({ reason: 'bad_answer', message: 'the server switched to another protocol' })
        },
        fail: (error, isHttp) => this.#onRequestError(error, isHttp),
      },
    )
    this.#outgoing.on('socket', (socket) => socket.setNoDelay(true))
  }

  /** Ends the session at once, without a word to the sink. */
  stop(): void {
    this.#isOver = true
    this.#cancelTimer()
    this.#silence?.stop()
    this.#work.drop()
    this.#outgoing.destroy()
  }

  #onRequestError({ code, message: words }: NodeJS.ErrnoException, isHttp: boolean): void {
    const { endpoint } = this.#address
    const message = isHttp
      ? `no connection to ${endpoint}: ${code ?? words}`
      : `the answer of ${endpoint} is no HTTP: ${code}`
    this.#end({ reason: isHttp ? 'connect' : 'bad_answer', message })
  }

  #onAnswer(incoming: IncomingMessage): void {
    incoming.on('error', () => {
      this.#end({ reason: 'broken', message: 'the connection broke' })
    })
    const status = incoming.statusCode ?? 0
    if (status !== 200) {
      this.#onRefused(incoming, status)
      return
    }
    const wrong = wrongContent(incoming)
    if (wrong !== undefined) {
      this.#end({ reason: 'content_type', message: wrong })
      return
    }
    const series = incoming.headers[SERIES_HEADER.toLowerCase()]
    this.#sink.opened({
      url: this.#address.url.href,
      series: Array.isArray(series) ? series[0] : series,
    })
    if (this.#isOver) return
    this.#cancelTimer()
    const { silenceMs } = this.#address
    this.#silence = new SilenceWatch(this.#clock, silenceMs, () => {
      this.#end({ reason: 'silent', message: `no line for ${silenceMs} ms` })
    })
    this.#listen(incoming)
    incoming.on('end', () => {
      this.#end({ reason: 'closed', message: 'the server ended the session' })
    })
    incoming.on('close', () => this.#end({ reason: 'broken', message: 'the connection broke' }))
  }

  #listen(incoming: IncomingMessage): void {
    const read = () => {
      incoming.on('data', (bytes: Uint8Array) => this.#onData(bytes))
    }
    if (this.#reads === undefined) {
      read()
      return
    }
    this.#reads.share(incoming, `${NAME} ${this.#address.endpoint}`, () => {
      read()
      return this.#work
    })
  }

  #onData(bytes: Uint8Array): void {
    if (this.#isOver) return
    // A line that never ends is no sign of life.
    if (bytes.includes(LINE_FEED)) this.#silence?.sign()
    this.#work.begin(this.#sink.read(bytes))
  }

  #onRefused(incoming: IncomingMessage, status: number): void {
    const { location } = incoming.headers
    if (status >= 300 && status < 400) {
      const to = location === undefined ? '' : ` to ${shorten(location)}`
      this.#end({ reason: 'redirect', status, message: `status ${status}: redirects${to}` })
      return
    }
    // The timer of the answer still runs: words that never end do not hold the client.
    refusalText(incoming, (text) => {
      const message = text === '' ? `status ${status}` : `status ${status}: ${text}`
      this.#end({ reason: 'status', status, message })
    })
  }

  #end(error: ClientError): void {
    if (this.#isOver) return
    this.stop()
    this.#sink.end(error)
  }
}

const HEADERS = {
  Accept: CONTENT_TYPE.split(';')[0]!,
  'Accept-Encoding': 'identity',
}

/** Says what is wrong with the body's form; undefined when nothing is. */
function wrongContent({ headers }: IncomingMessage): string | undefined {
  const type = headers['content-type'] ?? 'none'
  const isNdjson = mediaType(type) === mediaType(CONTENT_TYPE)
  if (!isNdjson) return `content type ${shorten(type)}, want ${mediaType(CONTENT_TYPE)}`
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() === 'identity') return undefined
  return `content encoding ${shorten(encoding)}, want none`
}

function mediaType(text: string): string {
  return text.split(';')[0]!.trim().toLowerCase()
}

/** Shortens headers of a server for a message. */
function shorten(text: string): string {
  return JSON.stringify(text.length <= 200 ? text : `${text.slice(0, 200)}…`)
}
