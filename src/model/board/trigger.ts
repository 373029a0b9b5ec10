/**
 * The trigger of a scope: latches the first sample at or beyond a threshold, and stops the view
 * when that event has come to the middle of the window. By edge, not by level: a metric that has
 * hit must leave the hit region (or get another threshold) before it can hit again.
 */
import { compareUtf8 } from '../bytes.ts'

/** Inclusive; null = none. */
export interface Thresholds {
  readonly below: number | null
  readonly above: number | null
}

export type TriggerSide = 'below' | 'above'

export interface TriggerEvent {
  readonly key: string
  readonly side: TriggerSide
  /** Seconds. */
  readonly t: number
  readonly value: number
}

/** Change by a step. `stopped`: the view shows [from, to] from now on, at sample time `t`. */
export type TriggerChange =
  | { readonly kind: 'hit'; readonly event: TriggerEvent }
  | { readonly kind: 'stopped'; readonly t: number; readonly from: number; readonly to: number }
  | { readonly kind: 'cleared' }

interface Watch {
  below: number | null
  above: number | null
  isArmed: boolean
}

/**
 * A microsecond: sums of seconds, and wall times as doubles, are off by less, and no source samples
 * that often.
 */
const TIME_TOLERANCE_S = 1e-6

/**
 * Latches the first hit, and says where the view is to stop.
 *
 * @example
 * import { Trigger } from 'pentameter/scope'
 *
 * const trigger = new Trigger(2)
 * trigger.edit('motor', { above: 9 })
 * trigger.sample(0, () => 9.5)
 * console.log(trigger.event?.side, trigger.sample(1, () => 5)[0]?.kind) // above stopped
 */
export class Trigger {
  #halfWindowS: number
  readonly #watches = new Map<string, Watch>()
  #keys: string[] = []
  #event: TriggerEvent | undefined
  #isStopped = false

  constructor(windowS: number) {
    this.#halfWindowS = windowS / 2
  }

  /** The latched event. */
  get event(): TriggerEvent | undefined {
    return this.#event
  }

  /** True once the event has reached the middle of the window. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Sets another window; a view that has stopped stays as it is. */
  setWindow(windowS: number): void {
    this.#halfWindowS = windowS / 2
  }

  thresholds(key: string): Thresholds | undefined {
    const watch = this.#watches.get(key)
    return watch && { below: watch.below, above: watch.above }
  }

  /**
   * Sets thresholds of a metric, which may not exist yet, and arms it; a side that is left out
   * stays.
   * Changing the side that triggered clears the event.
   */
  edit(key: string, set: Partial<Thresholds>): TriggerChange[] {
    const watch = this.#watches.get(key) ?? { below: null, above: null, isArmed: true }
    const before = { ...watch }
    if (set.below !== undefined) watch.below = set.below
    if (set.above !== undefined) watch.above = set.above
    watch.isArmed = true
    if (!this.#watches.has(key)) {
      this.#watches.set(key, watch)
      this.#keys = [...this.#watches.keys()].sort(compareUtf8)
    }
    const event = this.#event
    const isCause = event?.key === key && before[event.side] !== watch[event.side]
    return isCause ? this.clear() : []
  }

  /**
   * Takes one snapshot.
   * @param t seconds, not before the last one
   * @param read value of a metric; undefined or NaN where it has none
   */
  sample(t: number, read: (key: string) => number | undefined): TriggerChange[] {
    const changes: TriggerChange[] = []
    for (const key of this.#keys) {
      const value = read(key)
      if (value === undefined || Number.isNaN(value)) continue
      const watch = this.#watches.get(key)!
      const side = hitSide(watch, value)
      const isHit = side !== undefined && watch.isArmed
      watch.isArmed = side === undefined
      if (!isHit || this.#event !== undefined) continue
      this.#event = { key, side, t, value }
      changes.push({ kind: 'hit', event: this.#event })
    }
    const stop = this.#stop(t)
    if (stop !== undefined) changes.push(stop)
    return changes
  }

  #stop(t: number): TriggerChange | undefined {
    const event = this.#event
    if (event === undefined || this.#isStopped) return undefined
    const half = this.#halfWindowS
    if (t - event.t < half - TIME_TOLERANCE_S) return undefined
    this.#isStopped = true
    return { kind: 'stopped', t, from: event.t - half, to: event.t + half }
  }

  /** Forgets event and stop; no metric is armed by it. */
  clear(): TriggerChange[] {
    if (this.#event === undefined) return []
    this.#event = undefined
    this.#isStopped = false
    return [{ kind: 'cleared' }]
  }

  /** Begins a new time base: an event that has not stopped the view never will. */
  reconnect(): TriggerChange[] {
    return this.#isStopped ? [] : this.clear()
  }
}

function hitSide(watch: Thresholds, value: number): TriggerSide | undefined {
  if (watch.above !== null && value >= watch.above) return 'above'
  return watch.below !== null && value <= watch.below ? 'below' : undefined
}
