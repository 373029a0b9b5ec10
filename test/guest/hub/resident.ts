/** Semaphore's side of a hub: which lamps there are, for its page. */
import type { Frame } from '../../../src/hub/live/frame.ts'
import type { Resident, ResidentContext } from '../../../src/hub/resident.ts'
import type { SelfMetrics } from '../../../src/hub/status/self-metrics.ts'
import type { LimitStatus } from '../../../src/hub/status/status.ts'
import type { Task } from '../../../src/hub/tasks/task.ts'
import type { HubView } from '../../../src/hub/view.ts'
import type { SemaphoreOptions } from '../options.ts'
import { NAME } from '../spec.ts'

interface Lamp {
  readonly name: string
  readonly voltage: number
  readonly endMs: number
}

export class SemaphoreResident implements Resident {
  readonly #hub: HubView
  readonly #limit: number
  readonly #lamps = new Map<string, Lamp>()
  #refused = 0

  constructor(hub: HubView, { lampsLimit }: Pick<SemaphoreOptions, 'lampsLimit'>) {
    this.#hub = hub
    this.#limit = lampsLimit
  }

  /** Lamps that have shown themselves, the first of them first. */
  get lamps(): readonly Lamp[] {
    return [...this.#lamps.values()]
  }

  *take(frame: Frame): Task {
    for (const id of frame.ids('gauge')) {
      yield
      const record = this.#hub.series.get(id)
      const cell = frame.cell(id, 'gauge')
      if (record?.metadata.dialect !== NAME || cell?.kind !== 'gauge') continue
      this.#see(record.identity.name, Number(cell.value), frame.endMs)
    }
  }

  #see(name: string, voltage: number, endMs: number): void {
    if (!this.#lamps.has(name) && this.#lamps.size >= this.#limit) this.#refused++
    else this.#lamps.set(name, { name, voltage, endMs })
  }

  observe(metrics: SelfMetrics): void {
    metrics.gauge('pentameter.semaphore.lamps', this.#lamps.size)
  }

  limits(): readonly LimitStatus[] {
    return [
      {
        name: 'semaphore.lampsLimit',
        limit: this.#limit,
        used: this.#lamps.size,
        refused: this.#refused,
        behaviour: 'Further lamps are not remembered; their series go on.',
      },
    ]
  }
}

/** Makes the resident of a hub. */
export function createResident({ hub, options }: ResidentContext): SemaphoreResident {
  return new SemaphoreResident(hub, options as unknown as SemaphoreOptions)
}

/** Finds the resident of a hub; undefined where its registry has no Semaphore. */
export function semaphoreOf(hub: Pick<HubView, 'resident'>): SemaphoreResident | undefined {
  return hub.resident(NAME) as SemaphoreResident | undefined
}
