/** The store against an invented hub, with its stream and all clocks in hand: for its tests. */
import { mock, type TestContext } from 'node:test'
import type { CellsEvent, RangeAnswer, SeriesInfo, UsualAnswer } from '../../src/http/api.ts'
import type { EventStream, HubApi } from '../../src/viewer/store/hub-api.ts'
import type { Lane } from '../../src/viewer/store/series-data.ts'
import { Store } from '../../src/viewer/store/store.ts'
import { fakeSeries } from './series-info.ts'

type RangeRequest = Parameters<HubApi['range']>[0]

export const START = 1_800_000_000

class FakeSource implements EventStream {
  onerror: (() => void) | null = null
  isClosed = false
  readonly #listeners = new Map<string, (event: { data: string; lastEventId: string }) => void>()

  addEventListener(
    name: string,
    listener: (event: { data: string; lastEventId: string }) => void,
  ): void {
    this.#listeners.set(name, listener)
  }

  close(): void {
    this.isClosed = true
  }

  sendText(name: string, data: string, id = 0): void {
    this.#listeners.get(name)?.({ data, lastEventId: String(id) })
  }

  send(name: string, data: unknown, id = 0): void {
    this.sendText(name, JSON.stringify(data), id)
  }
}

export function counterInfo(id: number, name = `c${id}`): SeriesInfo {
  return fakeSeries({ id, name, lastDataMs: START * 1000 })
}

interface Bench {
  readonly store: Store
  readonly ranges: RangeRequest[]
  readonly posts: (readonly number[])[]
  readonly opened: (readonly number[])[]
  list: SeriesInfo[]
  revision: number
  readonly lists: { readonly ids: readonly number[] | undefined; readonly after: number }[]
  /** What the hub says of all series' usual. */
  usual?: UsualAnswer | undefined
  /** What is had in place of the list. */
  refusal?: Error | undefined
  /** What answers of the past wait for. */
  gate?: Promise<void> | undefined
  /** What answers to the set of series wait for. */
  setGate?: Promise<void> | undefined
  /** Counter's increment of the second that ends there; 100 unless given. */
  deltaOf?: (endS: number) => number
  /** Least step, s, of what is kept of a time. */
  keptStep?: (fromS: number) => number
  source(): FakeSource
  /** Lets time and promises go on. */
  pass(ms: number): Promise<void>
  greet(startId?: string): Promise<void>
  second(second: number, counters: CellsEvent['counters']): Promise<void>
  /** Tells of a new list, and lets it be read. */
  tell(revision: number): Promise<void>
  /** Range requests of charts, without the survey's ten-second columns. */
  fills(): RangeRequest[]
}

/** Answers as a hub does: whole columns, the seconds that it has closed added up. */
function answerOf(
  { fromMs, toMs, stepMs: asked, series }: RangeRequest,
  { deltaOf, keptStep }: Pick<Bench, 'deltaOf' | 'keptStep'>,
): RangeAnswer {
  const stepMs = Math.max(asked, (keptStep?.(fromMs / 1000) ?? 0) * 1000)
  const first = Math.floor(fromMs / stepMs) * stepMs
  const length = Math.ceil((toMs - first) / stepMs)
  const closedMs = Math.floor(Date.now() / 1000) * 1000
  const sumOf = (_: unknown, i: number): number | null => {
    if (deltaOf === undefined) return 100
    const from = first + i * stepMs
    let sum: number | null = null
    for (let endMs = from + 1000; endMs <= Math.min(from + stepMs, closedMs); endMs += 1000) {
      sum = (sum ?? 0) + deltaOf(endMs / 1000)
    }
    return sum
  }
  const delta = Array.from({ length }, sumOf)
  const columns = series.map((id) => ({ id, kind: 'counter', delta }) as const)
  return { fromMs: first, stepMs, length, closedMs, gaps: [], columns }
}

export function createBench(context: TestContext): Bench {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: START * 1000 + 100 })
  context.after(() => mock.timers.reset())
  const sources: FakeSource[] = []
  const ranges: RangeRequest[] = []
  const posts: (readonly number[])[] = []
  const opened: (readonly number[])[] = []
  const lists: Bench['lists'] = []
  const bench: Pick<
    Bench,
    'list' | 'revision' | 'usual' | 'refusal' | 'gate' | 'setGate' | 'deltaOf' | 'keptStep'
  > = {
    ...{ list: [counterInfo(1), counterInfo(2)], revision: 1 },
  }
  const api: HubApi = {
    listSeries: async ({ ids, after = 0 } = {}) => {
      lists.push({ ids, after })
      if (bench.refusal !== undefined) throw bench.refusal
      const { list, revision } = bench
      const series = list.filter(({ id }) => id > after && (ids?.includes(id) ?? true))
      return { series, total: list.length, revision }
    },
    listPast: async () => ({ series: [], total: 0 }),
    get: async (path) => {
      if (path.startsWith('/usual')) return bench.usual
      return counterInfo(Number(path.split('/').at(-1)))
    },
    range: async (request): Promise<RangeAnswer> => {
      ranges.push(request)
      await bench.gate
      return answerOf(request, bench)
    },
    setSeries: async (_, series) => {
      posts.push(series)
      await bench.setGate
    },
    deleteSeries: async (id) => {
      const left = bench.list.filter((info) => info.id !== id)
      const deleted = bench.list.length - left.length
      bench.list = left
      return { matching: deleted, deleted, kept: 0, isDryRun: false }
    },
    openStream: (series) => {
      opened.push(series)
      const source = new FakeSource()
      sources.push(source)
      return source
    },
  }
  const store = new Store(api)
  const pass = async (ms: number): Promise<void> => {
    mock.timers.tick(ms)
    for (let i = 0; i < 20; i += 1) await Promise.resolve()
  }
  return Object.assign(bench, {
    store,
    ranges,
    lists,
    posts,
    opened,
    pass,
    source: () => sources.at(-1)!,
    greet: async (startId = 'start 1') => {
      const nowMs = Date.now()
      const version = '0'
      const times = { nowMs, intervalMs: 1000, staleAfterMs: 300_000, windowMaxMs: 600_000 }
      sources.at(-1)!.send('hello', { stream: 'a', version, startId, ...times })
      await pass(0)
    },
    second: async (second: number, counters: CellsEvent['counters']) => {
      await pass(Math.max(0, second * 1000 + 50 - Date.now()))
      const quiet = { gauges: [], histograms: [], summaries: [] }
      const event: CellsEvent = { endMs: second * 1000, intervalMs: 1000, counters, ...quiet }
      sources.at(-1)!.send('cells', event, second * 1000)
      await pass(0)
    },
    tell: async (revision: number) => {
      bench.revision = revision
      sources.at(-1)!.send('series', { revision, total: bench.list.length })
      await pass(200)
      await pass(200)
    },
    fills: () => ranges.filter(({ stepMs }) => stepMs === 1000),
  })
}

export function seconds(store: Store, id: number, from: number, length: number): number[] {
  const out = new Float64Array(length)
  store.data(id)?.copy('rate' as Lane, from, out)
  return [...out]
}

export async function started(context: TestContext): Promise<Bench> {
  const bench = createBench(context)
  bench.store.start()
  await bench.pass(0)
  await bench.greet()
  return bench
}
