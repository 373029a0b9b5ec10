/**
 * A web server whose requests are recorded: sent to a hub under the keys of chef/stats_hero, and
 * kept as instruments for `/metrics`. Visits it a few times and prints what a log line would say.
 * Run: npx node examples/requests.ts [PORT]
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { RequestRecorder, requestInstruments } from 'pentameter/instrument'
import { StatsHeroClient } from 'pentameter/statshero'

const client = new StatsHeroClient({ port: Number(process.argv[2] ?? 8125), transport: 'tcp' })
await client.start()
const requests = new RequestRecorder({
  app: 'shop',
  upstreams: ['rdbms', 'cache'], // calls whose labels begin so are sent, and added up
  to: [client, requestInstruments()],
})

/** Somewhere deep in the program: no request is handed down to here. */
async function loadCart(): Promise<string> {
  const query = () => wait(5, 'two books')
  return requests.current ? requests.current.time('rdbms.load_cart', query) : query()
}

// with Express: app.use(requests.middleware())
const record = requests.middleware({ label: ({ url }) => (url === '/cart' ? 'cart' : undefined) })
const server = createServer((request, response) => {
  record(request, response, async () => {
    response.end(`${await loadCart()}\n`)
    console.log(Object.keys(requests.current!.snapshot()).join(' '))
  })
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}/cart`
for (let i = 0; i < 3; i++) await (await fetch(page)).text()
server.close()
await client.close()
console.log(`sent ${client.counts.sent} lines`)
