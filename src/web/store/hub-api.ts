/** The hub's JSON API (src/http/api.ts) as functions. Same origin; nothing else is ever asked. */
import type {
  ApiError,
  DeletionAnswer,
  RangeAnswer,
  SeriesInfo,
  SeriesPage,
} from '../../http/api.ts'

const BASE = '/api/v1'
/** Entries asked for per page of the list. */
const PAGE_SIZE = 1000

interface RangeRequest {
  readonly series: readonly number[]
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs: number
}

export interface HubApi {
  listSeries(): Promise<SeriesPage>
  range(request: RangeRequest): Promise<RangeAnswer>
  /**
   * @param path below the API's own, with its query
   * @throws {RefusedRequest} where the hub has none
   */
  get(path: string, signal: AbortSignal): Promise<unknown>
  setSeries(stream: string, series: readonly number[]): Promise<void>
  /** Deletes one series. @throws {RefusedRequest} where this browser may not */
  deleteSeries(id: number): Promise<DeletionAnswer>
  openStream(series: readonly number[]): EventSource
}

export function createHubApi(): HubApi {
  return {
    async listSeries() {
      const series: SeriesInfo[] = []
      let after: number | undefined
      for (;;) {
        const from = after === undefined ? '' : `&after=${after}`
        const page = await get<SeriesPage>(`/series?limit=${PAGE_SIZE}${from}`)
        series.push(...page.series)
        if (page.next === undefined) return { ...page, series }
        after = page.next
      }
    },
    range: ({ series, fromMs, toMs, stepMs }) =>
      get(`/range?series=${series.join(',')}&from=${fromMs}&to=${toMs}&step=${stepMs / 1000}`),
    get,
    async setSeries(stream, series) {
      const answer = await fetch(`${BASE}/live/${encodeURIComponent(stream)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ series }),
      })
      if (!answer.ok) throw await refusal(answer)
    },
    async deleteSeries(id) {
      const answer = await fetch(addressOf(`/series?series=${id}`), { method: 'DELETE' })
      if (!answer.ok) throw await refusal(answer)
      return (await answer.json()) as DeletionAnswer
    },
    openStream: (series) => new EventSource(`${BASE}/live?series=${series.join(',')}&interval=1`),
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

async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const answer = await fetch(addressOf(path), signal === undefined ? {} : { signal })
  if (!answer.ok) throw await refusal(answer)
  return (await answer.json()) as T
}

async function refusal(answer: Response): Promise<RefusedRequest> {
  const body = (await answer.json().catch(() => undefined)) as ApiError | undefined
  const reason = body?.error?.message ?? answer.statusText
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined
  return new RefusedRequest(new URL(answer.url).pathname, answer.status, reason, retryAfterMs)
}
