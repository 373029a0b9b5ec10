/** Where the hosts differ in the metric calls: what ids they give, and how they refuse. */
import type { ZoneRefusal } from '../../../../shm/index.ts'
import { FILTER_TYPES, type FilterMetricType } from '../../spec.ts'
import { STATUS } from '../abi.ts'
import type { FilterVm } from '../instance/vm.ts'
import type { CrcIds } from './crc-ids.ts'
import type { FilterDefinitions } from './definitions.ts'

type ValueCall = 'increment' | 'record' | 'get'

/** Answers of one host to one instance. Refusals are statuses, or traps, which end the instance. */
export interface HostAnswers {
  /** Writes the id of the metric of a name; both places are in the memory. Answers a status. */
  define(typeCode: number, nameAt: number, nameSize: number, idAt: number): number
  /** Finds the metric of an id that was given, or -1. */
  metricOf(id: number): number
  /** Answers when the id stands for no metric. */
  missing(call: ValueCall, id: number): number
  /** Answers when the metric is of a type, or the delta of a sign, that the call is not for. */
  forbidden(call: ValueCall, id: number): number
}

/** Counts a call that was wrong and answers its status. */
function refuse(vm: FilterVm, status: number): number {
  vm.counts.add('badCalls')
  return status
}

/** Decodes the type of an ABI number; undefined for one that is none. */
function typeOf(code: number): FilterMetricType | undefined {
  return FILTER_TYPES[code]
}

/**
 * The ABI's text and this project's choices: statuses only, ids 1, 2, 3 … over the whole zone.
 * `record` answers nothing but OK and NOT_FOUND, because SDKs give up on any other status.
 */
export class SpecAnswers implements HostAnswers {
  readonly #vm: FilterVm
  readonly #definitions: FilterDefinitions

  constructor(vm: FilterVm, definitions: FilterDefinitions) {
    this.#vm = vm
    this.#definitions = definitions
  }

  define(typeCode: number, nameAt: number, nameSize: number, idAt: number): number {
    const type = typeOf(typeCode)
    if (type === undefined) return refuse(this.#vm, STATUS.badArgument)
    const answer = this.#definitions.define(nameAt, nameSize, type)
    if (typeof answer === 'string') return refuse(this.#vm, statusOf(answer))
    this.#vm.memory.setU32(idAt, answer + 1)
    return STATUS.ok
  }

  metricOf(id: number): number {
    return id - 1
  }

  missing(): number {
    return refuse(this.#vm, STATUS.notFound)
  }

  forbidden(): number {
    return refuse(this.#vm, STATUS.badArgument)
  }
}

function statusOf(refusal: ZoneRefusal): number {
  const isFilters = refusal === 'type_mismatch' || refusal === 'key_too_long'
  return isFilters ? STATUS.badArgument : STATUS.internalFailure
}

/** Definitions of one type that a VM can hold ids of: a filter may define at every request. */
const IDS_LIMIT = 1_000_000
/** The low bits of an id are the metric's type. */
const TYPE_BITS = 2
const TYPE_MASK = 3
const HISTOGRAM = FILTER_TYPES.indexOf('histogram')

/**
 * Envoy's host (peer): statuses, ids of one VM, 4n + type with n = 1, 2, … per type, a new one at
 * every definition; a name may exist once per type.
 */
export class EnvoyAnswers implements HostAnswers {
  readonly #vm: FilterVm
  readonly #definitions: FilterDefinitions
  /** Metrics in order of definition, by type. */
  readonly #defined: number[][] = FILTER_TYPES.map(() => [])

  constructor(vm: FilterVm, definitions: FilterDefinitions) {
    this.#vm = vm
    this.#definitions = definitions
  }

  define(typeCode: number, nameAt: number, nameSize: number, idAt: number): number {
    const type = typeOf(typeCode)
    if (type === undefined) return refuse(this.#vm, STATUS.badArgument)
    const defined = this.#defined[typeCode]!
    const isFull = defined.length >= IDS_LIMIT
    const answer = isFull ? 'zone_full' : this.#definitions.define(nameAt, nameSize, type)
    if (typeof answer === 'string') return refuse(this.#vm, STATUS.internalFailure)
    defined.push(answer)
    this.#vm.memory.setU32(idAt, (defined.length << TYPE_BITS) | typeCode)
    return STATUS.ok
  }

  metricOf(id: number): number {
    return this.#defined[id & TYPE_MASK]?.[(id >>> TYPE_BITS) - 1] ?? -1
  }

  /**
   * Answers for a missing metric; but for `record`, an id that could be no counter's or gauge's is
   * not looked for.
   */
  missing(call: ValueCall, id: number): number {
    const isLookedFor = call === 'record' || (id & TYPE_MASK) < HISTOGRAM
    return refuse(this.#vm, isLookedFor ? STATUS.notFound : STATUS.badArgument)
  }

  forbidden(): number {
    return refuse(this.#vm, STATUS.badArgument)
  }
}

/** A refused name is shown up to here. */
const SHOWN_BYTES = 256
/** The original's words, by the call. */
const FAILED = {
  increment: 'could not increment metric id',
  record: 'could not record value in metric id',
  get: 'could not retrieve metric id',
} as const
const FORBIDDEN = {
  increment: 'metric not a counter',
  record: 'metric is a counter',
  get: 'metric is a histogram',
} as const

/**
 * nginx' host (peer): any mistake is a trap with its text, ids are the CRC-32 of the prefixed
 * names, a name keeps its first type.
 */
export class NginxAnswers implements HostAnswers {
  readonly #vm: FilterVm
  readonly #definitions: FilterDefinitions
  readonly #ids: CrcIds

  constructor(vm: FilterVm, definitions: FilterDefinitions, ids: CrcIds) {
    this.#vm = vm
    this.#definitions = definitions
    this.#ids = ids
  }

  define(typeCode: number, nameAt: number, nameSize: number, idAt: number): number {
    const { memory } = this.#vm
    const type = typeOf(typeCode)
    const name = memory.text(nameAt, Math.min(nameSize >>> 0, SHOWN_BYTES))
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

  metricOf(id: number): number {
    return this.#ids.metricOf(id)
  }

  missing(call: ValueCall, id: number): never {
    this.#vm.trap(`${FAILED[call]} "${id}": metric not found`)
  }

  forbidden(call: ValueCall, id: number): never {
    this.#vm.trap(`${FAILED[call]} "${id}": ${FORBIDDEN[call]}`)
  }
}
