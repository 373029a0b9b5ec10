/** `pentameter demo`: a hub on its defaults with traffic of every dialect over real sockets. */
import type { Command } from 'commander'
import { startDepot } from '../dialects/eventcounters/demo/depot.ts'
import { writeFront } from '../dialects/proxywasm/demo/front.ts'
import { dialect as proxywasm } from '../dialects/proxywasm/dialect.ts'
import type { FilterConfig } from '../dialects/proxywasm/options.ts'
import { DIALECTS } from '../dialects/registry.ts'
import { startStation } from '../dialects/scope/demo/station.ts'
import { dialectOptions } from '../hub/config/config.ts'
import { parseConfig, systemClock } from '../hub/index.ts'
import { startTraffic } from './demo/traffic.ts'
import { runHub } from './run-hub.ts'
import { addServeOptions, readConfig, type ServeArguments } from './serve-options.ts'

const EXAMPLES = `
Two invented web shops report what they do, a Proxy-Wasm filter stands in front of one, the hub
reads a measuring station as a scope viewer would, and the event counters of a parcel depot, with
what Node says of this process; a scope viewer is attached to the hub, and three workers of an
exchange report their pipelines. Every 90 seconds payments are slow for 30, and one computation of
the exchange is slow on one worker: find them.

Examples:
  $ pentameter demo
  $ pentameter demo --http-port 8080
  $ pentameter demo --http-port 0 --text-port 0 --stream-port 0`

const NS_PER_S = 1e9

export function addDemo(program: Command): void {
  addServeOptions(program.command('demo'))
    .description('start a hub and traffic to look at')
    .addHelpText('after', EXAMPLES)
    .action(async (args: ServeArguments) => {
      const config = await readConfig(args)
      const startNs = systemClock.monotonicNs()
      const nowS = (): number => Number(systemClock.monotonicNs() - startNs) / NS_PER_S
      const station = await startStation('127.0.0.1', nowS)
      const front = await writeFront()
      const depot = await startDepot('127.0.0.1', systemClock)
      const attach = [...config.attach, `scope://127.0.0.1:${station.port}`, depot.url]
      const own = dialectOptions(config, proxywasm.name)
      const filters = [...(own.filters as readonly FilterConfig[]), front.filter]
      const whole = { ...config, attach, proxywasm: { ...own, filters } }
      await runHub(parseConfig(whole, DIALECTS), args, (addresses, log) =>
        startTraffic(addresses, systemClock, log),
      )
      await depot.stop()
      await station.stop()
      await front.remove()
    })
}
