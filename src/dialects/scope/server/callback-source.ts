/**
 * A source of values for a server without a hub: named callbacks, read when a snapshot is due. A
 * callback that throws costs its own value only.
 */
import { type Labels, type Metadata, sortLabels } from '../../../model/index.ts'
import { NO_REPORTS, type Reports } from '../../endpoints.ts'
import type { CanonicalSeries, SnapshotSource } from '../../snapshot-source.ts'
import { NAME } from '../spec.ts'

/** Metadata that viewers are told of a value: unit, plot, colour, labels. */
export interface CallbackSeries extends Omit<Metadata, 'dialect'> {
  readonly labels?: Readonly<Record<string, string>>
}

interface Entry extends CanonicalSeries {
  readonly read: () => number | bigint
  hasFailed: boolean
}

/**
 * Series whose values are asked for when a snapshot is made.
 *
 * @example
 * import { CallbackSource } from 'pentameter/scope'
 *
 * const values = new CallbackSource()
 * const remove = values.add('queue.depth', () => 3, { labels: { queue: 'orders' } })
 * remove()
 */
export class CallbackSource implements SnapshotSource {
  readonly #reports: Reports
  #entries: Entry[] = []
  #revision = 0

  constructor(reports: Reports = NO_REPORTS) {
    this.#reports = reports
  }

  get revision(): number {
    return this.#revision
  }

  /**
   * Adds a gauge; it is in the next snapshot.
   * @param read gives the value; NaN = none
   * @returns a function that takes the series away again
   */
  add(name: string, read: () => number | bigint, about: CallbackSeries = {}): () => void {
    const { labels, ...metadata } = about
    const pairs: Labels = sortLabels(Object.entries(labels ?? {}))
    const entry: Entry = {
      identity: { name, kind: 'gauge', labels: pairs },
      metadata: { dialect: NAME, ...metadata },
      isEstimated: false,
      read,
      hasFailed: false,
    }
    this.#entries.push(entry)
    this.#revision++
    return () => {
      this.#entries = this.#entries.filter((each) => each !== entry)
      this.#revision++
    }
  }

  list(): readonly CanonicalSeries[] {
    return this.#entries
  }

  read(target: Float64Array): void {
    this.#entries.forEach((entry, i) => {
      try {
        target[i] = Number(entry.read())
      } catch (error) {
        target[i] = Number.NaN
        this.#fail(entry, error)
      }
    })
  }

  #fail(entry: Entry, error: unknown): void {
    this.#reports.count('value_errors', 'callback')
    if (entry.hasFailed) return
    entry.hasFailed = true
    this.#reports.log('error', 'reading a value failed', { name: entry.identity.name, error })
  }
}
