/** The routes of the JSON API (api.ts); every handler reads its input, asks, and answers. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { isDecrements } from '../hub/series/record.ts'
import type { HubView } from '../hub/view.ts'
import { jsonAnswer, largeJsonAnswer, piecesAnswer } from './answers.ts'
import type { HubApp, HubContext } from './guest-routes.ts'
import { HttpError } from './http-error.ts'
import type { HttpLimits } from './limits.ts'
import type { LiveStreams } from './live/streams.ts'
import { type Deletions, requireLoopback } from './query/deletion.ts'
import {
  cellsQuery,
  deletionQuery,
  liveQuery,
  noQuery,
  rangeQuery,
  read,
  readJson,
  readQuery,
  STEP_MAX_S,
  selectionBody,
  seriesQuery,
} from './query/parameters.ts'
import { alignWindow, COLUMNS_LIMIT, rangeJson } from './query/range.ts'
import { detailSeries, seriesJson } from './query/series.ts'
import { requireJson } from './security.ts'

/** Window of a range request that names none. */
const WINDOW_DEFAULT_MS = 300_000
/** Rows of a list that is given in overload, too: as many as the live page asks for at once. */
const NEEDED_ROWS = 1000

export function addApiRoutes(
  app: HubApp,
  view: HubView,
  streams: LiveStreams,
  deletions: Deletions,
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
  app.delete('/api/v1/series', async (context) => {
    requireLoopback(context)
    return jsonAnswer(context, await deletions.run(readQuery(deletionQuery, context)))
  })
  app.get('/api/v1/series/:id{[0-9]+}', (context) => {
    readQuery(noQuery, context)
    const record = view.series.get(Number(context.req.param('id')))
    if (record !== undefined && !isDecrements(record)) {
      return jsonAnswer(context, detailSeries(view, record))
    }
    const message = `no series ${context.req.param('id')}`
    throw new HttpError(404, 'unknown_series', message, 'GET /api/v1/series lists them')
  })
  app.get('/api/v1/range', (context) => rangeAnswer(context, view))
  app.get('/api/v1/cells', (context) => cellsAnswer(context, view, streams))
  app.get('/api/v1/sources', (context) => {
    readQuery(noQuery, context)
    return largeJsonAnswer(context, () => view.sources(), true)
  })
  const query = liveQuery(limits)
  app.get('/api/v1/live', (context) => liveAnswer(context, readQuery(query, context), streams))
  const body = selectionBody(limits)
  app.post('/api/v1/live/:stream', requireJson, async (context) => {
    const { series } = read(body, await readJson(context.env.incoming, limits.bodyBytes))
    if (streams.select(context.req.param('stream'), series)) return context.body(null, 204)
    const hint = 'open a new one with GET /api/v1/live'
    throw new HttpError(404, 'unknown_stream', 'this stream has ended or never was', hint)
  })
}

function rangeAnswer(context: HubContext, view: HubView): Promise<Response> {
  const { series, from, to, step } = readQuery(rangeQuery, context)
  const toMs = to ?? view.clock.wallMs()
  const fromMs = from ?? toMs - WINDOW_DEFAULT_MS
  if (fromMs >= toMs) {
    throw new HttpError(400, 'invalid_request', `from ${fromMs} is not before to ${toMs}`)
  }
  const window = alignWindow(fromMs, toMs, step * 1000)
  if (window.length > COLUMNS_LIMIT) {
    const message = `${window.length} columns, limit ${COLUMNS_LIMIT}`
    const stepS = Math.ceil((toMs - fromMs) / 1000 / (COLUMNS_LIMIT - 1))
    const hint =
      stepS <= STEP_MAX_S
        ? `use a step of at least ${stepS} seconds`
        : `ask for less: the hub keeps the last ${view.live.spanSeconds} seconds`
    throw new HttpError(400, 'too_many_columns', message, hint)
  }
  const pieces = rangeJson(view, series, window)
  return piecesAnswer(context, pieces, 'application/json')
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
