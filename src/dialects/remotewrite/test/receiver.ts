/** A receiver of remote write for tests: answers as it is told, and keeps the samples it took. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeRemoteWrite } from '../codec.ts'

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly text?: string
}

export interface TakenSample {
  readonly value: number
  readonly timeMs: number
}

export class TestReceiver {
  readonly #server: Server
  /** Answers to the next requests; then all are taken. */
  readonly answers: Answer[] = []
  /** Samples by series, `name{key="value",…}` in the order of the labels. */
  readonly series = new Map<string, TakenSample[]>()
  readonly paths: string[] = []
  readonly headers: Readonly<Record<string, unknown>>[] = []
  requests = 0
  readonly faults: string[] = []

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        this.requests++
        this.paths.push(request.url ?? '')
        this.headers.push(request.headers)
        const { status, headers = {}, text = '' } = this.answers.shift() ?? { status: 204 }
        if (status < 300) this.#take(Buffer.concat(parts))
        response.writeHead(status, headers).end(text)
      })
    })
  }

  static async start(port = 0): Promise<TestReceiver> {
    const receiver = new TestReceiver()
    receiver.#server.listen(port, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  #take(body: Buffer): void {
    const { messages, errors } = decodeRemoteWrite(body)
    this.faults.push(...errors.map(({ code }) => code))
    for (const message of messages) {
      for (const { labels, samples, histograms } of message.timeseries as SentSeries[]) {
        const name = labels.find((each) => each.name === '__name__')?.value
        const rest = labels.filter((each) => each.name !== '__name__')
        const key = `${name}{${rest.map((each) => `${each.name}="${each.value}"`).join(',')}}`
        const known = this.series.get(key) ?? []
        this.series.set(key, known)
        for (const { value, timestamp } of samples ?? []) {
          this.#keep(known, key, {
            value: value === undefined ? 0 : Number(value),
            timeMs: Number(timestamp),
          })
        }
        for (const { countInt, timestamp } of histograms ?? []) {
          this.#keep(known, key, { value: Number(countInt ?? 0), timeMs: Number(timestamp) })
        }
      }
    }
  }

  #keep(known: TakenSample[], key: string, sample: TakenSample): void {
    const last = known.at(-1)
    if (last !== undefined && last.timeMs >= sample.timeMs) this.faults.push(`out of order: ${key}`)
    known.push(sample)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

interface SentSeries {
  readonly labels: readonly { readonly name: string; readonly value: string }[]
  readonly samples?: readonly { readonly value?: number; readonly timestamp: string }[]
  readonly histograms?: readonly { readonly countInt?: string; readonly timestamp: string }[]
}
