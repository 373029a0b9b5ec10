/**
 * An engine in the process: takes remote write, and answers the questions of PromQL that a hub
 * asks, each worked out from all samples that it has. It can be told to answer anything else.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeRemoteWrite } from '../../../src/dialects/remotewrite/codec.ts'

interface Kept {
  readonly labels: Readonly<Record<string, string>>
  readonly times: number[]
  readonly values: number[]
}

type Pair = readonly [timeS: number, value: string]

const QUERY = /^(?:(\w+)\()?\{(.*)\}(?:\[(\d+)(ms|s)\])?\)?( > 0)?$/
const MATCHER = /(\w+)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"/g

export class FakeEngine {
  readonly #server: Server
  readonly #series = new Map<string, Kept>()
  /** Answers in place of what it has; undefined goes on. */
  lie: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  readonly asked: URLSearchParams[] = []
  readonly headers: IncomingMessage['headers'][] = []

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => this.#answer(request, response, Buffer.concat(parts)))
    })
  }

  static async start(port = 0): Promise<FakeEngine> {
    const engine = new FakeEngine()
    engine.#server.listen(port, '127.0.0.1')
    await once(engine.#server, 'listening')
    return engine
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    if (request.url === '/api/v1/write') {
      this.#take(body)
      response.writeHead(204).end()
      return
    }
    this.headers.push(request.headers)
    const asked = new URLSearchParams(body.toString())
    this.asked.push(asked)
    if (this.lie?.(request, response)) return
    const list = { '/api/v1/series': seriesOf, '/api/v1/labels': keysOf }[request.url!]
    if (list !== undefined) {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ status: 'success', data: list(this.#listed(asked)) }))
      return
    }
    const query = asked.get('query')!
    const result = query === '1' ? [] : this.#evaluate(query, asked)
    const data = { resultType: 'matrix', result }
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ status: 'success', data }))
  }

  #take(body: Buffer): void {
    for (const message of decodeRemoteWrite(body).messages) {
      // as a store of 1.0 it skips what 2.0 has
      if (message.symbols !== undefined) continue
      for (const { labels, samples = [] } of message.timeseries as SentSeries[]) {
        const key = JSON.stringify(labels)
        let kept = this.#series.get(key)
        if (kept === undefined) {
          const names = Object.fromEntries(labels.map(({ name, value }) => [name, value]))
          kept = { labels: names, times: [], values: [] }
          this.#series.set(key, kept)
        }
        for (const { value = 0, timestamp } of samples) {
          if (Number.isNaN(Number(value))) continue // a stale marker is in no answer
          kept.times.push(Number(timestamp) / 1000)
          kept.values.push(Number(value))
        }
      }
    }
  }

  /** Finds the series of any matchers that have samples in a time. */
  #listed(asked: URLSearchParams): Set<Kept> {
    const [start, end] = ['start', 'end'].map((name) => Number(asked.get(name)))
    const found = asked.getAll('match[]').flatMap((matchers) => this.#found(matchers))
    return new Set(
      found.filter(({ times }) => times.some((timeS) => timeS >= start! && timeS <= end!)),
    )
  }

  #found(matchers: string): Kept[] {
    const tests = [...matchers.matchAll(MATCHER)].map(([, key, sign, quoted]) => {
      const value = JSON.parse(`"${quoted}"`) as string
      const pattern = new RegExp(`^(?:${sign!.endsWith('~') ? value : ''})$`)
      return (labels: Kept['labels']): boolean => {
        const held = labels[key!] ?? ''
        const isFit = sign!.endsWith('~') ? pattern.test(held) : held === value
        return isFit !== sign!.startsWith('!')
      }
    })
    return [...this.#series.values()].filter(({ labels }) => tests.every((isFit) => isFit(labels)))
  }

  #evaluate(query: string, asked: URLSearchParams): object[] {
    const [, call, matchers = '', size, unit, isPositive] = QUERY.exec(query)!
    if (size === undefined) return [] // native histograms, of which it has none
    const rangeS = Number(size) / (unit === 'ms' ? 1000 : 1)
    return this.#found(matchers).flatMap((kept) => {
      const values =
        call === undefined
          ? within(kept, Number(asked.get('time')), rangeS)
          : overTime(kept, call, rangeS, asked).filter(([, value]) => !isPositive || value !== '0')
      const { __name__: name, ...rest } = kept.labels
      const isNamed = call === undefined || call === 'last_over_time'
      const metric = isNamed ? { __name__: name, ...rest } : rest
      return values.length === 0 ? [] : [{ metric, values }]
    })
  }
}

function seriesOf(found: ReadonlySet<Kept>): object[] {
  return [...found].map(({ labels }) => labels)
}

function keysOf(found: ReadonlySet<Kept>): string[] {
  return [...new Set([...found].flatMap(({ labels }) => Object.keys(labels)))]
}

interface SentSeries {
  readonly labels: readonly { readonly name: string; readonly value: string }[]
  readonly samples?: readonly { readonly value?: number; readonly timestamp: string }[]
}

/** Lists the samples of (time - range, time]. */
function within({ times, values }: Kept, timeS: number, rangeS: number): Pair[] {
  return times.flatMap((each, i) =>
    each > timeS - rangeS && each <= timeS ? [[each, String(values[i])] as const] : [],
  )
}

function overTime(kept: Kept, call: string, rangeS: number, asked: URLSearchParams): Pair[] {
  const [start, end, step] = ['start', 'end', 'step'].map((name) => Number(asked.get(name)))
  const pairs: Pair[] = []
  for (let timeS = start!; timeS <= end!; timeS += step!) {
    const values = within(kept, timeS, rangeS).map(([, value]) => Number(value))
    if (values.length > 0) pairs.push([timeS, String(CALLS[call]!(values))])
  }
  return pairs
}

const CALLS: Readonly<Record<string, (values: number[]) => number>> = {
  last_over_time: (values) => values.at(-1)!,
  min_over_time: (values) => Math.min(...values),
  max_over_time: (values) => Math.max(...values),
  count_over_time: (values) => values.length,
  resets: (values) => values.filter((value, i) => i > 0 && value < values[i - 1]!).length,
}
