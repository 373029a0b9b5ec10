/**
 * Express, with nothing changed: requests by route and status, and `/metrics`.
 * Visits itself and prints what a scrape shows.
 * Run: npx node examples/express.ts
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { metrics } from 'pentameter'

metrics.http() // every request that is answered or made, by its route
metrics.runtime() // processor, memory, event loop, garbage collector, handles

const app = express()
app.get('/metrics', metrics.handler())
app.get('/cart/:id', (request, response) => {
  response.send(`cart ${request.params.id}\n`)
})
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

for (const id of [1, 2, 3]) await (await fetch(`${page}/cart/${id}`)).text()
const scraped = await (await fetch(`${page}/metrics`)).text()
console.log(scraped.match(/^http_server_request_duration_seconds_count.*$/m)?.[0])
server.closeAllConnections()
server.close()
