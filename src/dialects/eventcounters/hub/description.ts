/** Descriptions of the hub's series as EventCounters, kept with their records. */
import type { SeriesRecord } from '../../../hub/series/record.ts'
import { describeCounter } from '../codec/description.ts'
import type { CounterDescription } from '../window.ts'

/** Descriptions by record that is kept, made anew when its metadata has changed. */
export class Descriptions {
  readonly #known = new WeakMap<SeriesRecord, Known>()

  of(record: SeriesRecord): CounterDescription {
    const known = this.#known.get(record)
    if (known !== undefined && known.metadata === record.metadata) return known.description
    const description = describeCounter(record)
    this.#known.set(record, { metadata: record.metadata, description })
    return description
  }
}

interface Known {
  readonly metadata: SeriesRecord['metadata']
  readonly description: CounterDescription
}
