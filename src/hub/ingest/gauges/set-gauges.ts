/**
 * Gauges that peers set, by slot: the handle of each in the zone, which holds the last value of
 * all, and the row that holds what its values went through in the second at hand.
 */
import type { Exact } from '../../../model/index.ts'
import type { GaugeHandle, Writer } from '../../../shm/index.ts'
import { NumberedInts, NumberedList } from '../../series/numbered-list.ts'
import type { ValueRows } from './value-pages.ts'

export class SetGauges {
  readonly #memory: Writer['memory']
  readonly #rows: ValueRows
  readonly #handles = new NumberedList<GaugeHandle>()
  readonly #rowOf = new NumberedInts()

  constructor({ memory }: Writer, rows: ValueRows) {
    this.#memory = memory
    this.#rows = rows
  }

  add(slot: number, handle: GaugeHandle): void {
    this.#handles.set(slot, handle)
    this.#rowOf.set(slot, this.#rows.take(handle.metric))
  }

  /** Tells whether a slot is that of a gauge. */
  has(slot: number): boolean {
    return this.#handles.get(slot) !== undefined
  }

  /**
   * Sets the value; NaN ends it. The row has it before the zone does, and the zone's order of all
   * writes is counted between the two looks at the epoch: where that is still the same, the row was
   * written before the tick ended the window, and where it is not, the next window has the value,
   * too. So none is left out, and one at the turn of a second may be of both.
   */
  set(slot: number, value: Exact): void {
    const handle = this.#handles.get(slot)
    if (handle === undefined) return
    const number = Number(value)
    const row = Number.isNaN(number) ? -1 : this.#rowOf.get(slot)
    const { epoch } = this.#memory
    const before = epoch[0]!
    if (row >= 0) this.#rows.see(row, number, before)
    handle.set(value)
    const after = Atomics.load(epoch, 0)
    if (after !== before && row >= 0) this.#rows.see(row, number, after)
  }

  /** Gives the row back. */
  delete(slot: number): void {
    if (!this.has(slot)) return
    this.#handles.delete(slot)
    this.#rows.giveBack(this.#rowOf.get(slot))
    this.#rowOf.set(slot, -1)
  }
}
