/**
 * A gauge that peers set: its place in the zone, which holds the last value of all, and the row
 * that holds what its values went through in the second at hand.
 */
import type { Exact } from '../../../model/index.ts'
import type { GaugeHandle, Writer } from '../../../shm/index.ts'
import type { ValuePage, ValueRow, ValueRows } from './value-pages.ts'

export class SetGauge {
  readonly #handle: GaugeHandle
  readonly #memory: Writer['memory']
  readonly #row: ValueRow
  readonly #page: ValuePage
  readonly #at: number

  constructor(handle: GaugeHandle, { memory }: Writer, rows: ValueRows) {
    this.#handle = handle
    this.#memory = memory
    this.#row = rows.take(handle.metric)
    this.#page = this.#row.page
    this.#at = this.#row.at
  }

  /**
   * Sets the value; NaN ends it. The row has it before the zone does, and the zone's order of all
   * writes is counted between the two looks at the epoch: where that is still the same, the row was
   * written before the tick ended the window, and where it is not, the next window has the value,
   * too. So none is left out, and one at the turn of a second may be of both.
   */
  set(value: Exact): void {
    const number = Number(value)
    const { epoch } = this.#memory
    const before = epoch[0]!
    if (!Number.isNaN(number)) this.#page.see(this.#at, number, before)
    this.#handle.set(value)
    const after = Atomics.load(epoch, 0)
    if (after !== before && !Number.isNaN(number)) this.#page.see(this.#at, number, after)
  }

  /** Gives the row back; nothing may be set any more. */
  leave(rows: ValueRows): void {
    rows.giveBack(this.#row)
  }
}
