/** Definitions of one filter: found or made in its space, under the filter's limit. */
import { refusalOf, type ZoneRefusal } from '../../../../shm/index.ts'
import type { FilterMetricType } from '../../spec.ts'
import type { FilterVm } from '../instance/vm.ts'
import type { MetricSpace } from '../metric-space.ts'
import { METRICS_PER_FILTER } from '../options.ts'
import { filterTypeOf, reserveStack } from './cells.ts'

/** Longest name taken from a filter: what a zone's keys have room for. */
const NAME_BYTES_LIMIT = 65_535
/** Bytes of a refused name that its reason repeats. */
const NAME_BYTES_SHOWN = 64

/** Reasons of refusals, with what helps. */
const REASONS: Readonly<Record<ZoneRefusal, string>> = {
  type_mismatch: 'another metric has its name',
  key_too_long: 'its name is too long',
  metrics_limit: 'there are as many metrics as there may be',
  zone_full: 'there is no room for it (a larger slab or fewer workers help)',
  lock_timeout: 'another thread was defining for too long',
}

export class FilterDefinitions {
  readonly #vm: FilterVm
  readonly #space: MetricSpace
  readonly #limit: number
  /** Whether the instance knows of a refusal: it needs no second one. */
  #isTold = false

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
    if (typeof answer === 'string') this.#refuse(answer, nameAt, nameSize, type)
    return answer
  }

  #refuse(refusal: ZoneRefusal, nameAt: number, nameSize: number, type: FilterMetricType): void {
    const { counts } = this.#vm
    counts.add('definitionsRefused')
    if (this.#isTold) return
    this.#isTold = true
    const shown = this.#vm.memory.view(nameAt, Math.min(nameSize >>> 0, NAME_BYTES_SHOWN))
    const isOver = refusal === 'zone_full' && counts.get('metrics') >= this.#limit
    const why = isOver ? `a filter has at most ${this.#limit}` : REASONS[refusal]
    this.#vm.refused(`its ${type} "${new TextDecoder().decode(shown)}" was refused: ${why}`)
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
