/** Samples whose statistics a session gets per interval (eventcounters.md §4.4). */
import type { Histogram } from '../../model/index.ts'
import type { EventSource } from '../event-source.ts'
import type { RecordedCounter } from '../recording/recorded-counter.ts'
import { SampleHistogram } from '../recording/sample-histogram.ts'
import type { CounterOptions } from './options.ts'
import { recorded } from './served.ts'
import { SourceCounter } from './source-counter.ts'

export interface EventCounterOptions extends CounterOptions {
  /** Keeps a base-2 histogram of all samples too, whether or not a session is open. */
  readonly histogram?: boolean
}

export class EventCounter extends SourceCounter<RecordedCounter> {
  readonly #samples: RecordedCounter
  /** Here too: with nobody listening the counter itself is all that is looked at. */
  #isListened = false
  readonly #histogram: SampleHistogram | undefined

  constructor(name: string, source: EventSource, options: EventCounterOptions = {}) {
    super(name, source, options, recorded('mean', name, source))
    this.#samples = this.served
    this.#samples.onListened((isListened) => {
      this.#isListened = isListened
    })
    if (options.histogram !== true) return
    this.#histogram = new SampleHistogram()
    this.#samples.listen(this.#histogram)
  }

  /** Records a sample. Never throws; one that is no finite number is refused and counted. */
  writeMetric(value: number): void {
    if (this.#isListened) this.#samples.record(value)
  }

  /** All samples since the counter was made, as a copy; undefined without the option. */
  get histogram(): Histogram | undefined {
    this.#samples.flush()
    return this.#histogram?.read()
  }
}
