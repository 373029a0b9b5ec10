/**
 * Runs a Proxy-Wasm filter in a thread of its own and shows what it wrote: a file you name, or the
 * test filter that counts requests.
 * Run: npx node examples/host-filter.ts [FILTER.wasm]
 */
import { readFile } from 'node:fs/promises'
import { FilterModule, FilterThread, zoneSpaceSource } from 'pentameter/proxywasm'
import { Zone } from 'pentameter/shm'
import { filterFile } from '../test/filters/compile.ts'

const file = process.argv[2] ?? (await filterFile('raw'))
const module = await FilterModule.compile(await readFile(file))
console.log(`ABI ${module.abi}, imports without a service: ${module.unknownImports.length}`)

// A zone in WebAssembly's memory: the filter's metric calls do not go through JavaScript.
const zone = Zone.create({ backing: 'wasm' })
const filter = await FilterThread.start(
  module,
  { name: 'example', configuration: 'any text' },
  { space: zoneSpaceSource({ shared: zone.shared }), onLog: ({ text }) => console.error(text) },
)
for (let i = 0; i < 100; i++) await filter.request({ headers: [[':path', `/${i}`]] })
await filter.close()

const reader = zone.reader()
for (let metric = 0; metric < zone.metrics; metric++) {
  const name = Buffer.from(zone.key(metric)).toString()
  const type = zone.type(metric)
  if (type === 'counter') console.log(name, reader.counter(metric))
  if (type === 'dense') console.log(name, 'sum', reader.dense(metric).sum)
}
const { requests, requestsFailed, traps } = filter.statistics()
console.log(`${requests} requests, ${requestsFailed} failed, ${traps} traps`)
