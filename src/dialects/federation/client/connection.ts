/**
 * One connection to a hub: request, answer, and its stream until something ends it. Nothing is
 * waited for without a limit in time, nor kept without one in size.
 */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { sendGet } from '../../../peers/get-request.ts'
import type { Clock } from '../../../time/clock.ts'
import { PartedWork } from '../../../time/parts.ts'
import { SilenceWatch } from '../../../time/silence.ts'
import type { Task } from '../../../time/task.ts'
import type { SharedReads } from '../../endpoints.ts'
import { ANSWER_MS, CONTENT_TYPE, NAME, SILENCE_MS } from '../spec.ts'

/** Reason why a connection ended, as it is counted. */
export type EndReason =
  | 'connect'
  | 'timeout'
  | 'status'
  | 'content_type'
  | 'bad_answer'
  | 'closed'
  | 'silent'
  | 'refused'
  | 'too_large'

interface ConnectionSink {
  /** Reads bytes of the stream, in parts. @returns whether there was a whole message */
  read(bytes: Uint8Array): Task<boolean>
  /** Ends it: called once, and nothing after it; not called after stop(). */
  end(reason: EndReason, message: string): void
}

interface ConnectionParts {
  readonly url: URL
  readonly clock: Clock
  readonly reads: SharedReads
  readonly sink: ConnectionSink
}

const REFUSAL_BYTES_LIMIT = 4096

export class Connection {
  readonly #parts: ConnectionParts
  readonly #outgoing: ClientRequest
  readonly #work: PartedWork
  readonly #cancelTimer: () => void
  #silence: SilenceWatch | undefined
  #isOver = false

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    const { url, clock, reads } = parts
    // time for which what came waits here is not the hub's silence
    this.#work = new PartedWork(reads, () => this.#silence?.sign())
    this.#cancelTimer = clock.after(ANSWER_MS, () => {
      this.end('timeout', `no answer within ${ANSWER_MS / 1000} s`)
    })
    const headers = { Accept: CONTENT_TYPE, 'Accept-Encoding': 'identity' }
    this.#outgoing = sendGet(
      url,
      { agent: false, headers },
      {
        answer: (incoming) => this.#onAnswer(incoming),
        switched: () => this.end('bad_answer', 'it switched to another protocol'),
        fail: ({ code, message }, isHttp) => {
          if (isHttp) this.end('connect', `no connection: ${code ?? message}`)
          else this.end('bad_answer', `its answer is no HTTP: ${code}`)
        },
      },
    )
    this.#outgoing.on('socket', (socket) => socket.setNoDelay(true))
  }

  /** Ends it at once, without a word to the sink. */
  stop(): void {
    this.#isOver = true
    this.#cancelTimer()
    this.#silence?.stop()
    this.#work.drop()
    this.#outgoing.destroy()
  }

  end(reason: EndReason, message: string): void {
    if (this.#isOver) return
    this.stop()
    this.#parts.sink.end(reason, message)
  }

  #onAnswer(incoming: IncomingMessage): void {
    const { statusCode = 0, headers } = incoming
    incoming.on('error', () => this.end('closed', 'the connection broke'))
    if (statusCode !== 200) {
      this.#onRefusal(incoming, statusCode)
      return
    }
    const type = (headers['content-type'] ?? '').split(';')[0]!.trim()
    if (type !== CONTENT_TYPE) {
      this.end('content_type', `content type ${shortened(type)}: that is no hub`)
      return
    }
    this.#cancelTimer()
    this.#silence = new SilenceWatch(this.#parts.clock, SILENCE_MS, () => {
      this.end('silent', `no second told for ${SILENCE_MS / 1000} s`)
    })
    const { reads, url } = this.#parts
    reads.share(incoming, `${NAME} ${url.host}`, () => {
      incoming.on('data', (bytes: Uint8Array) => this.#work.begin(this.#reading(bytes)))
      return this.#work
    })
    incoming.on('end', () => this.end('closed', 'it ended the connection'))
    incoming.on('close', () => this.end('closed', 'the connection broke'))
  }

  *#reading(bytes: Uint8Array): Task {
    // a message that never ends is no sign of life
    if (yield* this.#parts.sink.read(bytes)) this.#silence?.sign()
  }

  /** Reads a refusal; the timer of the answer still runs. */
  #onRefusal(incoming: IncomingMessage, status: number): void {
    let text = ''
    incoming.setEncoding('utf8')
    incoming.on('data', (piece: string) => {
      text += piece
      if (text.length > REFUSAL_BYTES_LIMIT) tell()
    })
    const tell = (): void => this.end('status', refusalText(status, text))
    incoming.on('end', tell)
    incoming.on('close', tell)
  }
}

function refusalText(status: number, body: string): string {
  if (status === 404) return 'status 404: a hub of an older version, or none'
  let message = ''
  try {
    message = String((JSON.parse(body) as { error?: { message?: unknown } }).error?.message ?? '')
  } catch {
    // no hub: its words would not help
  }
  return message === '' ? `status ${status}` : `status ${status}: ${message.slice(0, 200)}`
}

function shortened(text: string): string {
  return JSON.stringify(text.length <= 100 ? text : `${text.slice(0, 100)}…`)
}
