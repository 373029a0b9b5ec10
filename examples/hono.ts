/**
 * Hono on Node: requests by route and status, and `/metrics` by a response of the fetch kind, as
 * Next.js, Bun and Deno have it. Visits itself and prints what a scrape shows.
 * Run: npx node examples/hono.ts
 */
import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { routePath } from 'hono/route'
import { metrics, nameRoute } from 'pentameter'

metrics.http() // every request that is answered or made

const app = new Hono<{ Bindings: { incoming: IncomingMessage } }>()
app.use(async (context, next) => {
  await next()
  nameRoute(context.env.incoming, routePath(context, -1))
})
app.get('/metrics', (context) => metrics.response(context.req.raw))
app.get('/cart/:id', (context) => context.text(`cart ${context.req.param('id')}\n`))
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server
if (!server.listening) await once(server, 'listening')
const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

for (const id of [1, 2, 3]) await (await fetch(`${page}/cart/${id}`)).text()
const scraped = await (await fetch(`${page}/metrics`)).text()
console.log(scraped.match(/^http_server_request_duration_seconds_count.*$/m)?.[0])
server.closeAllConnections()
server.close()
