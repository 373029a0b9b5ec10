/**
 * Metric calls as nginx's host answers them (peer): any mistake is a trap with its text, ids are
 * the CRC-32 of the prefixed names, a counter takes any delta and no record.
 */
import { STATUS } from '../abi.ts'
import type { FilterVm } from '../instance/vm.ts'
import type { MetricCell, MetricCells } from './cells.ts'
import type { CrcIds } from './crc-ids.ts'
import type { FilterDefinitions } from './definitions.ts'
import { giveValue, type MetricCalls, shownName, typeOf } from './metric-calls.ts'

export class NginxCalls implements MetricCalls {
  readonly #vm: FilterVm
  readonly #definitions: FilterDefinitions
  readonly #cells: MetricCells
  readonly #ids: CrcIds

  constructor(vm: FilterVm, definitions: FilterDefinitions, cells: MetricCells, ids: CrcIds) {
    this.#vm = vm
    this.#definitions = definitions
    this.#cells = cells
    this.#ids = ids
  }

  define(typeCode: number, nameAt: number, nameSize: number, idAt: number): number {
    const { memory } = this.#vm
    if (!memory.has(nameAt, nameSize) || !memory.has(idAt, 4)) return this.#vm.badPointer()
    const type = typeOf(typeCode)
    const name = shownName(this.#vm, nameAt, nameSize)
    if (type === undefined) {
      this.#vm.trap(`could not define metric "${name}": unknown type "${typeCode >>> 0}"`)
    }
    let metric = this.#definitions.find(nameAt, nameSize)
    if (metric < 0) {
      const answer = this.#definitions.define(nameAt, nameSize, type)
      metric = typeof answer === 'number' ? answer : this.#definitions.find(nameAt, nameSize)
      if (answer === 'key_too_long') {
        this.#vm.trap(`could not define metric: name "${name}" too long`)
      }
    }
    if (metric < 0) {
      const advice = 'no memory (increase "slab_size" directive)'
      this.#vm.trap(`could not define metric "${name}": ${advice}`)
    }
    memory.setU32(idAt, this.#ids.idOf(metric))
    return STATUS.ok
  }

  increment(id: number, delta: bigint): number {
    const failed = `could not increment metric id "${id}"`
    const cell = this.#cell(id, failed)
    if (cell.type !== 'counter') this.#vm.trap(`${failed}: metric not a counter`)
    if (!this.#cells.add(cell, delta)) this.#vm.trap(`${failed}: metric not found`)
    return STATUS.ok
  }

  record(id: number, value: bigint): number {
    const failed = `could not record value in metric id "${id}"`
    const cell = this.#cell(id, failed)
    if (cell.type === 'counter') this.#vm.trap(`${failed}: metric is a counter`)
    if (!this.#cells.set(cell, value)) this.#vm.trap(`${failed}: metric not found`)
    return STATUS.ok
  }

  get(id: number, valueAt: number): number {
    if (!this.#vm.memory.has(valueAt, 8)) return this.#vm.badPointer()
    const failed = `could not retrieve metric id "${id}"`
    const cell = this.#cell(id, failed)
    if (cell.type === 'histogram') this.#vm.trap(`${failed}: metric is a histogram`)
    const value = this.#cells.value(cell) ?? this.#vm.trap(`${failed}: metric not found`)
    return giveValue(this.#vm, valueAt, value)
  }

  #cell(id: number, failed: string): MetricCell {
    const cell = this.#cells.at(this.#ids.metricOf(id))
    return cell ?? this.#vm.trap(`${failed}: metric not found`)
  }
}
