/**
 * A web server with its own `/metrics`: Prometheus scrapes the application itself, no hub needed.
 * Visits it a few times and prints what a scrape shows of them.
 * Run: npx node examples/metrics.ts [PORT]
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { counter, histogram, metrics } from 'pentameter'

metrics.runtime() // processor, memory, event loop, garbage collector, handles
const answerScrape = metrics.handler()

const requests = counter('example.web.requests', {
  description: 'Requests answered',
  labels: ['route', 'status'],
})
const latency = histogram('example.web.request-time', { unit: 'ms' })

const server = createServer((request, response) => {
  if (request.url === '/metrics') return answerScrape(request, response)
  const watch = latency.start()
  response.once('finish', () => {
    watch.stop()
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
