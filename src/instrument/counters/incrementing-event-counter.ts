/** Increments whose sum a session gets per interval (eventcounters.md §4.5). */
import type { EventSource } from '../event-source.ts'
import type { RecordedCounter } from '../recording/recorded-counter.ts'
import type { RateCounterOptions } from './options.ts'
import { recorded } from './served.ts'
import { RateCounter } from './source-counter.ts'

export class IncrementingEventCounter extends RateCounter<RecordedCounter> {
  readonly #samples: RecordedCounter
  /** Here too: with nobody listening the counter itself is all that is looked at. */
  #isListened = false

  constructor(name: string, source: EventSource, options: RateCounterOptions = {}) {
    super(name, source, options, recorded('sum', name, source))
    this.#samples = this.served
    this.#samples.onListened((isListened) => {
      this.#isListened = isListened
    })
  }

  /** Adds any finite number, fractions and negative ones too. Never throws; others are refused. */
  increment(by = 1): void {
    if (this.#isListened) this.#samples.record(by)
  }
}
