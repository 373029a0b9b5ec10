/** A program of a user, in strict TypeScript or as a plain module: without a hub, end to end. */
import { Counter, CounterRegistry, EventSource } from 'pentameter/instrument'
import { bucketIndex } from 'pentameter/model'
import { Zone } from 'pentameter/shm'
import { StatsHeroClient } from 'pentameter/statshero'

const registry = new CounterRegistry()
const source = new EventSource('Shop.Search', { registry })
const searches = new Counter('searches', source, { labels: ['language'] })
searches.with({ language: 'en' }).add(2)

const zone = Zone.create()
const requests = zone.define(Buffer.from('requests'), 'counter')
zone.attach().counter(requests)?.add(3)

const client = new StatsHeroClient({ host: '127.0.0.1', port: 9 })
await client.start()
client.meter('shop.requests').record(1)
await client.close()

console.log(zone.reader().counter(requests), bucketIndex(4, 0), registry.sources.length)
