/**
 * A web server as a process of its own, whose requests nothing measures, or we do, or the HTTP
 * instrumentation of OpenTelemetry does. Tells its port, and when it is asked its processor time.
 */
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { metrics } from '../../src/index.ts'

const require = createRequire(import.meta.url)
const mode = process.argv[2]

if (mode === 'ours') metrics.http()
if (mode === 'otel') {
  // it patches what is required later
  const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http')
  new HttpInstrumentation().setMeterProvider(new MeterProvider({ readers: [metrics.otelReader()] }))
}

const { createServer } = require('node:http') as typeof import('node:http')
const server: Server = createServer((_, response) => {
  response.setHeader('content-type', 'text/plain')
  response.end('two books\n')
})
server.listen(0, '127.0.0.1', () => {
  process.send!({ port: (server.address() as AddressInfo).port })
})

process.on('message', async () => {
  const { user, system } = process.cpuUsage()
  await metrics.gather()
  const counted = metrics.text().match(/^http_server_\w*duration\w*_count\S* (\d+)$/m)?.[1]
  process.send!({ cpuUs: user + system, counted: Number(counted ?? 0) })
})
process.on('disconnect', () => process.exit())
