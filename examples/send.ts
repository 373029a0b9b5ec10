/**
 * Sends a second of invented measurements to a hub by the Stats Hero Protocol.
 * Run: npx node examples/send.ts [PORT]
 */
import { StatsHeroClient } from 'pentameter/statshero'

const port = Number(process.argv[2] ?? 8125)
const client = new StatsHeroClient({ port, transport: 'tcp' })
await client.start()
const requests = client.meter('example.requests')
const depth = client.gauge('example.queueDepth')
const latency = client.histogram('example.latency')

for (let i = 0; i < 100; i++) {
  requests.record(1)
  depth.record(i % 7)
  latency.record(20 + ((i * 37) % 60))
}
await client.close()
console.log(`sent ${client.counts.sent} lines`)
