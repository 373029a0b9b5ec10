/**
 * One column of an answer while cells are added to its steps: increments as plain numbers while
 * these are exact, all else as cells.
 */
import type { Cell } from '../../../model/index.ts'
import type { Block } from '../../codec/index.ts'
import { rolled } from './blocks.ts'
import { CellSum, entriesOf, type WindowFrame } from './entries.ts'

/** Times of an answer: `length` steps from an instant on. */
interface TimeSteps {
  readonly fromMs: number
  readonly stepMs: number
  readonly length: number
}

export class ColumnSum {
  readonly #steps: TimeSteps
  /** Increments by step; NaN where there is none, or where the cell has it. */
  readonly #increments: Float64Array
  readonly #cells: CellSum[] = []
  readonly #isOne: boolean

  /** @param isOne whether all that is added is of one series, the oldest first */
  constructor(steps: TimeSteps, isOne: boolean) {
    this.#steps = steps
    this.#isOne = isOne
    this.#increments = new Float64Array(steps.length).fill(Number.NaN)
  }

  /** Adds the cells of a window that are in the steps, which are whole cells. */
  add(block: Block, frame: WindowFrame): void {
    const { fromMs, stepMs, length } = this.#steps
    const before = Math.floor((frame.startMs - fromMs) / stepMs)
    const to = { startMs: fromMs + before * stepMs, widthMs: stepMs }
    const inside = within(block, frame, fromMs, fromMs + length * stepMs)
    if (inside === undefined) return
    const wide = rolled(inside, frame, to)
    if (wide.kind === 'counter' && wide.wide.size === 0) {
      for (let row = 0; row < wide.values.length; row++) {
        const step = before + wide.places[row]!
        if (step >= 0 && step < length) this.#count(step, wide.values[row]!)
      }
      return
    }
    for (const { place, cell } of entriesOf(wide, to)) {
      const step = before + place
      if (step >= 0 && step < length) this.#merge(step, cell)
    }
  }

  #count(step: number, delta: number): void {
    const held = this.#increments[step]!
    if (Number.isNaN(held) && this.#cells[step] === undefined) {
      this.#increments[step] = delta
      return
    }
    const sum = held + delta
    if (sum <= Number.MAX_SAFE_INTEGER) this.#increments[step] = sum
    else this.#merge(step, { kind: 'counter', delta })
  }

  #merge(step: number, cell: Cell): void {
    const sum = this.#cells[step] ?? new CellSum()
    this.#cells[step] = sum
    const held = this.#increments[step]!
    if (!Number.isNaN(held)) sum.add({ kind: 'counter', delta: held })
    this.#increments[step] = Number.NaN
    sum.add(cell, this.#isOne)
  }

  /** Gives the cells of all steps. */
  cells(): (Cell | undefined)[] {
    return Array.from(this.#increments, (delta, step) => {
      return Number.isNaN(delta) ? this.#cells[step]?.cell : { kind: 'counter', delta }
    })
  }
}

/** Leaves out distributions that end outside of (from, to], which would be merged in vain. */
function within(block: Block, frame: WindowFrame, fromMs: number, toMs: number): Block | undefined {
  if (block.kind !== 'histogram' && block.kind !== 'summary') return block
  const first = (fromMs - frame.startMs) / frame.widthMs
  const end = (toMs - frame.startMs) / frame.widthMs
  const { places } = block
  if (places[0]! >= first && places.at(-1)! < end) return block
  const rows = [...places.keys()].filter((row) => places[row]! >= first && places[row]! < end)
  if (rows.length === 0) return undefined
  const chosen = Uint32Array.from(rows, (row) => places[row]!)
  return block.kind === 'histogram'
    ? { kind: 'histogram', places: chosen, cells: rows.map((row) => block.cells[row]!) }
    : { kind: 'summary', places: chosen, cells: rows.map((row) => block.cells[row]!) }
}
