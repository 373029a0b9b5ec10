/**
 * A web server with its own `/metrics`: Prometheus scrapes the application itself, no hub needed.
 * Visits it a few times and prints what a scrape shows of them.
 * Run: npx node examples/metrics.ts [PORT]
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, EventSource, Histogram, metricsHandler, nodeRuntime } from 'pentameter/instrument'

nodeRuntime() // processor, memory, event loop, garbage collector, handles
const metrics = metricsHandler()

const source = new EventSource('Example.Web')
const requests = new Counter('requests', source, {
  description: 'Requests answered',
  labels: ['route', 'status'],
})
const latency = new Histogram('request-time', source, { unit: 'ms' })

const server = createServer((request, response) => {
  if (request.url === '/metrics') return metrics(request, response)
  const startMs = performance.now()
  response.once('finish', () => {
    latency.record(performance.now() - startMs)
    requests.with({ route: '/', status: String(response.statusCode) }).add()
  })
  return response.end('hello\n')
})
await once(server.listen(Number(process.argv[2] ?? 0), '127.0.0.1'), 'listening')
const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

for (let i = 0; i < 3; i++) await (await fetch(page)).text()
const scraped = await (await fetch(`${page}/metrics`)).text()
console.log(scraped.match(/^(# .*|)example_web_request.*$/gm)?.join('\n'))
console.log(`${scraped.match(/^# TYPE node_runtime_/gm)?.length} families of Node`)
server.close()
