/** HTTP as tests need it: any header (fetch forbids Host and Sec-Fetch-*), and live streams. */
import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { TestContext } from 'node:test'
import { GUESTS } from '../../src/dialects/registry.ts'
import { createHttpServer } from '../../src/http/server.ts'

type HttpServerOptions = Parameters<typeof createHttpServer>[0]

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  json<T>(): T
}

export interface Ask {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

export interface RunningServer {
  readonly port: number
  /** What was counted, as `name reason`. */
  readonly counted: string[]
  ask(path: string, options?: Ask): Promise<Answer>
  json<T>(path: string): Promise<T>
  stream(path: string, headers?: Record<string, string>): Promise<EventReader>
  stop(): Promise<void>
}

/** Starts the HTTP side over a view on a free port; it stops with the test. */
export async function serve(
  test: TestContext,
  options: Pick<HttpServerOptions, 'view'> & Partial<HttpServerOptions>,
): Promise<RunningServer> {
  const counted: string[] = []
  const server = createHttpServer({
    webRoot: '/nonexistent',
    host: '127.0.0.1',
    port: 0,
    guests: GUESTS,
    reports: { count: (name, reason) => counted.push(`${name} ${reason}`) },
    ...options,
  })
  const { port } = await server.start()
  const stop = (): Promise<void> => server.stop()
  test.after(stop)
  return {
    port,
    counted,
    stop,
    ask: (path, ask) => askServer(port, path, ask),
    async json(path) {
      const answer = await askServer(port, path)
      assert.equal(answer.status, 200, answer.text)
      return answer.json()
    },
    stream: (path, headers) => EventReader.open(port, path, headers),
  }
}

function askServer(port: number, path: string, { method, headers, body }: Ask = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path, method: method ?? 'GET', headers, agent: false },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const bytes = Buffer.concat(chunks)
          const text = bytes.toString()
          const { statusCode: status = 0, headers } = incoming
          resolve({ status, headers, bytes, text, json: () => JSON.parse(text) })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

export interface ServerEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: string
}

/** Longest wait for something that must come: only a failing test waits so long. */
const PATIENCE_MS = 5000

/** One live stream from the client's side. */
export class EventReader {
  readonly incoming: IncomingMessage
  readonly events: ServerEvent[] = []
  comments = 0
  /** Last id that came, with an event or alone: what a client that comes back says. */
  lastId: string | undefined
  isEnded = false
  #text = ''
  #wake: () => void = () => {}

  private constructor(incoming: IncomingMessage) {
    this.incoming = incoming
    incoming.setEncoding('utf8')
    incoming.on('data', (text: string) => this.#read(text))
    incoming.on('error', () => {})
    incoming.on('close', () => {
      this.isEnded = true
      this.#wake()
    })
  }

  static open(
    port: number,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, headers, agent: false }
      request(options, (incoming) => {
        if (incoming.statusCode === 200) resolve(new EventReader(incoming))
        else reject(new Error(`status ${incoming.statusCode}`))
      })
        .on('error', reject)
        .end()
    })
  }

  /** Takes events out of the queue until one of that name, which it returns parsed. */
  async next<T>(event: string): Promise<{ id: string | undefined; data: T }> {
    let found: ServerEvent | undefined
    await this.until(() => {
      while (found === undefined && this.events.length > 0) {
        const first = this.events.shift()!
        if (first.event === event) found = first
      }
      return found !== undefined
    }, event)
    return { id: found!.id, data: JSON.parse(found!.data) }
  }

  async until(isDone: () => boolean, what: string): Promise<void> {
    const endMs = Date.now() + PATIENCE_MS
    while (!isDone()) {
      if (Date.now() > endMs) assert.fail(`nothing came: ${what}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  close(): void {
    this.incoming.destroy()
  }

  #read(text: string): void {
    const blocks = (this.#text + text).split('\n\n')
    this.#text = blocks.pop()!
    for (const block of blocks) {
      const fields = new Map<string, string>()
      for (const line of block.split('\n')) {
        const colon = line.indexOf(':')
        if (colon === 0) this.comments++
        else fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart())
      }
      this.lastId = fields.get('id') ?? this.lastId
      const event = fields.get('event')
      if (event !== undefined) {
        this.events.push({ event, id: fields.get('id'), data: fields.get('data') ?? '' })
      }
    }
    this.#wake()
  }
}
