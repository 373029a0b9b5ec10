/** The routes of the JSON API (api.ts); every handler reads its input, asks, and answers. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { FoundRecords } from '../hub/history/past-list.ts'
import { isDecrements, type SeriesRecord } from '../hub/series/record.ts'
import type { Usual } from '../hub/usual/usual.ts'
import type { HubView } from '../hub/view.ts'
import { askedAnswer, jsonAnswer, largeJsonAnswer, piecesAnswer } from './answers.ts'
import type { ExemplarsAnswer } from './api.ts'
import type { HubApp, HubContext } from './guest-routes.ts'
import { HttpError } from './http-error.ts'
import type { HttpLimits } from './limits.ts'
import type { LiveStreams } from './live/streams.ts'
import type { TapStreams } from './live/taps.ts'
import { type Deletions, requireLoopback } from './query/deletion.ts'
import { refusalOf } from './query/history-refusal.ts'
import { type NamingParts, namesJson } from './query/names.ts'
import {
  cellsQuery,
  deletionQuery,
  liveQuery,
  noQuery,
  pastQuery,
  rangeQuery,
  read,
  readJson,
  readQuery,
  STEP_MAX_S,
  samplesQuery,
  selectionBody,
  seriesQuery,
  tapQuery,
  usualQuery,
} from './query/parameters.ts'
import { alignWindow, findPast } from './query/range/past.ts'
import { COLUMNS_LIMIT, rangeJson } from './query/range/range.ts'
import { samplesJson } from './query/samples.ts'
import { describePast, detailSeries, pastJson, seriesJson } from './query/series.ts'
import { usualAnswer } from './query/usual.ts'
import { requireJson } from './security.ts'

/** Window of a range request that names none. */
const WINDOW_DEFAULT_MS = 300_000
/** The same of a request for series of the past. */
const PAST_DEFAULT_MS = 86_400_000
/** The same of a request for samples. */
const SAMPLES_DEFAULT_MS = 10_000
/** Rows of a list that is given in overload, too: as many as the live page asks for at once. */
const NEEDED_ROWS = 1000

export function addApiRoutes(
  app: HubApp,
  view: HubView,
  streams: LiveStreams,
  taps: TapStreams,
  deletions: Deletions,
  usual: Usual,
  naming: NamingParts,
  limits: HttpLimits,
): void {
  app.use('/api/*', async (context, next) => {
    context.header('Cache-Control', 'no-store')
    await next()
  })
  app.get('/api/v1/series', (context) => {
    const query = readQuery(seriesQuery, context)
    const isNeeded = query.limit <= NEEDED_ROWS
    return piecesAnswer(context, seriesJson(view, query), 'application/json', isNeeded)
  })
  app.get('/api/v1/past', (context) => pastAnswer(context, view))
  app.delete('/api/v1/series', async (context) => {
    requireLoopback(context)
    return jsonAnswer(context, await deletions.run(readQuery(deletionQuery, context)))
  })
  app.get('/api/v1/series/:id{[0-9]+}', (context) => {
    readQuery(noQuery, context)
    const id = context.req.param('id')
    const past = view.past?.get(Number(id))
    const info =
      past === undefined ? detailSeries(view, seriesOf(view, id)) : describePast(view, past)
    return jsonAnswer(context, info)
  })
  app.get('/api/v1/series/:id{[0-9]+}/names', (context) => {
    readQuery(noQuery, context)
    const record = seriesOf(view, context.req.param('id'))
    return piecesAnswer(context, namesJson(record, naming), 'application/json', true)
  })
  app.get('/api/v1/series/:id{[0-9]+}/exemplars', (context) => {
    readQuery(noQuery, context)
    const { id } = seriesOf(view, context.req.param('id'))
    const exemplars = view.series.exemplars.of(id).toReversed()
    return jsonAnswer(context, { exemplars } satisfies ExemplarsAnswer)
  })
  app.get('/api/v1/range', (context) => rangeAnswer(context, view))
  app.get('/api/v1/samples', (context) => samplesAnswer(context, view))
  app.get('/api/v1/cells', (context) => cellsAnswer(context, view, streams))
  app.get('/api/v1/usual', (context) => {
    const { series } = readQuery(usualQuery, context)
    return largeJsonAnswer(context, () => usualAnswer(usual, view.clock.wallMs(), series), true)
  })
  app.get('/api/v1/sources', (context) => {
    readQuery(noQuery, context)
    return largeJsonAnswer(context, () => view.sources(), true)
  })
  const query = liveQuery(limits)
  app.get('/api/v1/live', (context) => liveAnswer(context, readQuery(query, context), streams))
  app.get('/api/v1/tap', (context) => tapAnswer(context, view, taps))
  const body = selectionBody(limits)
  app.post('/api/v1/live/:stream', requireJson, async (context) => {
    const asked = read(body, await readJson(context.env.incoming, limits.bodyBytes))
    const { series, interval } = asked
    if (streams.select(context.req.param('stream'), series, interval)) {
      return context.body(null, 204)
    }
    const hint = 'open a new one with GET /api/v1/live'
    throw new HttpError(404, 'unknown_stream', 'this stream has ended or never was', hint)
  })
}

