/**
 * A scope's board: takes samples, and tells what is to be drawn. Page and terminal run the same
 * one; it knows neither. Times within it are seconds since `originMs`.
 */
import { TriggerEvents } from './events.ts'
import type { Line, LineAbout } from './line/line.ts'
import { Lines } from './line/lines.ts'
import { parseColor, TIME_WINDOW_S } from './options.ts'
import { Painter, type PlotPicture } from './picture.ts'
import { groupLines, type Plot } from './plots.ts'
import { checkWindow, type Window } from './sma.ts'
import { type Part, type Span, TimeView, type ViewState } from './time-view.ts'
import type { Thresholds } from './trigger.ts'
import { type TypedRange, YRanges } from './y-ranges.ts'

/** Samples of series that have the same times, in columns. */
export interface SampleGroup {
  /** Unix milliseconds, with fractions, rising; or those of another clock, for all groups alike. */
  readonly timesMs: ArrayLike<number>
  /**
   * Names of the columns, the same array while nothing changes; undefined for a column that is
   * left out.
   */
  readonly names: readonly (string | undefined)[]
  /** `values[column * timesMs.length + row]`; NaN = no value at that time. */
  readonly values: ArrayLike<number>
}

/** Part of a board that takes samples: what feeds one needs no more. */
export interface BoardInput {
  describe(name: string, about: LineAbout): void
  feed(groups: readonly SampleGroup[]): void
  break(name: string): void
  restart(): void
}

/** Settings that a board begins with; all but the limits can be changed later. */
export interface BoardOptions {
  /** Time that is shown, 1 to 600 s; 10 unless given. */
  readonly windowS?: number
  readonly yRanges?: readonly (TypedRange & { readonly plot: string })[]
  readonly averages?: readonly ({ readonly key: string } & Window)[]
  readonly triggers?: readonly (Thresholds & { readonly key: string })[]
  /** Plots that were chosen by hand, by names of lines. */
  readonly plots?: Readonly<Record<string, string>>
  /** Time for which samples are kept, seconds; 600 unless given. */
  readonly historyS?: number
  /** Memory of all samples; where it does not do, less time is kept. 128 MiB unless given. */
  readonly maxBytes?: number
  /** Lines that there can be; further names are left out and counted. 10,000 unless given. */
  readonly maxLines?: number
  /** Silence after which a line is taken away, seconds of the samples' time; 300 unless given. */
  readonly staleS?: number
  /** Takes what a person should know, once each: a colour that is none, for instance. */
  readonly onNote?: (text: string) => void
}

/** Amounts of what could not be shown. */
export interface BoardCounts {
  /** Samples, of one series each. */
  readonly samples: number
  /** Samples that came after a later one of their line. */
  readonly late: number
  /** Names for which there was no room at the last look. */
  readonly refused: number
}

const HISTORY_S = TIME_WINDOW_S.max
const MAX_BYTES = 128 * 1024 * 1024
const MAX_LINES = 10_000
const STALE_S = 300
/** Samples between two looks at the memory, where the samples' time stands still. */
const SWEEP_SAMPLES = 100_000
/** A time this much older than the newest is of a clock that was set back. */
const CLOCK_BACK_S = 60
/** Steps of a line without which it is grey; at least a second. */
const SILENT_STEPS = 3
const SILENT_S = 1
/** Part of the history that is given up at a time, where the memory does not do. */
const GIVE_UP_PART = 0.1
const NOTES_LIMIT = 100

/**
 * Lines in plots, with trigger, moving averages and a view that can stand still.
 *
 * @example
 * import { Board } from 'pentameter/scope'
 *
 * const board = new Board({ windowS: 10, triggers: [{ key: 'i', below: null, above: 9 }] })
 * board.feed([{ timesMs: [0, 20, 40], names: ['i'], values: [4, 9.5, 5] }])
 * const [plot] = board.plots()
 * const { lines } = board.picture(plot!, 400)
 * console.log(lines[0]!.line.value, board.events.latched?.value) // 5 9.5
 */
