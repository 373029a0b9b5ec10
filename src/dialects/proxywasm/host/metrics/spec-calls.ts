/**
 * Metric calls as the ABI's text and this project's choices have them: statuses only, ids 1, 2, 3 …
 * over the whole zone. `record` answers nothing but OK and NOT_FOUND, because SDKs give up on any
 * other status.
 */
import { STATUS } from '../abi.ts'
import type { FilterVm } from '../instance/vm.ts'
import type { MetricCell, MetricCells } from './cells.ts'
import type { FilterDefinitions } from './definitions.ts'
import { giveValue, type MetricCalls, refuse, typeOf } from './metric-calls.ts'

export class SpecCalls implements MetricCalls {
  readonly #vm: FilterVm
  readonly #definitions: FilterDefinitions
  readonly #cells: MetricCells

  constructor(vm: FilterVm, definitions: FilterDefinitions, cells: MetricCells) {
    this.#vm = vm
    this.#definitions = definitions
    this.#cells = cells
  }

  define(typeCode: number, nameAt: number, nameSize: number, idAt: number): number {
    const { memory } = this.#vm
    if (!memory.has(nameAt, nameSize) || !memory.has(idAt, 4)) return this.#vm.badPointer()
    const type = typeOf(typeCode)
    if (type === undefined) return refuse(this.#vm, STATUS.badArgument)
    const answer = this.#definitions.define(nameAt, nameSize, type)
    if (typeof answer === 'number') {
      memory.setU32(idAt, answer + 1)
      return STATUS.ok
    }
    const isTheirs = answer === 'type_mismatch' || answer === 'key_too_long'
    return refuse(this.#vm, isTheirs ? STATUS.badArgument : STATUS.internalFailure)
  }

  increment(id: number, delta: bigint): number {
    const cell = this.#cell(id)
    if (cell === undefined) return refuse(this.#vm, STATUS.notFound)
    const isAllowed = cell.type === 'counter' ? delta >= 0n : cell.type === 'gauge'
    if (!isAllowed) return refuse(this.#vm, STATUS.badArgument)
    return this.#answer(this.#cells.add(cell, delta))
  }

  record(id: number, value: bigint): number {
    const cell = this.#cell(id)
    if (cell === undefined) return refuse(this.#vm, STATUS.notFound)
    const isCounter = cell.type === 'counter'
    return this.#answer(
      isCounter ? this.#cells.setTotal(cell, value) : this.#cells.set(cell, value),
    )
  }

  get(id: number, valueAt: number): number {
    if (!this.#vm.memory.has(valueAt, 8)) return this.#vm.badPointer()
    const cell = this.#cell(id)
    if (cell === undefined) return refuse(this.#vm, STATUS.notFound)
    if (cell.type === 'histogram') return refuse(this.#vm, STATUS.badArgument)
    const value = this.#cells.value(cell)
    if (value === undefined) return refuse(this.#vm, STATUS.notFound)
    return giveValue(this.#vm, valueAt, value)
  }

  #answer(isDone: boolean): number {
    return isDone ? STATUS.ok : refuse(this.#vm, STATUS.notFound)
  }

  #cell(id: number): MetricCell | undefined {
    return this.#cells.at(id - 1)
  }
}
