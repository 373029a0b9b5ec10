/**
 * Program: a registry of @prometheus-io/client with as many label sets of one counter as its
 * argument says, behind /metrics. It answers every message with the bytes that it takes for each.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, Registry } from '@prometheus-io/client'

const series = Number(process.argv[2])
const before = process.memoryUsage.rss()
const registry = new Registry()
const labelNames = ['name'] as const
const counter = new Counter({ name: 'app', help: 'app', labelNames, registers: [registry] })
for (let i = 0; i < series; i++) counter.inc({ name: `m${i}.request.count` })
const bytes = (process.memoryUsage.rss() - before) / series
const server = createServer(async (_, response) => response.end(await registry.metrics()))
server.listen(0, '127.0.0.1', () => {
  process.send?.({ udpPort: (server.address() as AddressInfo).port, tcpPort: 0 })
})
process.on('message', () => process.send?.(bytes))
process.once('disconnect', () => process.exit(0))
