/**
 * Y ranges of plots: typed, zoomed to, or automatic, which grow at once and shrink only after a
 * whole window without need.
 */
import { isOneValue, niceRange, type Range, SteadyRange } from '../axis.ts'

/** Ends of an axis that were typed; null = automatic. */
export interface TypedRange {
  readonly min: number | null
  readonly max: number | null
}

const AUTOMATIC: TypedRange = { min: null, max: null }
const EMPTY: Range = { lo: 0, hi: 1 }
const BYTE_UNITS: ReadonlySet<string> = new Set(['B', 'By', 'byte', 'bytes'])

export class YRanges {
  /** Ranges by plot; kept for plots that are not there, or not yet. */
  readonly #typed = new Map<string, TypedRange>()
  readonly #zoomed = new Map<string, Range>()
  readonly #steady = new Map<string, SteadyRange>()

  typed(plot: string): TypedRange {
    return this.#typed.get(plot) ?? AUTOMATIC
  }

  /** @throws {RangeError} for a range whose ends are no numbers or not in order */
  set(plot: string, { min, max }: TypedRange): void {
    const isNumber = (end: number | null): boolean => end === null || Number.isFinite(end)
    if (!isNumber(min) || !isNumber(max)) throw new RangeError('ends of a range must be finite')
    if (min !== null && max !== null && min >= max)
      throw new RangeError(`range of ${min} to ${max}`)
    this.#zoomed.delete(plot)
    if (min === null && max === null) this.#typed.delete(plot)
    else this.#typed.set(plot, { min, max })
  }

  /** Shows another part until it is reset. */
  zoom(plot: string, range: Range): void {
    if (range.hi > range.lo) this.#zoomed.set(plot, range)
  }

  /** Ranges that were zoomed to, by plot. */
  get zoomed(): ReadonlyMap<string, Range> {
    return this.#zoomed
  }

  /** Takes back zooms, of one plot or of all; what was typed stays. */
  reset(plot?: string): void {
    if (plot === undefined) this.#zoomed.clear()
    else this.#zoomed.delete(plot)
  }

  /** Forgets the automatic ranges of plots that are gone. */
  keep(plots: ReadonlySet<string>): void {
    for (const plot of this.#steady.keys()) if (!plots.has(plot)) this.#steady.delete(plot)
  }

  /**
   * Gives the range to draw.
   * @param data extremes of what is shown; lo > hi where there is nothing
   * @param unit of all lines of the plot, where they have the same
   */
  range(plot: string, data: Range, view: View, ticks: number, unit?: string): Range {
    const zoomed = this.#zoomed.get(plot)
    if (zoomed !== undefined) return zoomed
    const { min, max } = this.typed(plot)
    if (min !== null && max !== null) return { lo: min, hi: max }
    const automatic = this.#automatic(plot, data, view, ticks, unit)
    const lo = min ?? automatic.lo
    const hi = max ?? automatic.hi
    if (lo < hi) return { lo, hi }
    // the data lie wholly beyond the end that was typed
    const room = Math.abs(lo) * 0.5 || 1
    return min === null ? { lo: hi - room, hi } : { lo, hi: lo + room }
  }

  #automatic(plot: string, data: Range, view: View, ticks: number, unit?: string): Range {
    const steps = unit !== undefined && BYTE_UNITS.has(unit) ? 'binary' : 'decimal'
    const steady = this.#steady.get(plot) ?? new SteadyRange()
    this.#steady.set(plot, steady)
    if (!(data.lo <= data.hi)) return steady.current ?? EMPTY
    const nice = niceRange('around', data, ticks, steps)
    // the wide range of first values that hardly differ would stay for a whole window
    if (isOneValue(data) && steady.current === undefined) return nice
    const windowS = view.to - view.from
    return steady.update(nice, view.to, windowS, `${windowS.toFixed(3)} ${ticks} ${steps}`)
  }
}

/** Seconds at the edges of what is shown. */
interface View {
  readonly from: number
  readonly to: number
}
