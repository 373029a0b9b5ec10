/** A value that a callback gives once per boundary (eventcounters.md §4.4). */
import type { EventSource } from '../event-source.ts'
import type { CounterOptions } from './options.ts'
import { polled } from './served.ts'
import { SourceCounter } from './source-counter.ts'

export class PollingCounter extends SourceCounter {
  /**
   * @param callback gives the value; one that throws, or returns no finite number, is left out of
   *   that boundary and counted
   */
  constructor(
    name: string,
    source: EventSource,
    callback: () => number,
    options: CounterOptions = {},
  ) {
    super(name, source, options, polled(name, source, callback))
  }
}
