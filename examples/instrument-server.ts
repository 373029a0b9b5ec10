/**
 * A web server that measures itself and says so to whoever asks, and two who ask at once: one each
 * second, one every ten, neither disturbing the other.
 * Run: npx node examples/instrument-server.ts [SECONDS SECONDS]
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { EventCountersClient } from 'pentameter/eventcounters'
import {
  EventCounter,
  EventCountersServer,
  EventSource,
  IncrementingEventCounter,
  nodeRuntime,
} from 'pentameter/instrument'

const [oneS = 1, otherS = 10] = process.argv.slice(2).map(Number)

const source = new EventSource('Example.Web')
const times = new EventCounter('request-time', source, { displayUnits: 'ms' })
const requests = new IncrementingEventCounter('requests', source, { displayRateTimeScale: 1 })
const errors = new IncrementingEventCounter('errors', source, { displayRateTimeScale: 60 })
nodeRuntime()

const web = createServer((request, response) => {
  const startMs = performance.now()
  response.once('finish', () => {
    times.writeMetric(performance.now() - startMs)
    requests.increment()
    if (response.statusCode >= 500) errors.increment()
  })
  response.statusCode = request.url === '/broken' ? 500 : 200
  setTimeout(() => response.end('hello\n'), Math.random() * 20)
})
await once(web.listen(0, '127.0.0.1'), 'listening')
const page = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
const served = new EventCountersServer({ port: 0 })
await served.start()
console.log(`watch it too: pentameter counters monitor ${served.url}`)

/** Prints what comes, and ends with the first boundary of the slower one. */
function watch(intervalS: number, onDone?: () => void): EventCountersClient {
  const counters = 'Example.Web,Node.Runtime[event-loop-delay]'
  const client = new EventCountersClient({
    url: served.url,
    intervalMs: 1000 * intervalS,
    counters,
    onWindow({ counter, statistics }) {
      const value =
        statistics.kind === 'sum'
          ? `+${statistics.increment}`
          : `${statistics.mean.toFixed(1)} ${counter.units} (${statistics.count} samples)`
      console.log(`every ${intervalS} s  ${counter.provider} ${counter.name} ${value}`)
      if (counter.name === 'event-loop-delay') onDone?.()
    },
  })
  void client.start()
  return client
}

const visits = setInterval(() => {
  fetch(Math.random() < 0.1 ? `${page}/broken` : page).then((response) => response.text())
}, 10)
const fast = watch(oneS)
const slow = watch(otherS, () => {
  clearInterval(visits)
  void fast.close()
  void slow.close()
  served.close()
  setTimeout(() => web.close(), 50)
})
