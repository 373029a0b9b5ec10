/**
 * A hub over HTTP without a browser: requests, and its streams of server-sent events as far as the
 * hub writes them. By node:http and not by fetch, which takes longer to load.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type {
  EventStream,
  HubAnswer,
  HubConnection,
  HubRequest,
} from '../../viewer/store/hub-api.ts'
import type { HubAddress } from './address.ts'

/** Time in which an answer has to begin, ms. */
const ANSWER_LIMIT_MS = 10_000
/** Bytes of one answer or event; the list of 5,000 series is some 3 MB. */
const SIZE_LIMIT = 64 * 1_048_576

interface StreamOptions {
  /** Id of the last event that was seen: the hub sends what it still has of those after it. */
  readonly lastEventId?: string | undefined
  /** Called with the hub's words where it refuses, and the system's code where none answers. */
  readonly onRefused?: (error: HubError) => void
}

/** Error of a request that no hub has answered, or has refused. */
export class HubError extends Error {
  /** Status of the answer; undefined where there was none. */
  readonly status: number | undefined
  /** Code of the API or of the system. */
  readonly code: string

  constructor(message: string, code: string, status?: number) {
    super(message)
    this.code = code
    this.status = status
  }
}

export class HttpConnection implements HubConnection {
  readonly #address: HubAddress

  constructor(address: HubAddress) {
    this.#address = address
  }

  request(path: string, request: HubRequest = {}): Promise<HubAnswer> {
    return new Promise((resolve, reject) => {
      const { signal, method = 'GET', headers = {}, body } = request
      const options = { method, headers, timeout: ANSWER_LIMIT_MS, ...(signal && { signal }) }
      const outgoing = this.#send(path, options, (incoming) => {
        readAll(incoming).then((text) => resolve(answerOf(incoming, text, this.#url(path))), reject)
      })
      outgoing.on('timeout', () =>
        outgoing.destroy(new Error(`no answer within ${ANSWER_LIMIT_MS / 1000} s`)),
      )
      outgoing.on('error', (error) => reject(hubError(error)))
      outgoing.end(body)
    })
  }

  openStream(path: string, options: StreamOptions = {}): EventStream {
    const { lastEventId, onRefused } = options
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    }
    const stream = new ServerEvents(onRefused)
    const outgoing = this.#send(path, { headers, agent: false }, (incoming) =>
      stream.read(incoming),
    )
    stream.begin(outgoing)
    return stream
  }

  #url(path: string): string {
    return this.#address.origin + path
  }

  #send(
    path: string,
    options: RequestOptions,
    onAnswer: (incoming: IncomingMessage) => void,
  ): ClientRequest {
    const url = new URL(this.#url(path))
    const isHttps = url.protocol === 'https:'
    const { request } = process.getBuiltinModule(isHttps ? 'node:https' : 'node:http')
    return request(url, options, onAnswer)
  }
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > SIZE_LIMIT) throw new HubError('the answer is too long for one of a hub', 'too_long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function answerOf(incoming: IncomingMessage, text: string, url: string): HubAnswer {
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = incoming
  return {
    ...{ ok: status >= 200 && status < 300, status, statusText, url },
    headers: {
      get(name) {
        const value = headers[name.toLowerCase()]
        return value === undefined ? null : String(value)
      },
    },
    json: async () => JSON.parse(text) as unknown,
  }
}

function hubError(error: Error): HubError {
  if (error instanceof HubError) return error
  const { code = 'broken' } = error as NodeJS.ErrnoException
  return new HubError(error.message || code, code)
}

type Listener = Parameters<EventStream['addEventListener']>[1]

/** Events of one stream; a line ends with LF, as the hub writes them. */
class ServerEvents implements EventStream {
  onerror: ((event: never) => void) | null = null
  readonly #onRefused: ((error: HubError) => void) | undefined
  readonly #listeners = new Map<string, Listener>()
  #outgoing: ClientRequest | undefined
  #isClosed = false
  #text = ''
  #name = ''
  #data = ''
  #lastId = ''

  constructor(onRefused: ((error: HubError) => void) | undefined) {
    this.#onRefused = onRefused
  }

  addEventListener(name: string, listener: Listener): void {
    this.#listeners.set(name, listener)
  }

  begin(outgoing: ClientRequest): void {
    this.#outgoing = outgoing
    outgoing.on('error', (error) => this.#fail(hubError(error)))
    outgoing.end()
  }

  read(incoming: IncomingMessage): void {
    const isStream = incoming.headers['content-type']?.startsWith('text/event-stream') === true
    if (incoming.statusCode !== 200 || !isStream) {
      void this.#refuse(incoming)
      return
    }
    incoming.setEncoding('utf8')
    incoming.on('data', (text: string) => this.#take(text))
    incoming.on('end', () => this.#fail(new HubError('the hub ended the stream', 'ended')))
    incoming.on('error', (error) => this.#fail(hubError(error)))
  }

  close(): void {
    this.#isClosed = true
    this.#outgoing?.destroy()
  }

  async #refuse(incoming: IncomingMessage): Promise<void> {
    const { statusCode: status = 0 } = incoming
    const text = await readAll(incoming).catch(() => '')
    this.#fail(refusalOf(text, status))
  }

  #fail(error: HubError): void {
    if (this.#isClosed) return
    this.close()
    this.#onRefused?.(error)
    this.onerror?.(undefined as never)
  }

  #take(text: string): void {
    this.#text += text
    for (let end = this.#text.indexOf('\n'); end !== -1; end = this.#text.indexOf('\n')) {
      const line = this.#text.slice(0, end)
      this.#text = this.#text.slice(end + 1)
      this.#line(line)
      if (this.#isClosed) return
    }
    if (this.#text.length + this.#data.length > SIZE_LIMIT) {
      this.#fail(new HubError('an event is too long for one of a hub', 'too_long'))
    }
  }

  #line(line: string): void {
    if (line === '') {
      this.#dispatch()
      return
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
    if (field === 'event') this.#name = value
    else if (field === 'data') this.#data += value
    else if (field === 'id') this.#lastId = value
  }

  #dispatch(): void {
    const name = this.#name
    const data = this.#data
    this.#name = ''
    this.#data = ''
    if (data !== '') this.#listeners.get(name)?.({ data, lastEventId: this.#lastId })
  }
}

/** Reads what the hub says of a refusal. */
function refusalOf(text: string, status: number): HubError {
  try {
    const { error } = JSON.parse(text) as {
      error: { code: string; message: string; hint?: string }
    }
    const hint = error.hint === undefined ? '' : `\n  ${error.hint}`
    return new HubError(`${error.message}${hint}`, error.code, status)
  } catch {
    return new HubError(`status ${status}`, 'refused', status)
  }
}