/** Answers with series of the past; 503 where the history does not answer, and says why. */
function pastAnswer(context: HubContext, view: HubView): Promise<Response> {
  const { from, to, ...query } = readQuery(pastQuery, context)
  const { fromMs, toMs } = windowOf({ from, to }, view, PAST_DEFAULT_MS)
  const bounds = { fromS: Math.floor(fromMs / 1000), toS: Math.ceil(toMs / 1000) }
  const found = async (): Promise<FoundRecords> => {
    try {
      return (await view.past?.find({ ...query, ...bounds })) ?? { series: [], total: 0 }
    } catch (error) {
      throw refusalOf(error, 'narrow the words, or the time')
    }
  }
  return askedAnswer(context, async () => pastJson(view, await found()))
}

function samplesAnswer(context: HubContext, view: HubView): Promise<Response> {
  const { series, ...asked } = readQuery(samplesQuery, context)
  const { fromMs, toMs } = windowOf(asked, view, SAMPLES_DEFAULT_MS)
  return piecesAnswer(context, samplesJson(view, series, fromMs, toMs), 'application/json')
}

/** @throws {HttpError} 400 for a window that ends before it begins */
function windowOf(
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
  view: HubView,
  defaultMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  const toMs = to ?? view.clock.wallMs()
  const fromMs = from ?? toMs - defaultMs
  if (fromMs < toMs) return { fromMs, toMs }
  throw new HttpError(400, 'invalid_request', `from ${fromMs} is not before to ${toMs}`)
}

/** @throws {HttpError} 404 for an id that no series has */
function seriesOf(view: HubView, id: string): SeriesRecord {
  const record = view.series.get(Number(id))
  if (record !== undefined && !isDecrements(record)) return record
  const hint = 'GET /api/v1/series lists them'
  throw new HttpError(404, 'unknown_series', `no series ${id}`, hint)
}

function rangeAnswer(context: HubContext, view: HubView): Promise<Response> {
  const { series, step, ...asked } = readQuery(rangeQuery, context)
  const { fromMs, toMs } = windowOf(asked, view, WINDOW_DEFAULT_MS)
  const stepMs = Math.round(step * 1000)
  const columns = alignWindow(fromMs, toMs, stepMs).length
  if (columns > COLUMNS_LIMIT) {
    const message = `${columns} columns, limit ${COLUMNS_LIMIT}`
    const leastS = (toMs - fromMs) / 1000 / (COLUMNS_LIMIT - 1)
    const stepS = leastS < 1 ? Math.ceil(leastS * 100) / 100 : Math.ceil(leastS)
    const hint =
      stepS <= STEP_MAX_S
        ? `use a step of at least ${stepS} seconds`
        : view.history === undefined
          ? `ask for less: the hub keeps the last ${view.live.spanSeconds} seconds`
          : 'ask for less time at once'
    throw new HttpError(400, 'too_many_columns', message, hint)
  }
  return askedAnswer(context, async () => {
    const { window, past } = await findPast(view, { ids: series, fromMs, toMs, stepMs })
    return rangeJson(view, series, window, past)
  })
}

function cellsAnswer(context: HubContext, view: HubView, streams: LiveStreams): Promise<Response> {
  const { series } = readQuery(cellsQuery, context)
  const frame = view.live.newest
  if (frame === undefined) {
    const hint = 'the first second closes within a second of the start: ask again'
    throw new HttpError(503, 'no_cells_yet', 'no second has been closed yet', hint)
  }
  return piecesAnswer(context, streams.payloads.json(frame, series), 'application/json')
}

function liveAnswer(
  context: HubContext,
  query: { readonly series: readonly number[]; readonly interval: number },
  streams: LiveStreams,
): Response {
  if (context.env.incoming.method === 'HEAD') {
    context.header('Content-Type', 'text/event-stream')
    return context.body(null)
  }
  const last = context.req.header('Last-Event-ID')
  const lastEventMs = last !== undefined && /^\d{1,16}$/.test(last) ? Number(last) : undefined
  const request = { ids: query.series, intervalS: query.interval, lastEventMs }
  if (streams.open(context.env.outgoing, request)) return RESPONSE_ALREADY_SENT
  const hint = 'close another page or viewer, or raise the limit of streams or sessions'
  throw new HttpError(503, 'streams_limit', `${streams.size} live streams are open`, hint)
}

function tapAnswer(context: HubContext, view: HubView, taps: TapStreams): Response {
  const query = readQuery(tapQuery, context)
  const names = view.sources().listeners.map(({ name }) => name)
  if (!names.includes(query.listener)) {
    const hint = `there are: ${names.join(', ')}`
    throw new HttpError(404, 'unknown_listener', `no listener ${query.listener}`, hint)
  }
  if (context.env.incoming.method === 'HEAD') {
    context.header('Content-Type', 'text/event-stream')
    return context.body(null)
  }
  if (taps.open(context.env.outgoing, query)) return RESPONSE_ALREADY_SENT
  const hint = 'end another `pentameter tap`; they cost the hub time'
  throw new HttpError(503, 'taps_limit', `${taps.size} taps are open`, hint)
}
