/**
 * Pauses of the garbage collector, by its kinds. Node tells of a pause in the turn of the event
 * loop after it, so one at the very end of a window counts in the next one.
 */
import { constants, PerformanceObserver } from 'node:perf_hooks'

export const GC_KINDS = ['minor', 'major', 'incremental', 'weakcb'] as const

/**
 * `minor` empties the young generation, `major` the whole heap, `incremental` is a step in marking
 * it, `weakcb` runs the callbacks of weak references.
 */
export type GcKind = (typeof GC_KINDS)[number]

const KIND_OF: ReadonlyMap<number, GcKind> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  // NODE_PERFORMANCE_GC_MINOR_MARK_SWEEP: another collector of the young generation
  [2, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
])

/** An entry of the type `gc`: `detail` says more than the types of node:perf_hooks know. */
interface GcEntry {
  readonly duration: number
  readonly detail?: { readonly kind?: number }
}

export class GcPauses {
  /** Time of all pauses while it was observing. */
  totalMs = 0
  /** Gets every pause. */
  onPause: (kind: GcKind, pauseMs: number) => void = () => {}
  readonly #observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as unknown as GcEntry[]) {
      const kind = KIND_OF.get(detail?.kind ?? 0)
      if (kind === undefined) continue
      this.totalMs += duration
      this.onPause(kind, duration)
    }
  })

  /** Does not keep the process alive. */
  start(): void {
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  stop(): void {
    this.#observer.disconnect()
  }
}
