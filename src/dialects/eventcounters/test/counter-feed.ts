/** EventCounters of an invented endpoint, fed to a hub's ingest as its client would. */

import type { Ingest } from '../../ingest.ts'
import { ReceivedCounters } from '../client/received-counters.ts'
import type { CounterDescription, MetaData, Statistics } from '../window.ts'

export interface FedCounter {
  readonly provider?: string
  readonly units?: string
  readonly displayName?: string
  readonly rateScaleSec?: number
  readonly metaData?: MetaData
}

export class CounterFeed {
  readonly #received: ReceivedCounters

  constructor(ingest: Ingest, endpoint = '127.0.0.1:4000') {
    this.#received = new ReceivedCounters(ingest, endpoint, 1e6)
  }

  sum(name: string, increment: number, counter: FedCounter = {}, intervalSec = 1): void {
    this.#take(name, counter, { kind: 'sum', increment }, intervalSec)
  }

  /** A window with these samples. */
  mean(name: string, samples: readonly number[], counter: FedCounter = {}, intervalSec = 1): void {
    const count = samples.length
    const mean = count === 0 ? 0 : samples.reduce((sum, each) => sum + each, 0) / count
    const squares = samples.reduce((sum, each) => sum + (each - mean) ** 2, 0)
    const deviation = count === 0 ? 0 : Math.sqrt(squares / count)
    const min = Math.min(...samples)
    const max = Math.max(...samples)
    this.#take(name, counter, { kind: 'mean', count, mean, deviation, min, max }, intervalSec)
  }

  #take(name: string, fed: FedCounter, statistics: Statistics, intervalSec: number): void {
    const counter: CounterDescription = {
      provider: 'Shop',
      name,
      displayName: '',
      units: '',
      rateScaleSec: 0,
      metaData: [],
      ...fed,
    }
    this.#received.take({ counter, statistics, intervalSec })
  }
}
