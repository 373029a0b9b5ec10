/**
 * The hub's JSON API (src/http/api.ts) as functions, over a connection of the page or of a program.
 */
import type {
  ApiError,
  DeletionAnswer,
  PastAnswer,
  RangeAnswer,
  SeriesInfo,
  SeriesPage,
} from '../../http/api.ts'

const BASE = '/api/v1'
/** Entries asked for per page of the list. */
export const PAGE_SIZE = 1000

interface RangeRequest {
  readonly series: readonly number[]
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
}

interface PastRequest {
  /** Words as the API has them (`hubWords`). */
  readonly words: string
  readonly fromMs: number
  readonly toMs: number
  readonly limit: number
}

/** Part of a Response of fetch that is needed. */
export interface HubAnswer {
  readonly ok: boolean
  readonly status: number
  readonly statusText: string
  /** Address that answered. */
  readonly url: string
  readonly headers: { get(name: string): string | null }
  json(): Promise<unknown>
}

export interface HubRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

/** One hub as it is reached: paths begin with `/`. */
export interface HubConnection {
  request(path: string, request?: HubRequest): Promise<HubAnswer>
  openStream(path: string): EventStream
}

/** Time for an answer: what never comes is an answer that failed, and is asked for again. */
const PATIENCE_MS = 20_000

/** Connection to the hub that serves this page: same origin, and nothing else is ever asked. */
const OWN_ORIGIN: HubConnection = {
  request(path, request) {
    const limit = AbortSignal.timeout(PATIENCE_MS)
    const signal = AbortSignal.any([limit, request?.signal ?? limit])
    return fetch(path, { ...request, signal })
  },
  openStream: (path) => new EventSource(path) as EventStream,
}

interface ListedSeries {
  /** Series of these ids alone: as many as fit into an address, {@link PAGE_SIZE} at most. */
  readonly ids?: readonly number[]
  /** Series with higher ids than this one, those that came later. */
  readonly after?: number
}

/** Part of an EventSource that the live stream needs. */
export interface EventStream {
  onerror: ((event: never) => void) | null
  addEventListener(
    name: string,
    listener: (event: { readonly data: string; readonly lastEventId: string }) => void,
  ): void
  close(): void
}

export interface HubApi {
  /** @param which all series where it is left out */
  listSeries(which?: ListedSeries): Promise<SeriesPage>
  /** Lists series of a time that only the history has. */
  listPast(request: PastRequest): Promise<PastAnswer>
  range(request: RangeRequest): Promise<RangeAnswer>
  /**
   * @param path below the API's own, with its query
   * @throws {RefusedRequest} where the hub has none
   */
  get(path: string, signal: AbortSignal): Promise<unknown>
  /** @param intervalS seconds between two events with samples; 1 for none, as it is unless given */
  setSeries(stream: string, series: readonly number[], intervalS?: number): Promise<void>
  /** Deletes one series. @throws {RefusedRequest} where this browser may not */
  deleteSeries(id: number): Promise<DeletionAnswer>
  openStream(series: readonly number[], intervalS: number): EventStream
}

/** @param connection that of a page unless given */
export function createHubApi(connection: HubConnection = OWN_ORIGIN): HubApi {
  const get = async <T>(path: string, signal?: AbortSignal): Promise<T> => {
    const request = signal === undefined ? {} : { signal }
    const answer = await connection.request(addressOf(path), request)
    if (!answer.ok) throw await refusal(answer)
    return (await answer.json()) as T
  }
  return {
    async listSeries({ ids, after: first }: ListedSeries = {}) {
      if (ids !== undefined) return get(`/series?limit=${PAGE_SIZE}&series=${ids.join(',')}`)
      const series: SeriesInfo[] = []
      let after = first
      for (;;) {
        const from = after === undefined ? '' : `&after=${after}`
        const page = await get<SeriesPage>(`/series?limit=${PAGE_SIZE}${from}`)
        series.push(...page.series)
        if (page.next === undefined) return { ...page, series }
        after = page.next
      }
    },
    listPast: ({ words, fromMs, toMs, limit }) =>
      get(`/past?filter=${encodeURIComponent(words)}&from=${fromMs}&to=${toMs}&limit=${limit}`),
    range: ({ series, fromMs, toMs, stepMs }) =>
      get(`/range?series=${series.join(',')}&from=${fromMs}&to=${toMs}&step=${stepMs / 1000}`),
    get,
    async setSeries(stream, series, interval) {
      const answer = await connection.request(`${BASE}/live/${encodeURIComponent(stream)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ series, interval }),
      })
      if (!answer.ok) throw await refusal(answer)
    },
    async deleteSeries(id) {
      const path = addressOf(`/series?series=${id}`)
      const answer = await connection.request(path, { method: 'DELETE' })
      if (!answer.ok) throw await refusal(answer)
      return (await answer.json()) as DeletionAnswer
    },
    openStream: (series, intervalS) =>
      connection.openStream(addressOf(`/live?series=${series.join(',')}&interval=${intervalS}`)),
  }
}

/** Error of a request that the hub answered otherwise than asked. */
export class RefusedRequest extends Error {
  readonly status: number
  /** The hub's own words. */
  readonly reason: string
  /** Time after which to ask again, where it is stated. */
  readonly retryAfterMs: number | undefined

  constructor(path: string, status: number, reason: string, retryAfterMs?: number) {
    super(`${path}: ${status} ${reason}`)
    this.status = status
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

/** Gives the address where an answer is had as a file. */
export function addressOf(path: string): string {
  return BASE + path
}

async function refusal(answer: HubAnswer): Promise<RefusedRequest> {
  const body = (await answer.json().catch(() => undefined)) as ApiError | undefined
  const reason = body?.error?.message ?? answer.statusText
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined
  return new RefusedRequest(new URL(answer.url).pathname, answer.status, reason, retryAfterMs)
}
