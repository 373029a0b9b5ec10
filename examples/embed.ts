/**
 * A hub inside another program: measure, close seconds, look at totals and at one's own interval.
 * Run: node examples/embed.ts
 */
import { setTimeout } from 'node:timers/promises'
import { Hub, parseConfig, systemClock } from 'pentameter/hub'
import { StatsHeroClient } from 'pentameter/statshero'
import { dialect as statshero } from '../src/dialects/statshero/dialect.ts'

const hub = new Hub({
  config: parseConfig({ textPort: 0 }, [statshero]),
  clock: systemClock,
  log: (level, message) => console.error(level, message),
  dialects: [statshero],
})
await hub.start()
hub.sessions.open({
  intervalS: 2,
  onFrame: ({ counterDeltas }) => console.log(`two seconds with ${counterDeltas.length} counters`),
})

const client = new StatsHeroClient({ port: hub.addresses().text!.port, flushIntervalMs: 0 })
await client.start()
client.meter('example.jobs').record(3)
await setTimeout(2500)
for (const record of hub.series) {
  if (record.identity.name === 'example.jobs') console.log('total', hub.total(record))
}
await client.close()
await hub.stop()
