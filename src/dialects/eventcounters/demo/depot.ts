/**
 * An invented parcel depot, as an application that is instrumented with event counters: all four
 * kinds and a counter with labels. Every minute a belt stands still for a while.
 */
import {
  type BoundCounter,
  Counter,
  type CounterRegistry,
  EventCounter,
  EventSource,
  IncrementingEventCounter,
  IncrementingPollingCounter,
  PollingCounter,
} from '../../../instrument/index.ts'
import { createRandom } from '../../command-line.ts'

const SEED = 11
const CHUTES = ['north', 'south', 'island'] as const
const JAM_PERIOD_S = 60
const JAM_S = 12
const METRES_PER_S = 1.8

/** The depot itself: time passes by `step`. */
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
