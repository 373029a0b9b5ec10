/**
 * The trigger on a board: what it latches is kept in a list, the view is held where it stops, and
 * past events can be gone back to.
 */
import type { TimeView } from './time-view.ts'
import { type Thresholds, Trigger, type TriggerEvent } from './trigger.ts'

const EVENTS_LIMIT = 100

/** Reads a line's value in a row; NaN or undefined = none. */
type ReadValue = (key: string) => number | undefined

export class TriggerEvents {
  readonly #view: TimeView
  readonly #trigger: Trigger
  readonly #thresholds = new Map<string, Thresholds>()
  #list: TriggerEvent[] = []
  #shown: TriggerEvent | undefined

  constructor(view: TimeView) {
    this.#view = view
    this.#trigger = new Trigger(view.windowS)
  }

  /** Past events, oldest first: a hundred at most, as long as their samples are there. */
  get list(): readonly TriggerEvent[] {
    return this.#list
  }

  /** The latched event. */
  get latched(): TriggerEvent | undefined {
    return this.#trigger.event
  }

  /** True once the latched event has come to the middle of the window. */
  get isStopped(): boolean {
    return this.#trigger.isStopped
  }

  /** Event at which the view is held. */
  get shown(): TriggerEvent | undefined {
    return this.#view.heldAt === undefined ? undefined : this.#shown
  }

  /** Thresholds by line; of lines that may not be there. */
  get thresholds(): ReadonlyMap<string, Thresholds> {
    return this.#thresholds
  }

  /**
   * Sets thresholds, null = none, and arms the line; a side that is left out stays. The side that
   * triggered forgets its event with it.
   */
  edit(key: string, set: Partial<Thresholds>): void {
    const hadEvent = this.latched !== undefined
    this.#trigger.edit(key, set)
    const now = this.#trigger.thresholds(key)!
    if (now.below === null && now.above === null) this.#thresholds.delete(key)
    else this.#thresholds.set(key, now)
    if (hadEvent && this.latched === undefined) this.#release()
  }

  /** Follows a change of the view's window; an event that was held stays in its middle. */
  setWindow(windowS: number): void {
    this.#trigger.setWindow(windowS)
  }

  /** Takes one row of samples. @param read value of a line in this row; NaN or undefined = none */
  sample(time: number, read: (key: string) => number | undefined): void {
    for (const change of this.#trigger.sample(time, read)) {
      if (change.kind === 'hit') this.#add(change.event)
      else if (change.kind === 'stopped' && this.#view.state === 'live') {
        this.show(this.#trigger.event!)
      }
    }
  }

  /**
   * Looks at what was measured before: crossings are kept in the list, none is latched.
   * @param rows calls for every row; those of a line in the order of their times
   */
  findPast(rows: (look: (time: number, read: ReadValue) => void) => void): void {
    const past = new Trigger(this.#view.windowS)
    for (const [key, set] of this.#thresholds) past.edit(key, set)
    const found: TriggerEvent[] = []
    rows((time, read) => {
      for (const change of past.sample(time, read)) {
        if (change.kind === 'hit') found.push(change.event)
      }
      past.clear()
    })
    if (found.length === 0) return
    this.#list = [...this.#list, ...found].sort((a, b) => a.t - b.t).slice(-EVENTS_LIMIT)
  }

  #add(event: TriggerEvent): void {
    this.#list.push(event)
    if (this.#list.length > EVENTS_LIMIT) this.#list.shift()
  }

  /** Holds the view with an event in its middle. */
  show(event: TriggerEvent): void {
    this.#shown = event
    this.#view.hold(event.t)
  }

  /** Goes to the next or the previous event; from a view that is not held, back from the newest. */
  step(direction: 1 | -1): void {
    const { shown } = this
    const at = shown === undefined ? this.#list.length : this.#list.indexOf(shown)
    const event = this.#list[at + direction]
    if (event !== undefined) this.show(event)
  }

  /** Forgets the latched event and lets go of the view; no line is armed by it. */
  clear(): void {
    this.#trigger.clear()
    this.#release()
  }

  #release(): void {
    this.#shown = undefined
    this.#view.release()
  }

  /** Begins a new time base: an event that has not stopped the view never will. */
  restart(): void {
    this.#trigger.reconnect()
  }

  /** Forgets past events from before a time, but for the one that is shown. */
  drop(before: number): void {
    const { shown } = this
    this.#list = this.#list.filter((event) => event.t >= before || event === shown)
  }
}
