/**
 * The four metric calls of one instance, under the rules of its host mode: which operations a
 * metric has is a table (operations.ts), how the hosts answer is answers.ts.
 */
import { OPERATIONS, type Operations } from '../../operations.ts'
import { STATUS } from '../abi.ts'
import type { FilterVm } from '../instance/vm.ts'
import type { MetricSpace } from '../metric-space.ts'
import { EnvoyAnswers, type HostAnswers, NginxAnswers, SpecAnswers } from './answers.ts'
import { type MetricCell, MetricCells } from './cells.ts'
import type { CrcIds } from './crc-ids.ts'
import { FilterDefinitions } from './definitions.ts'

const I64_MIN = -(2n ** 63n)

/** Ids are u32, deltas and values signed as JavaScript gets an i64. Each call answers a status. */
export class MetricCalls {
  readonly #vm: FilterVm
  readonly #cells: MetricCells
  readonly #operations: Operations
  /** Bound {@link Operations.incrementMin} as a bigint: one compares faster with its like. */
  readonly #incrementMin: bigint
  readonly #answers: HostAnswers

  constructor(vm: FilterVm, space: MetricSpace, ids: CrcIds) {
    this.#vm = vm
    this.#cells = new MetricCells(space, vm.counts)
    this.#operations = OPERATIONS[space.host]
    const { incrementMin } = this.#operations
    this.#incrementMin = incrementMin === -Infinity ? I64_MIN : BigInt(incrementMin)
    this.#answers = answersOf(vm, space, ids)
  }

  define(type: number, nameAt: number, nameSize: number, idAt: number): number {
    const { memory } = this.#vm
    if (!memory.has(nameAt, nameSize) || !memory.has(idAt, 4)) return this.#vm.badPointer()
    return this.#answers.define(type, nameAt, nameSize, idAt)
  }

  increment(id: number, delta: bigint): number {
    const cell = this.#cell(id)
    if (cell === undefined) return this.#answers.missing('increment', id)
    const isAllowed =
      cell.type === 'counter'
        ? delta >= this.#incrementMin
        : cell.type === 'gauge' && this.#operations.incrementsGauges
    if (!isAllowed) return this.#answers.forbidden('increment', id)
    const isAdded = this.#cells.add(cell, delta)
    if (isAdded === 'full') return this.#answers.forbidden('increment', id)
    return isAdded ? STATUS.ok : this.#answers.missing('increment', id)
  }

  record(id: number, value: bigint): number {
    const cell = this.#cell(id)
    if (cell === undefined) return this.#answers.missing('record', id)
    const { recordToCounter } = this.#operations
    if (cell.type === 'counter' && recordToCounter === 'refused') {
      return this.#answers.forbidden('record', id)
    }
    return this.#record(cell, value) ? STATUS.ok : this.#answers.missing('record', id)
  }

  #record(cell: MetricCell, value: bigint): boolean {
    if (cell.type !== 'counter') return this.#cells.set(cell, value)
    return this.#operations.recordToCounter === 'adds'
      ? this.#cells.add(cell, value) === true
      : this.#cells.setTotal(cell, value)
  }

  get(id: number, valueAt: number): number {
    const { memory } = this.#vm
    if (!memory.has(valueAt, 8)) return this.#vm.badPointer()
    const cell = this.#cell(id)
    if (cell === undefined) return this.#answers.missing('get', id)
    if (cell.type === 'histogram') return this.#answers.forbidden('get', id)
    const value = this.#cells.value(cell)
    if (value === undefined) return this.#answers.missing('get', id)
    memory.setU64(valueAt, value)
    return STATUS.ok
  }

  #cell(id: number): MetricCell | undefined {
    return this.#cells.at(this.#answers.metricOf(id))
  }
}

function answersOf(vm: FilterVm, space: MetricSpace, ids: CrcIds): HostAnswers {
  const definitions = new FilterDefinitions(vm, space)
  switch (space.host) {
    case 'spec':
      return new SpecAnswers(vm, definitions)
    case 'nginx':
      return new NginxAnswers(vm, definitions, ids)
    case 'envoy':
      return new EnvoyAnswers(vm, definitions)
  }
}
