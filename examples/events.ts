/**
 * Events that a program publishes anyhow, as counters: log records of pino by level, and a
 * diagnostics channel, here of undici, which `fetch` runs on.
 * Run: npx node examples/events.ts
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { metrics } from 'pentameter'
import { pino } from 'pino'

metrics.countLogs()
metrics.countEvents('undici:request:create', {
  name: 'example.requests',
  labels: ['method'],
  of: (message) => ({ method: (message as { request: { method: string } }).request.method }),
})

const log = pino({ level: 'warn' }, { write: () => {} })
log.warn('low on paper')
log.error('out of paper')
log.info('never made, so never counted')
const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
await once(server, 'listening')
await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { method: 'HEAD' })
server.closeAllConnections()
server.close()

for (const { name, labels, value } of metrics.snapshot()) console.log(name, labels, value)
