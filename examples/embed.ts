/**
 * A hub inside another program: measure, watch intervals of one's own, look at totals.
 * Run: npx node examples/embed.ts
 */
import { setTimeout } from 'node:timers/promises'
import { startHub } from 'pentameter/hub'
import { StatsHeroClient } from 'pentameter/statshero'

const hub = await startHub({
  config: { httpPort: 0, textPort: 0, streamPort: 0, ingestWorkers: 0 },
  log: (level, message) => console.error(level, message),
})
console.log('page at port', hub.addresses.http?.port)
hub.subscribe(2000, ({ seconds, cells }) => {
  const own = cells.filter(({ identity }) => identity.name === 'example.jobs')
  console.log(
    `${seconds} seconds with`,
    own.map(({ cell }) => cell),
  )
})

const client = new StatsHeroClient({ port: hub.addresses.text!.port, flushIntervalMs: 0 })
await client.start()
client.meter('example.jobs').record(3)
await setTimeout(2500)
for (const { identity, total } of hub.series()) {
  if (identity.name === 'example.jobs') console.log('total', total)
}
await client.close()
await hub.close()
