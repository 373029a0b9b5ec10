/**
 * Metric calls as Envoy's host answers them (peer): ids of one VM, 4n + type with n = 1, 2, … per
 * type, a new one at every definition; a name may exist once per type; `record` adds to a counter.
 */
import { FILTER_TYPES } from '../../spec.ts'
import { STATUS } from '../abi.ts'
import type { FilterVm } from '../instance/vm.ts'
import type { MetricCell, MetricCells } from './cells.ts'
import type { FilterDefinitions } from './definitions.ts'
import { giveValue, type MetricCalls, refuse, typeOf } from './metric-calls.ts'

/** Definitions of one type that a VM can hold ids of: a filter may define at every request. */
const IDS_LIMIT = 1_000_000
/** The low bits of an id are the metric's type. */
const TYPE_BITS = 2
const TYPE_MASK = 3
const HISTOGRAM = FILTER_TYPES.indexOf('histogram')

export class EnvoyCalls implements MetricCalls {
  readonly #vm: FilterVm
  readonly #definitions: FilterDefinitions
  readonly #cells: MetricCells
  /** Metrics in order of definition, by type. */
  readonly #defined: number[][] = FILTER_TYPES.map(() => [])

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
    const defined = this.#defined[typeCode]!
    const isFull = defined.length >= IDS_LIMIT
    const answer = isFull ? 'zone_full' : this.#definitions.define(nameAt, nameSize, type)
    if (typeof answer === 'string') return refuse(this.#vm, STATUS.internalFailure)
    defined.push(answer)
    memory.setU32(idAt, (defined.length << TYPE_BITS) | typeCode)
    return STATUS.ok
  }

  increment(id: number, delta: bigint): number {
    const cell = this.#cell(id)
    if (cell === undefined) return this.#missing(id)
    const isAllowed = cell.type === 'counter' ? delta > 0n : cell.type === 'gauge'
    if (!isAllowed) return refuse(this.#vm, STATUS.badArgument)
    return this.#answer(this.#cells.add(cell, delta))
  }

  record(id: number, value: bigint): number {
    const cell = this.#cell(id)
    if (cell === undefined) return refuse(this.#vm, STATUS.notFound)
    const isCounter = cell.type === 'counter'
    return this.#answer(isCounter ? this.#cells.add(cell, value) : this.#cells.set(cell, value))
  }

  get(id: number, valueAt: number): number {
    if (!this.#vm.memory.has(valueAt, 8)) return this.#vm.badPointer()
    const cell = this.#cell(id)
    if (cell === undefined) return this.#missing(id)
    if (cell.type === 'histogram') return refuse(this.#vm, STATUS.badArgument)
    const value = this.#cells.value(cell)
    if (value === undefined) return refuse(this.#vm, STATUS.notFound)
    return giveValue(this.#vm, valueAt, value)
  }

  #answer(isDone: boolean): number {
    return isDone ? STATUS.ok : refuse(this.#vm, STATUS.notFound)
  }

  #cell(id: number): MetricCell | undefined {
    const metric = this.#defined[id & TYPE_MASK]?.[(id >>> TYPE_BITS) - 1]
    return metric === undefined ? undefined : this.#cells.at(metric)
  }

  /** An id that could be no counter's or gauge's is not looked for. */
  #missing(id: number): number {
    const isHistogram = (id & TYPE_MASK) >= HISTOGRAM
    return refuse(this.#vm, isHistogram ? STATUS.badArgument : STATUS.notFound)
  }
}
