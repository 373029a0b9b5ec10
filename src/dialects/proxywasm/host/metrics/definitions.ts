/** Definitions of one filter: found or made in its space, under the filter's limit. */
import { refusalOf, type ZoneRefusal } from '../../../../shm/index.ts'
import type { FilterMetricType } from '../../spec.ts'
import type { FilterVm } from '../instance/vm.ts'
import type { MetricSpace } from '../metric-space.ts'
import { METRICS_PER_FILTER } from '../options.ts'
import { filterTypeOf, reserveStack } from './cells.ts'

/** Longest name taken from a filter: what a zone's keys have room for. */
const NAME_BYTES_LIMIT = 65_535

export class FilterDefinitions {
  readonly #vm: FilterVm
  readonly #space: MetricSpace
  readonly #limit: number

  constructor(vm: FilterVm, space: MetricSpace) {
    this.#vm = vm
    this.#space = space
    this.#limit = vm.options.metricsPerFilterLimit ?? METRICS_PER_FILTER
  }

  /** Finds a metric that any filter or application defined earlier, or -1. */
  find(nameAt: number, nameSize: number): number {
    if (nameSize >>> 0 > NAME_BYTES_LIMIT) return -1
    return this.#space.find(this.#vm.options.name, this.#name(nameAt, nameSize))
  }

  /**
   * Defines the metric of a name in the filter's memory.
   * @returns why not, where there is none: above the filter's limit as in a full zone
   */
  define(nameAt: number, nameSize: number, type: FilterMetricType): number | ZoneRefusal {
    reserveStack()
    const answer = this.#define(nameAt, nameSize, type)
    if (typeof answer === 'string') this.#vm.counts.add('definitionsRefused')
    return answer
  }

  #define(nameAt: number, nameSize: number, type: FilterMetricType): number | ZoneRefusal {
    if (nameSize >>> 0 > NAME_BYTES_LIMIT) return 'key_too_long'
    const { options, counts } = this.#vm
    const name = this.#name(nameAt, nameSize)
    const known = this.#space.find(options.name, name, type)
    if (known >= 0) return filterTypeOf(this.#space.zone, known) === type ? known : 'type_mismatch'
    if (counts.get('metrics') >= this.#limit) return 'zone_full'
    const metric = this.#space.define(options.name, name, type)
    if (metric >= 0) counts.add('metrics')
    return refusalOf(metric) ?? metric
  }

  /** Copies a name: the filter's memory may be moved while it is looked up. */
  #name(nameAt: number, nameSize: number): Uint8Array {
    return this.#vm.memory.view(nameAt, nameSize).slice()
  }
}
