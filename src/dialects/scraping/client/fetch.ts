/** One GET of a target: headers, status, gzip and size, all within a time and a number of bytes. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { sendGet } from '../../../peers/get-request.ts'
import type { Clock } from '../../../time/clock.ts'
import { type Format, formatOfType } from '../codec/formats.ts'
import { ACCEPT_NATIVE, ACCEPT_TEXT } from '../spec.ts'

interface FetchOptions {
  readonly url: URL
  readonly timeoutMs: number
  readonly bodyBytesLimit: number
  readonly nativeHistograms: boolean
}

type FailureReason =
  | 'connect'
  | 'timeout'
  | 'status'
  | 'content_type'
  | 'content_encoding'
  | 'too_large'
  | 'broken'
  | 'bad_gzip'
  | 'bad_answer'

interface Failure {
  readonly reason: FailureReason
  readonly message: string
}

interface FetchSink {
  /** Takes a whole body; it is the sink's. */
  body(bytes: Uint8Array, format: Format): void
  fail(failure: Failure): void
}

export class Fetch {
  readonly #options: FetchOptions
  readonly #sink: FetchSink
  readonly #outgoing: ClientRequest
  readonly #cancelTimer: () => void
  readonly #chunks: Uint8Array[] = []
  #size = 0
  #isOver = false
  #unpacking: Readable | undefined

  constructor(options: FetchOptions, clock: Clock, sink: FetchSink) {
    this.#options = options
    this.#sink = sink
    const { url, timeoutMs, nativeHistograms } = options
    this.#cancelTimer = clock.after(timeoutMs, () => {
      this.#fail('timeout', `no whole answer within ${timeoutMs} ms`)
    })
    const headers = {
      Accept: nativeHistograms ? ACCEPT_NATIVE : ACCEPT_TEXT,
      'Accept-Encoding': 'gzip',
      'User-Agent': 'pentameter',
      'X-Prometheus-Scrape-Timeout-Seconds': String(timeoutMs / 1000),
    }
    this.#outgoing = sendGet(
      url,
      { headers },
      {
        answer: (incoming) => this.#onAnswer(incoming),
        switched: () => this.#fail('bad_answer', 'the server switched to another protocol'),
        fail: (error, isHttp) => {
          if (isHttp) this.#fail('connect', textOf(error))
          else this.#fail('bad_answer', `the answer is no HTTP: ${error.code}`)
        },
      },
    )
  }

  /** Ends it at once, without a word to the sink. */
  stop(): void {
    this.#isOver = true
    this.#cancelTimer()
    this.#outgoing.destroy()
    this.#unpacking?.destroy() // what it has taken in already may be much, unpacked
  }

  #fail(reason: FailureReason, message: string): void {
    if (this.#isOver) return
    this.stop()
    this.#sink.fail({ reason, message })
  }

  #onAnswer(incoming: IncomingMessage): void {
    const { statusCode = 0, headers } = incoming
    incoming.on('error', () => this.#fail('broken', 'the connection broke within the answer'))
    if (statusCode !== 200) {
      const to = headers.location === undefined ? '' : `, to ${shorten(headers.location)}`
      this.#fail('status', `status ${statusCode}${to}`)
      return
    }
    const format = formatOfType(headers['content-type'])
    if (format === undefined) {
      const type = shorten(headers['content-type'] ?? 'none')
      this.#fail('content_type', `content type ${type}, which is no exposition`)
      return
    }
    const stream = this.#unpacked(incoming)
    if (stream === undefined) return
    stream.on('data', (bytes: Uint8Array) => this.#onData(bytes))
    stream.on('end', () => this.#onEnd(format))
    incoming.on('close', () => {
      if (!incoming.complete) this.#fail('broken', 'the connection broke within the answer')
    })
  }

  #unpacked(incoming: IncomingMessage): Readable | undefined {
    const encoding = incoming.headers['content-encoding'] ?? 'identity'
    if (encoding === 'identity') return incoming
    if (encoding !== 'gzip' && encoding !== 'x-gzip') {
      this.#fail('content_encoding', `content encoding ${shorten(encoding)}, want gzip or none`)
      return undefined
    }
    const unpacked = process.getBuiltinModule('node:zlib').createGunzip()
    unpacked.on('error', (error) =>
      this.#fail('bad_gzip', `the answer is no gzip: ${textOf(error)}`),
    )
    this.#unpacking = unpacked
    return incoming.pipe(unpacked)
  }

  #onData(bytes: Uint8Array): void {
    if (this.#isOver) return
    this.#size += bytes.length
    const { bodyBytesLimit } = this.#options
    if (this.#size <= bodyBytesLimit) this.#chunks.push(bytes)
    else this.#fail('too_large', `an answer of more than ${bodyBytesLimit} bytes`)
  }

  #onEnd(format: Format): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelTimer()
    this.#sink.body(Buffer.concat(this.#chunks), format)
  }
}

/** Most of a target's own words in a message. */
const WORDS_LENGTH = 200

function shorten(text: string): string {
  return text.length <= WORDS_LENGTH ? text : `${text.slice(0, WORDS_LENGTH)}…`
}

function textOf(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message
}
