/**
 * A hub for the page alone: the API of src/http/api.ts over invented data, and the built page, with
 * the policy under which the real hub serves it. For the browser tests, and by hand:
 *
 *   node test/browser/fake-hub.ts [scene] [port]     scenes: see `Scene`
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import type {
  CellsEvent,
  ExemplarsAnswer,
  HelloEvent,
  Kind,
  PastAnswer,
  RangeColumn,
  SamplesEvent,
  SeriesInfo,
  SeriesPage,
  SourcesAnswer,
} from '../../src/http/api.ts'
import { cellOf, columnOf, inventNames, statisticsOf } from './fake-answers.ts'
import { inventSources } from './fake-sources.ts'
import { InventedUsual } from './fake-usual.ts'
import { answerWallaroo } from './fake-wallaroo.ts'
import {
  counterDelta,
  gaugeSpread,
  gaugeValue,
  histogramCell,
  type Invented,
  inventBusy,
  inventFleet,
  isAlive,
  type Scene,
  summaryCell,
} from './invented.ts'

/** As strict as a page without inline scripts and styles can be served. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const STALE_AFTER_MS = 300_000
/** Seconds of series that it has in memory, and in a history in the scene of that name. */
const MEMORY_SECONDS = 600
const HISTORY_SECONDS = 7 * 86_400

interface Stream {
  readonly name: string
  readonly response: ServerResponse
  series: Set<number>
  /** Seconds between two samples that it is told of; 1 for none. */
  interval: number
}

export interface FakeHubOptions {
  readonly scene: Scene
  /** Folder of the built page. */
  readonly page?: string
  readonly port?: number
}

export class FakeHub {
  readonly series: Invented[] = []
  /** Sets of series that streams were opened with or changed to, in order. */
  readonly subscriptions: (readonly number[])[] = []
  readonly #options: FakeHubOptions
  readonly #server = createServer((request, response) => this.#answer(request, response))
  readonly #streams = new Map<string, Stream>()
  readonly #usual = new InventedUsual()
  #timer: ReturnType<typeof setTimeout> | undefined
  #revision = 1
  #ticked: (() => void)[] = []
  #streamCount = 0
  #starts = 1
  #isAway = false

