/** A receiver of remote write for tests: answers as it is told, and keeps the samples it took. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeRemoteWrite } from '../codec.ts'
import { MESSAGES, WRITTEN_HEADERS } from '../spec.ts'
import { type Json, spelledOut } from './requests.ts'

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly text?: string
}

export interface TakenSample {
  readonly value: number
  readonly timeMs: number
  /** Start timestamp; 0 for none, as always in 1.0. */
  readonly startMs: number
}

/** Behaviour at requests of 2.0: takes them, says 2xx and skips all, breaks off, or a status. */
type Version2 = 'taken' | 'skipped' | 'broken off' | number

export class TestReceiver {
  readonly #server: Server
  /** Answers to the next requests; then all are taken. */
  readonly answers: Answer[] = []
  /** Samples by series, `name{key="value",…}` in the order of the labels. */
  readonly series = new Map<string, TakenSample[]>()
  readonly paths: string[] = []
  readonly headers: Readonly<Record<string, unknown>>[] = []
  /** What is done with requests of 2.0; those of 1.0 are taken, or refused by a status. */
  version2: Version2 = 'skipped'
  version1: 'taken' | number = 'taken'
  requests = 0
  /** Requests that were taken, by version. */
  readonly taken = { 1: 0, 2: 0 }
  /** Metadata of series of 2.0, by their key. */
  readonly metadata = new Map<string, Json>()
  readonly faults: string[] = []

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        this.requests++
        this.paths.push(request.url ?? '')
        this.headers.push(request.headers)
        const body = Buffer.concat(parts)
        const is2 = String(request.headers['content-type']).endsWith(MESSAGES[2])
        if (is2 && this.version2 === 'broken off') {
          request.socket.destroy()
          return
        }
        const { status, headers = {}, text = '' } = this.answers.shift() ?? this.#answerTo(is2)
        const written = status < 300 ? this.#take(body, is2) : {}
        response.writeHead(status, { ...written, ...headers }).end(text)
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

  #answerTo(is2: boolean): Answer {
    const done = is2 ? this.version2 : this.version1
    return { status: typeof done === 'number' ? done : 204 }
  }

  /** @returns headers of the answer */
  #take(body: Buffer, is2: boolean): Readonly<Record<string, string>> {
    const { messages, errors } = decodeRemoteWrite(body)
    this.faults.push(...errors.map(({ code }) => code))
    if (is2 && this.version2 === 'skipped') return {}
    this.taken[is2 ? 2 : 1]++
    const counts = { samples: 0, histograms: 0 }
    for (const message of messages) {
      if (is2 !== Array.isArray(message.symbols)) this.faults.push('the other version')
      const series = spelledOut(message) as unknown as readonly SentSeries[]
      for (const { labels, samples = [], histograms = [], metadata } of series) {
        const name = labels.find((each) => each.name === '__name__')?.value
        const rest = labels.filter((each) => each.name !== '__name__')
        const key = `${name}{${rest.map((each) => `${each.name}="${each.value}"`).join(',')}}`
        const known = this.series.get(key) ?? []
        this.series.set(key, known)
        if (metadata !== undefined) this.metadata.set(key, metadata)
        for (const { value = 0, ...times } of samples) {
          this.#keep(known, key, { value: Number(value), ...timesOf(times) })
        }
        for (const { countInt = 0, ...times } of histograms) {
          this.#keep(known, key, { value: Number(countInt), ...timesOf(times) })
        }
        counts.samples += samples.length
        counts.histograms += histograms.length
      }
    }
    if (!is2) return {}
    return {
      [WRITTEN_HEADERS.samples]: String(counts.samples),
      [WRITTEN_HEADERS.histograms]: String(counts.histograms),
      [WRITTEN_HEADERS.exemplars]: '0',
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

interface Times {
  readonly timestamp?: string
  readonly startTimestamp?: string
}

function timesOf({ timestamp = '0', startTimestamp = '0' }: Times) {
  return { timeMs: Number(timestamp), startMs: Number(startTimestamp) }
}

interface SentSeries {
  readonly labels: readonly { readonly name: string; readonly value: string }[]
  readonly samples?: readonly ({ readonly value?: number | string } & Times)[]
  readonly histograms?: readonly ({ readonly countInt?: string } & Times)[]
  readonly metadata?: Json
}
