/**
 * EventCounters' part in the demo: a parcel depot, and what Node says of this process, on an
 * endpoint of its own to which the hub attaches.
 */
import { CounterRegistry, EventCountersServer, nodeRuntime } from '../../../instrument/index.ts'
import { type Demo, repeat } from '../../command-line.ts'
import { Depot } from './depot.ts'

const STEP_MS = 100

export const demo: Demo = {
  description:
    'The hub reads the event counters of a parcel depot, with what Node says of this process; ' +
    'every minute a belt stands still for 12 seconds.',
  async prepare({ clock }) {
    const registry = new CounterRegistry({ clock })
    const depot = new Depot(registry)
    nodeRuntime(registry)
    const served = new EventCountersServer({ registry, host: '127.0.0.1', port: 0 })
    await served.start()
    const cancel = repeat(clock, STEP_MS, () => depot.step(STEP_MS / 1000))
    return {
      attach: [served.url],
      end() {
        cancel()
        return served.close()
      },
    }
  },
}