  constructor(options: FakeHubOptions) {
    this.#options = options
    const now = Math.floor(Date.now() / 1000)
    if (options.scene !== 'empty') inventBusy(this.#invent, now)
    if (options.scene === 'many') inventFleet(this.#invent, 10_000)
    if (options.scene !== 'empty') {
      this.#invent('pentameter.decode_errors', 'counter', {}, 0.2, { dialect: 'hub' })
    }
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(this.#options.port ?? 0, '127.0.0.1', resolve)
    })
    this.#tickNext()
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    const closed = new Promise((resolve) => this.#server.close(resolve))
    // after that no connection comes in
    this.#server.closeAllConnections()
    await closed
  }

  /** A series that appears now. */
  add(
    name: string,
    kind: Kind,
    labels: Readonly<Record<string, string>>,
    base: number,
    options: Partial<Invented> = {},
  ): Invented {
    const from = Math.floor(Date.now() / 1000)
    const added = this.#invent(name, kind, labels, base, { from, ...options })
    this.#revision += 1
    const event = { revision: this.#revision, total: this.series.length }
    for (const stream of this.#streams.values()) send(stream, 'series', event, Date.now())
    return added
  }

  /** Cuts every connection and answers nothing until `comeBack`. */
  goAway(): void {
    this.#isAway = true
    for (const { response } of this.#streams.values()) response.destroy()
    this.#streams.clear()
  }

  /** Comes back as another process: other ids, no past, and at first only some of its series. */
  restart(isKnown: (series: Invented) => boolean): void {
    this.#starts += 1
    const from = Math.floor(Date.now() / 1000)
    const known = this.series.filter(isKnown).reverse()
    this.series.splice(0, Infinity, ...known.map((each, i) => ({ ...each, id: i + 1, from })))
    this.#revision = 1
    this.comeBack()
  }

  comeBack(): void {
    this.#isAway = false
  }

  /** Resolves after the hub has told its streams of so many more seconds. */
  async ticks(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      await new Promise<void>((resolve) => this.#ticked.push(resolve))
    }
  }

  readonly #invent = (
    name: string,
    kind: Kind,
    labels: Readonly<Record<string, string>>,
    base: number,
    options: Partial<Invented> = {},
  ): Invented => {
    const series: Invented = {
      id: this.series.length + 1,
      name,
      kind,
      labels: Object.entries(labels),
      dialect: 'statshero',
      base,
      swing: 0.3,
      period: 40,
      perSecond: 100,
      sigma: 0.5,
      scale: 1,
      from: 0,
      until: Number.POSITIVE_INFINITY,
      ...options,
    }
    this.series.push(series)
    return series
  }

  #tickNext(): void {
    // A little after the second: a real hub closes it first.
    const wait = 1000 - ((Date.now() - 30) % 1000)
    this.#timer = setTimeout(() => {
      this.#tick(Math.floor(Date.now() / 1000))
      this.#tickNext()
    }, wait)
  }

  #tick(second: number): void {
    const sources = this.#sources(second)
    for (const stream of this.#streams.values()) {
      send(stream, 'cells', this.#cells(stream.series, second), second * 1000)
      if (stream.interval < 1) send(stream, 'samples', this.#samples(stream, second), second * 1000)
      send(stream, 'sources', sources, second * 1000)
    }
    for (const resolve of this.#ticked.splice(0)) resolve()
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', this.url)
    if (!url.pathname.startsWith('/api/v1/')) this.#serveFile(url.pathname, response)
    else if (this.#isAway) request.socket.destroy()
    else if (url.pathname === '/api/v1/live') this.#openStream(url, response)
    else if (url.pathname.startsWith('/api/v1/live/')) {
      this.#changeStream(url.pathname, request, response)
    } else this.#answerJson(url, response)
  }

  #answerJson(url: URL, response: ServerResponse): void {
    const path = url.pathname.slice('/api/v1'.length)
    const second = Math.floor(Date.now() / 1000)
    const routes: Readonly<Record<string, () => unknown>> = {
      '/series': () => this.#page(url, second),
      '/range': () => this.#range(url, second),
      '/usual': () => this.#usual.answer(this.series, second),
      '/past': () => ({ series: [], total: 0 }) satisfies PastAnswer,
      '/cells': () => this.#cells(idsOf(url), second),
      '/samples': () => ({ endMs: second * 1000, groups: [] }),
      '/sources': () => this.#sources(second),
    }
    const isEmpty = this.#options.scene === 'empty'
    const answer = path.startsWith('/wallaroo/')
      ? answerWallaroo(path.slice('/wallaroo/'.length), url.searchParams, second, isEmpty)
      : path.startsWith('/series/')
        ? this.#aboutSeries(path, second)
        : routes[path]?.()
    if (answer !== undefined) sendJson(response, answer)
    else sendJson(response, { error: { code: 'not_found', message: `no ${path}` } }, 404)
  }

  /** Answers what is asked of one series: itself, its names or its exemplars. */
  #aboutSeries(path: string, second: number): unknown {
    const [, id, part] = /^\/series\/(\d+)(?:\/(\w+))?$/.exec(path) ?? []
    const series = this.series.find((each) => each.id === Number(id))
    if (series === undefined) return undefined
    if (part === 'names') return inventNames(series)
    if (part === 'exemplars') return { exemplars: [] } satisfies ExemplarsAnswer
    return part === undefined ? this.#info(series, second) : undefined
  }

  #serveFile(path: string, response: ServerResponse): void {
    const folder = this.#options.page
    const isAsset = path.startsWith('/assets/')
    const file = isAsset ? normalize(path) : '/index.html'
    try {
      const content = readFileSync(join(folder ?? '', file))
      response.writeHead(200, {
        'content-type': MEDIA_TYPES[extname(file)] ?? 'application/octet-stream',
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
      })
      response.end(content)
    } catch {
      response.writeHead(404).end()
    }
  }

  #openStream(url: URL, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    this.#streamCount += 1
    const name = `s${this.#streamCount}`
    const interval = Number(url.searchParams.get('interval') ?? 1)
    const stream = { name, response, series: idsOf(url), interval }
    this.#streams.set(name, stream)
    this.subscriptions.push([...stream.series])
    response.on('close', () => this.#streams.delete(name))
    const hello: HelloEvent = {
      stream: name,
      version: '0.0.0-invented',
      startId: `start ${this.#starts}`,
      nowMs: Date.now(),
      intervalMs: 1000,
      staleAfterMs: STALE_AFTER_MS,
      windowMaxMs: MEMORY_SECONDS * 1000,
    }
    send(stream, 'hello', hello, Date.now())
    send(stream, 'sources', this.#sources(Math.floor(Date.now() / 1000)), Date.now())
  }

  #changeStream(path: string, request: IncomingMessage, response: ServerResponse): void {
    const stream = this.#streams.get(path.slice('/api/v1/live/'.length))
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      if (stream === undefined) {
        sendJson(response, { error: { code: 'no_stream', message: 'no such stream' } }, 404)
        return
      }
      const { series, interval } = JSON.parse(body) as { series: number[]; interval: number }
      stream.series = new Set(series)
      stream.interval = interval
      this.subscriptions.push(series)
      response.writeHead(204).end()
    })
  }

  /** Samples of the gauges of a stream in the second that ends now, ten of each. */
  #samples({ series }: Stream, second: number): SamplesEvent {
    const gauges = this.series.filter(({ id, kind }) => kind === 'gauge' && series.has(id))
    const times = Array.from({ length: 10 }, (_, i) => second - 1 + (i + 1) / 10)
    const values = gauges.flatMap((each) => times.map((time) => gaugeValue(each, time)))
    const group = {
      ids: gauges.map(({ id }) => id),
      times: packed(times.map((time) => time * 1000)),
      values: packed(values),
    }
    return { endMs: second * 1000, groups: gauges.length === 0 ? [] : [group] }
  }

  #page(url: URL, second: number): SeriesPage {
    const limit = Number(url.searchParams.get('limit') ?? 100)
    const after = Number(url.searchParams.get('after') ?? 0)
    const asked = url.searchParams.has('series') ? idsOf(url) : undefined
    const rest = this.series.filter(({ id }) => id > after && (asked?.has(id) ?? true))
    const series = rest.slice(0, limit).map((each) => this.#info(each, second))
    const page = { series, total: this.series.length, revision: this.#revision }
    return rest.length > limit ? { ...page, next: series.at(-1)!.id } : page
  }

  #info(series: Invented, second: number): SeriesInfo {
    const { id, name, kind, labels, dialect, unit, base, from, until } = series
    const { displayName, rateTimeScaleS } = series
    const lastDataMs = Math.min(until, second) * 1000
    const seconds = 36_000 + (Math.min(until, second) % 36_000)
    const current = kind === 'gauge' ? gaugeValue(series, second) : Math.round(base * seconds)
    return {
      id,
      name,
      kind,
      labels,
      dialect,
      ...(unit === undefined ? {} : { unit }),
      ...(displayName === undefined ? {} : { displayName }),
      ...(rateTimeScaleS === undefined ? {} : { rateTimeScaleS }),
      source: '127.0.0.1',
      firstSeenMs: Math.max(from, second - seconds) * 1000,
      lastDataMs,
      isStale: second * 1000 - lastDataMs > STALE_AFTER_MS,
      current: kind === 'summary' ? null : current,
      canonical: {
        name: `${displayName ?? name}${kind === 'counter' ? ' / Min' : ''}`,
        value: kind === 'counter' ? Math.round(base * 60) : base,
      },
      ...(kind === 'histogram' ? { statistics: statisticsOf(series, second) } : {}),
    }
  }

  #range(url: URL, second: number): unknown {
    const stepMs = Number(url.searchParams.get('step')) * 1000
    const fromMs = Number(url.searchParams.get('from'))
    const toMs = Number(url.searchParams.get('to'))
    const length = Math.round((toMs - fromMs) / stepMs)
    const ids = idsOf(url)
    const step = stepMs / 1000
    const ends = Array.from({ length }, (_, i) => fromMs / 1000 + (i + 1) * step)
    const hasHistory = this.#options.scene === 'history'
    const oldest = second - (hasHistory ? HISTORY_SECONDS : MEMORY_SECONDS)
    const columns: RangeColumn[] = []
    for (const series of this.series) {
      if (!ids.has(series.id)) continue
      const isKnown = (t: number): boolean => t <= second && t > oldest && t >= series.from
      const cells = ends.map((t) => (isKnown(t) ? cellOf(series, t - step, t) : null))
      columns.push(columnOf(series, cells, ends))
    }
    return { fromMs, stepMs, length, closedMs: second * 1000, gaps: [], columns }
  }

  #cells(ids: ReadonlySet<number>, second: number): CellsEvent {
    const event = {
      endMs: second * 1000,
      intervalMs: 1000,
      counters: [] as [number, number][],
      gauges: [] as CellsEvent['gauges'][number][],
      histograms: [] as [number, ReturnType<typeof histogramCell>][],
      summaries: [] as [number, ReturnType<typeof summaryCell>][],
    }
    for (const series of this.series) {
      if (!ids.has(series.id) || !isAlive(series, second)) continue
      const { id, kind } = series
      if (kind === 'counter') event.counters.push([id, counterDelta(series, second)])
      if (kind === 'gauge') {
        const spread = gaugeSpread(series, second)
        const value = gaugeValue(series, second)
        event.gauges.push(spread === undefined ? [id, value] : [id, value, spread])
      }
      if (kind === 'summary') event.summaries.push([id, summaryCell(series, second)])
      if (kind === 'histogram') {
        event.histograms.push([id, histogramCell(series, second - 1, second)])
      }
    }
    event.counters = event.counters.filter(([, delta]) => delta > 0)
    return event
  }

  #sources(second: number): SourcesAnswer {
    return inventSources(this.#options.scene, second, this.series)
  }
}

function idsOf(url: URL): Set<number> {
  const list = url.searchParams.get('series') ?? ''
  return new Set(list === '' ? [] : list.split(',').map(Number))
}

function send({ response }: Stream, event: string, data: unknown, id: number): void {
  response.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
}

/** Packs numbers as the API does. */
function packed(numbers: readonly number[]): string {
  return Buffer.from(Float64Array.from(numbers).buffer).toString('base64')
}

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

if (import.meta.main) {
  const [scene = 'busy', port = '4000'] = process.argv.slice(2)
  const page = new URL('../../dist/web', import.meta.url).pathname
  const hub = new FakeHub({ scene: scene as Scene, page, port: Number(port) })
  await hub.start()
  process.stdout.write(`${hub.url}\n`)
}
