/**
 * A program's instruments for scope viewers: the current of a motor fifty times a second, requests
 * as rate and total, latencies as mean, p50 and p99. A client beside it reads what a viewer would.
 * Run: npx node examples/scope.ts [SECONDS], and beside it: pentameter scope 127.0.0.1:PORT
 */
import { Counter, EventSource, Gauge, Histogram, ViewerSource } from 'pentameter/instrument'
import { Board, BoardFeed, lineCaption, ScopeClient, ScopeServer } from 'pentameter/scope'

const [seconds = 60] = process.argv.slice(2).map(Number)

const motor = new EventSource('Motor')
const current = new Gauge('current', motor, { unit: 'A' })
const requests = new Counter('requests', motor)
const latency = new Histogram('latency', motor, { unit: 'ms' })
const work = setInterval(() => {
  current.set(7 + 2 * Math.sin(performance.now() / 500))
  requests.add(1)
  latency.record(10 + 90 * Math.random() ** 4)
}, 10)

const source = new ViewerSource({ select: ['p50', 'p99'] })
const hints = [{ match: { name: 'current' }, plot: 'motor', color: 'orange' }]
const server = new ScopeServer({ source, port: 0, hints })
await server.start()
console.log(`look at it: pentameter scope 127.0.0.1:${server.port} -s 0.02`)

const board = new Board()
const feed = new BoardFeed(board)
const client = new ScopeClient({
  port: server.port,
  samplingIntervalMs: 20,
  onSample: (sample) => feed.take(sample),
})
await client.start()

setTimeout(async () => {
  clearInterval(work)
  for (const { name, lines } of board.plots()) {
    for (const line of lines) console.log(`${name}: ${lineCaption(line, line.value)}`)
  }
  await client.close()
  await server.close()
  source.close()
}, seconds * 1000)
