/**
 * An invented parcel depot, as an application that is instrumented with event counters: all four
 * kinds, a counter with labels, and what Node says of the process, on an endpoint of its own to
 * which the hub attaches. Every minute a belt stands still for a while.
 */

import { createRandom } from '../../../cli/demo/random.ts'
import {
  type BoundCounter,
  Counter,
  CounterRegistry,
  EventCounter,
  EventSource,
  IncrementingEventCounter,
  IncrementingPollingCounter,
  nodeRuntime,
  PollingCounter,
  serveEventCounters,
} from '../../../instrument/index.ts'
import type { Clock } from '../../../time/clock.ts'

const STEP_MS = 100
const SEED = 11
const CHUTES = ['north', 'south', 'island'] as const
const JAM_PERIOD_S = 60
const JAM_S = 12
const METRES_PER_S = 1.8

/** What happens in the depot, apart from who watches. */
export class Depot {
  readonly #random = createRandom(SEED)
  readonly #sortingTime: EventCounter
  readonly #parcels: IncrementingEventCounter
  readonly #byChute: readonly BoundCounter[]
  #seconds = 0
  #waiting = 20
  #metres = 0

  constructor(registry: CounterRegistry) {
    const source = new EventSource('Depot.Sorting', { registry })
    this.#sortingTime = new EventCounter('sorting-time', source, {
      displayName: 'Sorting Time',
      displayUnits: 'ms',
    })
    this.#parcels = new IncrementingEventCounter('parcels', source, {
      displayName: 'Parcels',
      displayRateTimeScale: 60,
    })
    new PollingCounter('parcels-waiting', source, () => this.#waiting, {
      displayName: 'Parcels Waiting',
    })
    new IncrementingPollingCounter('belt-distance', source, () => this.#metres, {
      displayName: 'Belt Distance',
      displayUnits: 'm',
      displayRateTimeScale: 1,
    })
    const delivered = new Counter('parcels-delivered', source, { labels: ['chute'] })
    this.#byChute = CHUTES.map((chute) => delivered.with({ chute }))
  }

  step(seconds: number): void {
    this.#seconds += seconds
    const isJammed = this.#seconds % JAM_PERIOD_S > JAM_PERIOD_S - JAM_S
    this.#waiting += Math.round(this.#random() * 9)
    if (isJammed) return
    this.#metres += METRES_PER_S * seconds
    const sorted = Math.min(this.#waiting, 3 + Math.round(this.#random() * 5))
    this.#waiting -= sorted
    for (let i = 0; i < sorted; i++) {
      this.#sortingTime.writeMetric(40 * Math.exp(this.#random() - 0.5) + this.#waiting / 10)
      this.#byChute[Math.floor(this.#random() ** 2 * CHUTES.length)]!.add()
    }
    this.#parcels.increment(sorted)
  }
}

export interface RunningDepot {
  /** Address of its counters. */
  readonly url: string
  stop(): Promise<void>
}

export async function startDepot(host: string, clock: Clock): Promise<RunningDepot> {
  const registry = new CounterRegistry({ clock })
  const depot = new Depot(registry)
  nodeRuntime(registry)
  const served = await serveEventCounters({ registry, host, port: 0 })
  let cancel = (): void => {}
  const step = (): void => {
    depot.step(STEP_MS / 1000)
    cancel = clock.after(STEP_MS, step)
  }
  step()
  return {
    url: served.url,
    async stop() {
      cancel()
      await served.close()
    },
  }
}
