/** One line of a board: its samples, what is known of it, and its moving average. */

import { MovingAverage, type Window } from '../sma.ts'
import { SampleLog } from './sample-log.ts'

/** Facts about a series besides its name; all of them may change. */
export interface LineAbout {
  /** Plot that its sender wants it in; without one it has a plot of its own. */
  readonly plot?: string | undefined
  /** Colour that its sender wants: a word or `#RGB`, `#RRGGBB`. */
  readonly color?: string | undefined
  readonly unit?: string | undefined
  readonly displayName?: string | undefined
}

/** Moving average as a line of its own. */
interface Average {
  readonly window: Window
  readonly log: SampleLog
  readonly sums: MovingAverage
}

export function sameAbout(a: LineAbout, b: LineAbout): boolean {
  return (
    a.plot === b.plot && a.color === b.color && a.unit === b.unit && a.displayName === b.displayName
  )
}

export class Line {
  readonly name: string
  readonly log: SampleLog = new SampleLog()
  /** Value of the newest sample; NaN where its sender says that there is none. */
  value = Number.NaN
  /** Time of the newest sample, with a value or without; seconds. */
  seenAt = Number.NEGATIVE_INFINITY
  /** Number of the row that it was in last. */
  row = -1
  /** Place in the palette; undefined where the sender's colour is used. */
  paletteIndex: number | undefined
  /** Plot in which it has that place. */
  palettePlot: string | undefined
  isHidden = false
  #about: LineAbout = {}
  #key: string
  #average: Average | undefined

  constructor(name: string) {
    this.name = name
    this.#key = name
  }

  get about(): LineAbout {
    return this.#about
  }

  set about(about: LineAbout) {
    this.#about = about
    this.#key = about.plot === undefined ? this.name : `${about.plot}/${this.name}`
  }

  /** Name in options: `plot/metric`, or `metric` for one without a plot. */
  get key(): string {
    return this.#key
  }

  get average(): { readonly window: Window; readonly log: SampleLog } | undefined {
    return this.#average
  }

  get bytes(): number {
    return this.log.bytes + (this.#average?.log.bytes ?? 0)
  }

  /**
   * Adds a sample; NaN = no value.
   * @param time seconds
   * @returns false for a sample that comes too late
   */
  push(time: number, value: number): boolean {
    const { lastTime } = this.log
    if (!this.log.push(time, value)) return false
    this.value = value
    this.seenAt = time
    const average = this.#average
    if (average !== undefined) {
      const isRepeat = time === lastTime && !Number.isNaN(value)
      average.log.push(
        time,
        isRepeat ? average.sums.replaceNewest(value) : average.sums.push(value, time),
      )
    }
    return true
  }

  /** Ends the line here; the next sample begins another piece. */
  break(): void {
    this.value = Number.NaN
    this.log.break()
    this.#average?.log.break()
  }

  /** Begins a new time base: averages have no sample of the old one. */
  restart(): void {
    this.log.break()
    this.#average?.log.break()
    this.#average?.sums.clear()
  }

  /** Computes a moving average over all that is there and comes; undefined, or 0 = none. */
  setAverage(window: Window | undefined): void {
    this.#average = undefined
    if (window === undefined || sizeOf(window) === 0) return
    const log = new SampleLog()
    const sums = new MovingAverage(window)
    for (const chunk of this.log.chunks) {
      for (let i = 0; i < chunk.length; i++) {
        if (chunk.breaks[i] === 1) log.break()
        log.push(chunk.times[i]!, sums.push(chunk.values[i]!, chunk.times[i]!))
      }
    }
    this.#average = { window, log, sums }
  }

  /** Drops what is older than a time; see {@link SampleLog.drop}. */
  drop(before: number, kept?: { readonly from: number; readonly to: number }): void {
    this.log.drop(before, kept)
    this.#average?.log.drop(before, kept)
  }
}

function sizeOf(window: Window): number {
  return 'samples' in window ? window.samples : window.seconds
}
