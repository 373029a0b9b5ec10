/**
 * What the hub does when its wall clock was set: times of series move, and people are told. So they
 * are when it stood still.
 */
import type { Clock } from '../../time/clock.ts'
import type { Log } from '../log.ts'
import type { Participant } from '../resident.ts'
import type { SeriesStore } from '../series/series.ts'
import type { SelfMetrics } from '../status/self-metrics.ts'
import type { ClockStep } from '../status/status.ts'
import type { Task } from '../tasks/task.ts'

/** Steps that are told; the latest. */
const STEPS_KEPT = 16

interface ClockStepsParts {
  readonly series: SeriesStore
  readonly metrics: SelfMetrics
  readonly clock: Clock
  readonly log: Log
}

export class ClockSteps implements Participant {
  /** Number of steps since the start. */
  count = 0
  /** Time by which the clock was set in all, ms: by so much times of before move. */
  movedMs = 0
  readonly #parts: ClockStepsParts
  #latest: readonly ClockStep[] = []
  /** Time by which those of series are still to be moved, ms. */
  #pendingMs = 0

  constructor(parts: ClockStepsParts) {
    this.#parts = parts
  }

  /** The oldest first. */
  get latest(): readonly ClockStep[] {
    return this.#latest
  }

  note(stepMs: number): void {
    const { clock, log, metrics } = this.#parts
    this.count++
    this.movedMs += stepMs
    this.#pendingMs += stepMs
    this.#latest = [...this.#latest, { atMs: clock.wallMs(), stepMs }].slice(-STEPS_KEPT)
    metrics.counter('pentameter.clock.steps').add()
    log('warn', 'the wall clock was set; seconds follow it', { byS: stepMs / 1000 })
  }

  noteStandstill(seconds: number): void {
    const { log, metrics } = this.#parts
    metrics.counter('pentameter.tick.gap').add(seconds)
    log('warn', 'the hub stood still: nothing is known of these seconds', { seconds })
  }

  *beforeClose(): Task {
    const stepMs = this.#pendingMs
    this.#pendingMs = 0
    if (stepMs !== 0) yield* this.#parts.series.shifting(stepMs)
  }
}
