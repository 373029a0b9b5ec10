/**
 * Above a series limit new names are refused, but what they would have counted is not lost: one
 * overflow series per dialect and kind takes their increments and observations. Gauges and readings
 * of many names have no sum, so for them a refusal is only counted.
 */
import type { Identity, Kind } from '../../model/index.ts'
import { OWN_MEANINGS } from '../status/own-meanings.ts'
import { OWN_SOURCE, type SeriesDefiner } from './definition.ts'

const NAME = 'pentameter.overflow'

export class OverflowSlots {
  /** Type word of overflow keys in the key table; dialects count theirs from 0. */
  static readonly TYPE = 255
  readonly #dialect: string
  readonly #series: SeriesDefiner
  readonly #slots = new Map<Kind, number>()

  constructor(dialect: string, series: SeriesDefiner) {
    this.#dialect = dialect
    this.#series = series
  }

  /**
   * Forgets a slot that is given back: its series has left, and is made again when needed.
   * @returns whether it was one of these
   */
  forget(slot: number): boolean {
    for (const [kind, held] of this.#slots) if (held === slot) return this.#slots.delete(kind)
    return false
  }

  /** Tells whether a slot is one of these. */
  has(slot: number): boolean {
    for (const held of this.#slots.values()) if (held === slot) return true
    return false
  }

  /** Gives the slot of the overflow series of a kind; `bind` makes it when it is first needed. */
  slot(kind: Kind, bind: (metric: number, identity: Identity, key: Uint8Array) => number): number {
    const known = this.#slots.get(kind)
    if (known !== undefined) return known
    const identity: Identity = { name: NAME, kind, labels: [['dialect', this.#dialect]] }
    const record = this.#series.define({
      identity,
      metadata: { dialect: 'hub', description: OWN_MEANINGS[NAME]! },
      source: OWN_SOURCE,
    })
    if (typeof record === 'string') return -1
    const slot = bind(record.metric, identity, new TextEncoder().encode(`${NAME}.${kind}`))
    this.#slots.set(kind, slot)
    return slot
  }
}