export class Board implements BoardInput {
  readonly yRanges: YRanges = new YRanges()
  readonly events: TriggerEvents
  readonly #view: TimeView
  readonly #options: BoardOptions
  readonly #historyS: number
  readonly #lines: Lines
  readonly #byHand: Map<string, string>
  readonly #painter: Painter
  readonly #notes = new Set<string>()
  #plots: readonly Plot[] | undefined
  /** Version of the lines that these plots are of. */
  #plotted = -1
  #originMs: number | undefined
  #newest = 0
  #rowNumber = 0
  #sweptAt = 0
  #sinceSweep = 0
  #samples = 0
  #late = 0

  /** @throws {RangeError} for a range or an average that is none */
  constructor(options: BoardOptions = {}) {
    this.#options = options
    this.#lines = new Lines(options.maxLines ?? MAX_LINES)
    this.#historyS = options.historyS ?? HISTORY_S
    const { windowS = TIME_WINDOW_S.standard, yRanges = [], averages = [], triggers = [] } = options
    this.#view = new TimeView(windowS)
    this.events = new TriggerEvents(this.#view)
    this.#painter = new Painter({ yRanges: this.yRanges, thresholds: this.events.thresholds })
    this.#byHand = new Map(Object.entries(options.plots ?? {}))
    for (const { plot, ...range } of yRanges) this.yRanges.set(plot, range)
    for (const { key, ...window } of averages) this.setAverage(key, window as Window)
    for (const { key, below, above } of triggers) this.events.edit(key, { below, above })
  }

  /** Time of which 0 is the beginning, Unix ms; 0 before the first sample. */
  get originMs(): number {
    return this.#originMs ?? 0
  }

  /** Time of the newest sample. */
  get newest(): number {
    return this.#newest
  }

  get isEmpty(): boolean {
    return this.#samples === 0
  }

  get counts(): BoardCounts {
    return { samples: this.#samples, late: this.#late, refused: this.#lines.refused }
  }

  get lines(): Iterable<Line> {
    return this.#lines.all()
  }

  get size(): number {
    return this.#lines.size
  }

  /** Finds a line by its name in options. */
  lineOf(key: string): Line | undefined {
    return this.#lines.byKey(key)
  }

  /** Tells what is known of a series; it need not be there yet. */
  describe(name: string, about: LineAbout): void {
    const { color } = about
    if (color !== undefined && parseColor(color) === undefined) {
      this.#note(`“${color}” of ${name} is no colour: it gets one by itself`)
    }
    this.#lines.describe(name, about)
    this.#lines.make(name, this.#newest)
  }

  /**
   * Takes samples. The trigger looks at every one of them, in the order of their times.
   * @param groups each with times of its own
   */
  feed(groups: readonly SampleGroup[]): void {
    if (groups.length === 1) {
      const rows = groups[0]!.timesMs.length
      for (let row = 0; row < rows; row++) this.#take(groups[0]!, row)
    } else {
      const next = groups.map(() => 0)
      for (let at = earliest(groups, next); at >= 0; at = earliest(groups, next)) {
        this.#take(groups[at]!, next[at]!++)
      }
    }
    const age = this.#newest - this.#sweptAt
    if (age >= 1 || age < 0 || this.#sinceSweep >= SWEEP_SAMPLES) this.#sweep()
  }

  #take(group: SampleGroup, row: number): void {
    const { timesMs } = group
    if (!Number.isFinite(timesMs[row])) return
    const time = this.#seconds(timesMs[row]!)
    this.#rowNumber++
    this.#push(group, row, time)
    this.events.sample(time, this.#readRow)
  }

  /** Reads a line's value in the newest row. */
  readonly #readRow = (key: string): number | undefined => {
    const line = this.#lines.byKey(key)
    return line?.row === this.#rowNumber ? line.value : undefined
  }

  #push({ timesMs, names, values }: SampleGroup, row: number, time: number): void {
    const lines = this.#lines.rowOf(names, this.#newest)
    for (let column = 0; column < lines.length; column++) {
      const line = lines[column]
      if (line === undefined) continue
      line.row = this.#rowNumber
      if (!line.push(time, values[column * timesMs.length + row]!)) this.#late++
    }
    this.#samples += lines.length
    this.#sinceSweep += lines.length
    if (time > this.#newest) this.#newest = time
  }

  /**
   * Takes what was measured before the first samples of its lines: what crosses a threshold there
   * is a past event, which nothing is latched by.
   * @param groups each with times of its own; those of a line rise from group to group
   */
  fill(groups: readonly SampleGroup[]): void {
    this.events.findPast((look) => {
      for (const group of groups) {
        const { timesMs } = group
        for (let row = 0; row < timesMs.length; row++) {
          if (!Number.isFinite(timesMs[row])) continue
          this.#originMs ??= Math.floor(timesMs[row]!)
          const time = (timesMs[row]! - this.#originMs) / 1000
          this.#rowNumber++
          this.#push(group, row, time)
          look(time, this.#readRow)
        }
      }
    })
    // those without any sample wait from now on
    for (const line of this.#lines.all()) {
      if (line.log.firstTime === undefined) line.seenAt = this.#newest
    }
    this.#sweep()
  }

  #seconds(timeMs: number): number {
    this.#originMs ??= Math.floor(timeMs)
    const time = (timeMs - this.#originMs) / 1000
    if (time >= this.#newest - CLOCK_BACK_S) return time
    // what comes is shown behind what was there
    this.#originMs -= (this.#newest - time) * 1000
    this.restart()
    return this.#newest
  }

  /** Ends a line here: its sender has left it out. */
  break(name: string): void {
    this.#lines.get(name)?.break()
  }

  /** Takes a line away; it comes again when it is fed. */
  remove(name: string): void {
    const line = this.#lines.get(name)
    if (line !== undefined) this.#lines.remove(line)
  }

  /**
   * Begins a new time base, after a reconnect: lines end and begin again, nothing is lost.
   * @param isOf tells which lines, where not all are of the sender that has come again
   */
  restart(isOf: (line: Line) => boolean = () => true): void {
    const latched = this.events.latched && this.#lines.byKey(this.events.latched.key)
    for (const line of this.#lines.all()) if (isOf(line)) line.restart()
    if (latched === undefined || isOf(latched)) this.events.restart()
  }

  /** Lists plots, by name. @param filter words that a plot or one of its lines has to contain */
  plots(filter = ''): readonly Plot[] {
    if (this.#plots === undefined || this.#plotted !== this.#lines.version) {
      this.#plotted = this.#lines.version
      this.#plots = groupLines(this.#lines.all(), this.#byHand)
      this.yRanges.keep(new Set(this.#plots.map(({ name }) => name)))
    }
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return this.#plots
    return this.#plots.filter(({ name, lines }) => {
      const texts = [name, ...lines.map((line) => line.name)].map((text) => text.toLowerCase())
      return words.every((word) => texts.some((text) => text.includes(word)))
    })
  }

  /** Puts a line into a plot by hand; undefined takes that back. */
  assign(name: string, plot: string | undefined): void {
    if (plot === undefined) this.#byHand.delete(name)
    else this.#byHand.set(name, plot)
    this.#plots = undefined
  }

  /**
   * Sets the moving average of a line, which may not be there yet; undefined or 0 = none.
   * @throws {RangeError} for a window that is negative, a fraction of a sample, or above the limit
   */
  setAverage(key: string, window: Window | undefined): void {
    if (window !== undefined) checkWindow(window)
    this.#lines.setAverage(key, window)
  }

  averageOf(key: string): Window | undefined {
    return this.#lines.averages.get(key)
  }

  /** Moving averages by line; of lines that may not be there. */
  get averages(): ReadonlyMap<string, Window> {
    return this.#lines.averages
  }

  /** Pauses by hand, or goes on; either forgets the trigger's event. */
  togglePause(): void {
    const isStill = this.#view.state !== 'live'
    this.events.clear()
    if (isStill) this.#view.resume()
    else this.#view.pause(this.#newest)
  }

  /** Pauses with this time at the right edge, Unix ms, of which samples may be there or come. */
  pauseAt(timeMs: number): void {
    this.#originMs ??= Math.floor(timeMs)
    this.events.clear()
    this.#view.pause((timeMs - this.#originMs) / 1000)
  }

  /** Takes back a pause by hand; what holds the picture besides stays. */
  liftPause(): void {
    this.#view.resume()
  }

  /** Takes back zooms and the trigger's event; a pause by hand and what was typed stay. */
  reset(): void {
    this.#view.resetZoom()
    this.yRanges.reset()
    this.events.clear()
  }

  /** Takes back what was panned and zoomed to: the time of all plots, and values of one. */
  resetZoom(plot: string): void {
    this.#view.resetZoom()
    this.yRanges.reset(plot)
  }

  /** Part of time that is shown; its `zero` is the time of the event, else the newest. */
  get span(): Span & { readonly zero: number } {
    const view = this.#view
    const zero = view.heldAt ?? view.whole(this.#newest).to
    return { ...view.shown(this.#newest), zero }
  }

  get state(): ViewState {
    return this.#view.state
  }

  /** Tells whether it was paused by hand; reading goes on. */
  get isPaused(): boolean {
    return this.#view.isPaused
  }

  /** Tells whether a part of the window is shown that was panned or zoomed to. */
  get isZoomed(): boolean {
    return this.#view.isZoomed
  }

  /** Part of the window that is shown. */
  get part(): Part {
    return this.#view.part
  }

  /** Shows a part of the window, as {@link part} has told it. */
  showPart(part: Part): void {
    this.#view.show(part, this.#historyS)
  }

  /** Time window, seconds. */
  get windowS(): number {
    return this.#view.windowS
  }

  /** Sets the time window, moved into its bounds. */
  set windowS(windowS: number) {
    this.#view.windowS = windowS
    this.events.setWindow(this.#view.windowS)
  }

  /** Time for which samples are kept: less where the memory does not do. */
  get historyS(): number {
    let oldest = this.#newest
    for (const line of this.#lines.all()) oldest = Math.min(oldest, line.log.firstTime ?? oldest)
    return this.#newest - oldest
  }

  /** Moves what is shown; positive = into the past. */
  pan(seconds: number): void {
    this.#view.pan(seconds, this.#historyS)
  }

  /** Shows more or less of time; see {@link TimeView.zoom}. */
  zoom(factor: number, at = 1): void {
    this.#view.zoom(factor, at, this.#historyS)
  }

  /**
   * Reads a line for its caption: at a time, else where the picture ends; while it moves, that is
   * the newest value.
   */
  valueAt({ value, log }: Line, time?: number): number {
    if (time !== undefined) return log.valueAt(time)
    const { to } = this.#view.shown(this.#newest)
    return to >= this.#newest ? value : log.valueAt(to)
  }

  /** Tells whether a line has nothing to say at present: it is drawn grey. */
  isSilent({ seenAt, log }: Line): boolean {
    return this.#newest - seenAt > Math.max(SILENT_S, SILENT_STEPS * (log.stepS || 0))
  }

  /**
   * Draws a plot: valid until the next call for the same plot.
   * @param columns width of the picture, in the smallest dots that can be told apart
   * @param ticks steps that its Y axis has room for
   */
  picture(plot: Plot, columns: number, ticks = 4): PlotPicture {
    return this.#painter.paint(plot, this.span, columns, ticks)
  }

  /** Drops what is too old, takes away lines that are silent for too long, keeps the memory. */
  #sweep(): void {
    this.#sweptAt = this.#newest
    this.#sinceSweep = 0
    const kept = this.#view.state === 'live' ? undefined : this.#view.shown(this.#newest)
    const staleBefore = this.#newest - (this.#options.staleS ?? STALE_S)
    for (const line of this.#lines.all()) {
      if (line.seenAt < staleBefore) this.#lines.remove(line)
    }
    let before = this.#newest - this.#historyS
    const limit = this.#options.maxBytes ?? MAX_BYTES
    while (this.#drop(before, kept) > limit && before < this.#newest) {
      before += GIVE_UP_PART * this.#historyS
    }
    this.events.drop(before)
  }

  #drop(before: number, kept: Span | undefined): number {
    let bytes = 0
    for (const line of this.#lines.all()) {
      line.drop(before, kept)
      bytes += line.bytes
    }
    return bytes
  }

  #note(text: string): void {
    if (this.#notes.has(text) || this.#notes.size >= NOTES_LIMIT) return
    this.#notes.add(text)
    this.#options.onNote?.(text)
  }
}

/** Finds the group whose next row is the earliest; -1 when all are taken. */
function earliest(groups: readonly SampleGroup[], next: readonly number[]): number {
  let found = -1
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < groups.length; i++) {
    const time = groups[i]!.timesMs[next[i]!]
    if (time === undefined || (found >= 0 && time >= least)) continue
    found = i
    least = time
  }
  return found
}
