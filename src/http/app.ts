/** All routes behind the guards that every request passes, in the order in which they run. */
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { matchedRoutes } from 'hono/route'
import { COUNTERS_PATH, type CounterSessions } from '../dialects/eventcounters/http/sessions.ts'
import { negotiate } from '../exposition/negotiation.ts'
import type { HubView } from '../hub/view.ts'
import { errorAnswer, piecesAnswer, plainErrorAnswer, Refusal } from './answers.ts'
import { addApiRoutes } from './api-routes.ts'
import { addHealthRoutes } from './health.ts'
import type { HubApp } from './hub-app.ts'
import type { HttpLimits } from './limits.ts'
import type { LiveStreams } from './live/streams.ts'
import type { OtlpPreview } from './otlp/source.ts'
import { Exposition, type PrometheusOptions } from './prometheus/exposition.ts'
import { noQuery, readQuery } from './query/parameters.ts'
import type { HttpReports } from './reports.ts'
import { checkCaller, checkHost, secureHeaders } from './security.ts'
import { UiFiles } from './ui-files.ts'

export interface AppParts {
  readonly view: HubView
  readonly streams: LiveStreams
  readonly counterSessions: CounterSessions
  readonly webRoot: string
  readonly host: string
  readonly allowedHosts: readonly string[]
  readonly limits: HttpLimits
  readonly prometheus: PrometheusOptions
  readonly reports: HttpReports
  readonly otlp: OtlpPreview
}

export function createApp(parts: AppParts): HubApp {
  const { view, streams, limits, reports } = parts
  const app: HubApp = new Hono<{ Bindings: HttpBindings }>()
  addGuards(app, parts)
  addMetricsRoute(app, parts)
  addHealthRoutes(app, view)
  addApiRoutes(app, view, streams, parts.counterSessions, limits)
  addOtlpRoute(app, parts)
  addMethodRefusals(app)
  addPage(app, parts.webRoot)
  app.notFound((context) => {
    const hint = 'docs/http.md lists all routes; the API is under /api/v1/'
    return errorAnswer(context, new Refusal(404, 'not_found', `no route ${context.req.path}`, hint))
  })
  app.onError((error, context) => {
    if (error instanceof Refusal) {
      if (error.status !== 404) reports.count('refused', error.code)
      if (context.req.path === COUNTERS_PATH) return plainErrorAnswer(context, error)
      return errorAnswer(context, error)
    }
    reports.count('errors', routeOf(context))
    reports.log?.('error', `request failed: ${error.message}`, { stack: error.stack })
    return errorAnswer(context, new Refusal(500, 'internal', 'the hub failed to answer'))
  })
  return app
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

function addMetricsRoute(app: HubApp, { view, prometheus, reports }: AppParts): void {
  const exposition = new Exposition(view, prometheus, reports)
  app.get('/metrics', (context) => {
    const accept = context.req.header('Accept')
    const { format, style, contentType } = negotiate(accept, prometheus.names ?? 'legacy')
    context.header('Cache-Control', 'no-store')
    context.header('Vary', 'Accept')
    return piecesAnswer(context, exposition.pieces(format, style), contentType, view.clock)
  })
}

function addOtlpRoute(app: HubApp, { view, otlp }: AppParts): void {
  app.get('/api/v1/otlp', (context) => {
    readQuery(noQuery, context)
    return piecesAnswer(context, otlp.json(), 'application/json', view.clock)
  })
}

/** Known paths under a method they do not have; comes after the routes and before the page. */
function addMethodRefusals(app: HubApp): void {
  const methods = new Map<string, string>()
  for (const { path, method } of app.routes) {
    if (method === 'GET') methods.set(path, 'GET, HEAD')
    else if (method === 'POST') methods.set(path, 'POST')
  }
  for (const [path, allow] of methods) app.all(path, (context) => refuseMethod(context, allow))
}

function refuseMethod(context: Context, allow: string): never {
  context.header('Allow', allow)
  const message = `method ${context.req.method} on ${context.req.path}, want ${allow}`
  throw new Refusal(405, 'method_not_allowed', message)
}

/** Whatever is no route above: the page's files and views, and 404 for the rest. */
function addPage(app: HubApp, webRoot: string): void {
  const files = new UiFiles(webRoot)
  app.all('*', async (context) => {
    const { method, path } = context.req
    if (/^\/api(\/|$)/.test(path)) return context.notFound()
    if (method !== 'GET' && method !== 'HEAD') refuseMethod(context, 'GET, HEAD')
    const answer = await files.answer(context)
    return answer ?? context.text(`no page ${path}; the page's views start at /\n`, 404)
  })
}

/** Path of the route as it is written down; whatever is no route of its own is the page's. */
function routeOf(context: Context): string {
  const own = matchedRoutes(context).find(({ path }) => !path.includes('*'))
  return own?.path.replace(/\{[^}]*\}/g, '') ?? 'page'
}
