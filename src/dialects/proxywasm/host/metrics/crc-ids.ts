/**
 * Ids of nginx's host: the CRC-32 of a metric's prefixed name. Where two names have the same, the
 * second metric takes the next id that is free (the peer would make them one metric). Every thread
 * walks the metrics in the order of their numbers, so all come to the same ids without a word to
 * each other. Id 0 is never given.
 */
import { crc32 } from '../../names.ts'
import type { MetricSpace } from '../metric-space.ts'
import type { FilterCounts } from '../statistics.ts'

interface Named {
  readonly crc: number
  readonly id: number
}

export class CrcIds {
  readonly #space: MetricSpace
  readonly #counts: FilterCounts
  readonly #metrics = new Map<number, number>()
  /** Names by metric. */
  readonly #named: (Named | undefined)[] = []
  /** Metrics below it have been looked at. */
  #walked = 0

  constructor(space: MetricSpace, counts: FilterCounts) {
    this.#space = space
    this.#counts = counts
  }

  /**
   * Gives the id of a metric that was just defined: its number may have had another name before.
   */
  idOf(metric: number): number {
    this.#walk()
    const name = this.#space.prefixedName(metric)
    const known = this.#named[metric]
    if (name === undefined) return 0
    const crc = crc32(name)
    if (known !== undefined && known.crc === crc) return known.id
    if (known !== undefined) this.#metrics.delete(known.id)
    return this.#assign(metric, crc)
  }

  /** Finds the metric of an id, or -1. */
  metricOf(id: number): number {
    this.#walk()
    return this.#metrics.get(id) ?? -1
  }

  #walk(): void {
    const { metrics } = this.#space.zone
    for (; this.#walked < metrics; this.#walked++) {
      const name = this.#space.prefixedName(this.#walked)
      if (name !== undefined) this.#assign(this.#walked, crc32(name))
    }
  }

  #assign(metric: number, crc: number): number {
    let id = crc
    while (id === 0 || this.#metrics.has(id)) id = (id + 1) >>> 0
    if (id !== crc && crc !== 0) this.#counts.add('idCollisions')
    this.#metrics.set(id, metric)
    this.#named[metric] = { crc, id }
    return id
  }
}
