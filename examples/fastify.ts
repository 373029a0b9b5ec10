/**
 * Fastify, with nothing changed: requests by route and status, and `/metrics`.
 * Visits itself and prints what a scrape shows.
 * Run: npx node examples/fastify.ts
 */
import fastify from 'fastify'
import { metrics } from 'pentameter'

metrics.http() // every request that is answered or made, by its route
const answerScrape = metrics.handler()

const app = fastify()
app.get('/metrics', (request, reply) => {
  reply.hijack() // the handler writes the answer itself
  answerScrape(request.raw, reply.raw)
})
app.get('/cart/:id', (request) => `cart ${(request.params as { id: string }).id}\n`)
const page = await app.listen({ port: 0, host: '127.0.0.1' })

for (const id of [1, 2, 3]) await (await fetch(`${page}/cart/${id}`)).text()
const scraped = await (await fetch(`${page}/metrics`)).text()
console.log(scraped.match(/^http_server_request_duration_seconds_count.*$/m)?.[0])
app.server.closeAllConnections()
await app.close()
