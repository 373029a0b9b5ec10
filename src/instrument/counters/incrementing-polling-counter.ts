/** The growth of a total that a callback gives (eventcounters.md §4.5). */
import type { EventSource } from '../event-source.ts'
import type { RateCounterOptions } from './options.ts'
import { growing } from './served.ts'
import { RateCounter } from './source-counter.ts'

export class IncrementingPollingCounter extends RateCounter {
  /**
   * @param callback gives the total, when a session opens and at each boundary; after one that
   *   failed the next payload covers the time since the last that did not
   */
  constructor(
    name: string,
    source: EventSource,
    callback: () => number,
    options: RateCounterOptions = {},
  ) {
    super(name, source, options, growing(name, source, callback))
  }
}
