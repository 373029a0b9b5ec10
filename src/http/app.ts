/**
 * All routes behind the guards that every request passes, in the order in which they run. Loaded
 * with the first request.
 */
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { matchedRoutes } from 'hono/route'
import { Usual } from '../hub/usual/usual.ts'
import type { HubView } from '../hub/view.ts'
import { errorAnswer, piecesAnswer } from './answers.ts'
import { addApiRoutes } from './api-routes.ts'
import type { OtlpPreview } from './export/otlp/source.ts'
import type { Exposition } from './export/prometheus/exposition.ts'
import type { Scrapes } from './export/prometheus/scrapes.ts'
import type { ErrorAnswer, GuestRoutes, HubApp, RouteContext, RoutedGuest } from './guest-routes.ts'
import { HttpError } from './http-error.ts'
import type { HttpLimits, HttpReports } from './limits.ts'
import type { LiveStreams } from './live/streams.ts'
import type { TapStreams } from './live/taps.ts'
import type { HeavyAnswers } from './load/heavy-answers.ts'
import { PROBES } from './load/probes.ts'
import type { Answer } from './load/requests.ts'
import { Deletions } from './query/deletion.ts'
import { noQuery, readQuery } from './query/parameters.ts'
import { checkCaller, checkHost, secureHeaders } from './security.ts'
import { UiFiles } from './ui-files.ts'

interface AppParts {
  readonly view: HubView
  readonly streams: LiveStreams
  readonly taps: TapStreams
  readonly guests: readonly RoutedGuest[]
  /** Context that the routes of a dialect are made of. */
  readonly contextOf: (guest: RoutedGuest) => RouteContext
  readonly webRoot: string
  readonly host: string
  readonly allowedHosts: readonly string[]
  readonly limits: HttpLimits
  readonly answers: HeavyAnswers
  readonly scrapes: Scrapes
  readonly exposition: Exposition
  readonly reports: HttpReports
  readonly otlp: OtlpPreview
  /** Answers where there is no address that the routes could be asked for. */
  readonly refuseAddress: () => Response
}

export interface AppWithGuests {
  /** Answers a request. */
  readonly answer: Answer
  /** Routes that dialects have brought. */
  readonly routes: readonly GuestRoutes[]
}

export async function createApp(parts: AppParts): Promise<AppWithGuests> {
  const { view, streams, taps, limits } = parts
  const app: HubApp = new Hono()
  app.use(async (context, next) => {
    context.set('answers', parts.answers)
    await next()
  })
  addGuards(app, parts)
  addMetricsRoute(app, parts)
  addProbeRoutes(app, view)
  const { turns } = parts.answers
  const { exposition, otlp, guests, contextOf } = parts
  const dialects = guests.map((guest) => [guest.dialect, contextOf(guest).options] as const)
  const naming = { exposition, otlp, dialects }
  const deletions = new Deletions(view, turns)
  addApiRoutes(app, view, streams, taps, deletions, new Usual(view, turns), naming, limits)
  const routes = await addGuestRoutes(app, parts)
  addOtlpRoute(app, parts)
  addMethodRefusals(app)
  addPage(app, new UiFiles(parts.webRoot))
  addErrorAnswers(app, parts, Object.assign({}, ...routes.map(({ errorAnswers }) => errorAnswers)))
  const answer = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: parts.refuseAddress,
  })
  return { answer, routes }
}

/**
 * Adds the routes of guests. Must come after {@link addApiRoutes}, which sets what holds for
 * everything under /api/.
 */
async function addGuestRoutes(
  app: HubApp,
  { guests, contextOf }: AppParts,
): Promise<readonly GuestRoutes[]> {
  const routes: GuestRoutes[] = []
  for (const guest of guests) {
    const added = await guest.addRoutes?.(app, contextOf(guest))
    if (added !== undefined) routes.push(added)
  }
  return routes
}

