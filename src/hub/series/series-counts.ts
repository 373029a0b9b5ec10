/** Numbers of the series of each dialect and source. */
import { isDecrements, type SeriesRecord } from './record.ts'

/**
 * Counts of series, kept as these come and leave: to count them anew takes long when there are
 * many.
 */
export class SeriesCounts {
  /** Counts by dialect, and in it by source; the empty one stands for all. */
  readonly #byDialect = new Map<string, Map<string, number>>()

  /** @param source of all where it is left out */
  of(dialect: string, source = ''): number {
    return this.#byDialect.get(dialect)?.get(source) ?? 0
  }

  change(record: SeriesRecord, by: 1 | -1): void {
    if (isDecrements(record)) return
    const { dialect } = record.metadata
    let counts = this.#byDialect.get(dialect)
    if (counts === undefined) {
      counts = new Map()
      this.#byDialect.set(dialect, counts)
    }
    for (const key of ['', record.source]) {
      const count = (counts.get(key) ?? 0) + by
      if (count > 0) counts.set(key, count)
      else counts.delete(key)
    }
  }
}
