/**
 * What part of time a board shows: the newest seconds, a part of them that was panned or zoomed to,
 * or one that stands still. Seconds throughout.
 */
import { TIME_WINDOW_S } from './options.ts'

export interface Span {
  readonly from: number
  readonly to: number
}

/** Part of a window that was panned or zoomed to. */
export interface Part {
  /** Seconds from its right edge to that of the whole. */
  readonly backS: number
  /** Its length; null = that of the whole. */
  readonly spanS: number | null
}

export const WHOLE: Part = { backS: 0, spanS: null }

/**
 * `live`: moves with the newest sample. `paused` by hand. `held` at an event, by the trigger or
 * because it was chosen.
 */
export type ViewState = 'live' | 'paused' | 'held'

/** Shortest part that can be zoomed to: a few samples at 1 kHz. */
const SPAN_MIN_S = 0.01

export class TimeView {
  #windowS: number
  #pausedAt: number | undefined
  #heldAt: number | undefined
  /** Part of the window that is shown: seconds before its right edge, and how long. */
  #backS = 0
  #spanS: number | undefined

  constructor(windowS: number) {
    this.#windowS = clamp(windowS, TIME_WINDOW_S.min, TIME_WINDOW_S.max)
  }

  get windowS(): number {
    return this.#windowS
  }

  set windowS(windowS: number) {
    this.#windowS = clamp(windowS, TIME_WINDOW_S.min, TIME_WINDOW_S.max)
    this.resetZoom()
  }

  get state(): ViewState {
    if (this.#heldAt !== undefined) return 'held'
    return this.#pausedAt === undefined ? 'live' : 'paused'
  }

  get isZoomed(): boolean {
    return this.#spanS !== undefined || this.#backS !== 0
  }

  get part(): Part {
    return { backS: this.#backS, spanS: this.#spanS ?? null }
  }

  /**
   * Shows a part of the window, moved into what there may be.
   * @param historyS how far it goes back
   */
  show({ backS, spanS }: Part, historyS: number): void {
    const most = Math.max(historyS, this.#windowS)
    this.#spanS = spanS === null ? undefined : clamp(spanS, SPAN_MIN_S, most)
    this.#backS = 0
    this.pan(backS, historyS)
  }

  /** Time that the picture is held at, in its middle. */
  get heldAt(): number | undefined {
    return this.#heldAt
  }

  pause(newest: number): void {
    this.#pausedAt = newest
  }

  /** Takes back a pause that was made by hand. */
  resume(): void {
    this.#pausedAt = undefined
  }

  get isPaused(): boolean {
    return this.#pausedAt !== undefined
  }

  hold(time: number): void {
    this.#heldAt = time
    this.resetZoom()
  }

  release(): void {
    if (this.#heldAt === undefined) return
    this.#heldAt = undefined
    this.resetZoom()
  }

  /** Gives the whole window, whatever part of it is shown. */
  whole(newest: number): Span {
    const half = this.#windowS / 2
    const to = this.#heldAt === undefined ? (this.#pausedAt ?? newest) : this.#heldAt + half
    return { from: to - this.#windowS, to }
  }

  /** Gives what is shown. */
  shown(newest: number): Span {
    const to = this.whole(newest).to - this.#backS
    return { from: to - (this.#spanS ?? this.#windowS), to }
  }

  /**
   * Moves what is shown; positive = into the past. A live picture goes on moving.
   * @param historyS how far it goes back
   */
  pan(seconds: number, historyS: number): void {
    const span = this.#spanS ?? this.#windowS
    this.#backS = clamp(this.#backS + seconds, 0, Math.max(0, historyS - span))
  }

  /**
   * Shows more or less.
   * @param factor of the time shown: below 1 is nearer
   * @param at the share of the picture that stays where it is, 0 = left
   */
  zoom(factor: number, at: number, historyS: number): void {
    const before = this.#spanS ?? this.#windowS
    const span = clamp(before * factor, SPAN_MIN_S, Math.max(historyS, this.#windowS))
    this.#backS += (before - span) * (1 - at)
    this.#spanS = span
    this.pan(0, historyS)
    if (this.#spanS === this.#windowS && this.#backS === 0) this.#spanS = undefined
  }

  resetZoom(): void {
    this.#backS = 0
    this.#spanS = undefined
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}