function addErrorAnswers(
  app: HubApp,
  { reports }: AppParts,
  byPath: Readonly<Record<string, ErrorAnswer>>,
): void {
  app.notFound((context) => {
    const hint = 'docs/http.md lists all routes; the API is under /api/v1/'
    return errorAnswer(
      context,
      new HttpError(404, 'not_found', `no route ${context.req.path}`, hint),
    )
  })
  app.onError((error, context) => {
    if (error instanceof HttpError) {
      if (error.status !== 404) reports.count('refused', error.code)
      const { path } = context.req
      const answer: ErrorAnswer = Object.hasOwn(byPath, path) ? byPath[path]! : errorAnswer
      return answer(context, error)
    }
    reports.count('errors', routeOf(context))
    reports.log?.('error', 'a request failed', { error: error.message, stack: error.stack })
    return errorAnswer(context, new HttpError(500, 'internal', 'the hub failed to answer'))
  })
}

function addGuards(app: HubApp, { host, allowedHosts, reports }: AppParts): void {
  app.use(async (context, next) => {
    await next()
    const route = routeOf(context)
    const { outgoing } = context.env
    // what took the response over has answered it already
    const status = outgoing.headersSent ? outgoing.statusCode : context.res.status
    reports.count('requests', `${route} ${status}`)
  })
  app.use(secureHeaders)
  app.use(checkHost(host, allowedHosts))
  app.use(checkCaller)
}

/** Adds the scrapes that the server has not answered itself. */
function addMetricsRoute(app: HubApp, { scrapes }: AppParts): void {
  app.get('/metrics', async (context) => {
    const { incoming, outgoing } = context.env
    await scrapes.write(incoming, outgoing)
    return RESPONSE_ALREADY_SENT
  })
}

/** Adds the questions of a supervisor for requests that the server has not answered itself. */
function addProbeRoutes(app: HubApp, view: HubView): void {
  for (const [path, answerOf] of Object.entries(PROBES)) {
    app.get(path, (context) => {
      context.header('Cache-Control', 'no-store')
      const { status, body } = answerOf(view)
      return context.json(body, status)
    })
  }
}

function addOtlpRoute(app: HubApp, { otlp }: AppParts): void {
  app.get('/api/v1/otlp', (context) => {
    readQuery(noQuery, context)
    return piecesAnswer(context, otlp.json(), 'application/json')
  })
}

/**
 * Refuses known paths under a method they do not have; comes after the routes and before the page.
 */
function addMethodRefusals(app: HubApp): void {
  const methods = new Map<string, string>()
  for (const { path, method } of app.routes) {
    if (method === 'GET') methods.set(path, 'GET, HEAD')
    else if (method === 'POST') methods.set(path, 'POST')
    else if (method === 'DELETE') methods.set(path, `${methods.get(path)}, DELETE`)
  }
  for (const [path, allow] of methods) app.all(path, (context) => refuseMethod(context, allow))
}

function refuseMethod(context: Context, allow: string): never {
  context.header('Allow', allow)
  const message = `method ${context.req.method} on ${context.req.path}, want ${allow}`
  throw new HttpError(405, 'method_not_allowed', message)
}

/** Adds what is no route above: the page's files and views, and 404 for the rest. */
function addPage(app: HubApp, files: UiFiles): void {
  app.all('*', async (context) => {
    const { method, path } = context.req
    if (/^\/api(\/|$)/.test(path)) return context.notFound()
    if (method !== 'GET' && method !== 'HEAD') refuseMethod(context, 'GET, HEAD')
    const answer = await files.answer(context)
    return answer ?? context.text(`no page ${path}; the page's views start at /\n`, 404)
  })
}

/**
 * Names the path of the route as it is written down; whatever is no route of its own is the page's.
 */
function routeOf(context: Context): string {
  const own = matchedRoutes(context).find(({ path }) => !path.includes('*'))
  return own?.path.replace(/\{[^}]*\}/g, '') ?? 'page'
}
