/** Pictures of plots: lines with their averages, thresholds, and the range of the axis. */
import type { Range } from '../axis.ts'
import { averageName } from './captions.ts'
import type { Line } from './line/line.ts'
import { Trace, traceLog } from './line/trace.ts'
import { colorOf, type LineColor, type Plot } from './plots.ts'
import type { Span } from './time-view.ts'
import type { Thresholds, TriggerSide } from './trigger.ts'
import type { YRanges } from './y-ranges.ts'

export interface LinePicture extends LineColor {
  readonly line: Line
  /** Empty where the line is hidden. */
  readonly trace: Trace
  /** Moving average, dotted. */
  readonly average: { readonly name: string; readonly trace: Trace } | undefined
}

/** A dashed line across a plot. */
export interface ThresholdPicture {
  readonly line: Line
  readonly side: TriggerSide
  readonly value: number
  /** `TrA metric`, or `TrB` for the lower one. */
  readonly name: string
}

export interface PlotPicture {
  readonly range: Range
  readonly lines: readonly LinePicture[]
  readonly thresholds: readonly ThresholdPicture[]
}

interface Paints {
  readonly trace: Trace
  readonly average: Trace
}

/** Parts of the board that a picture is made of. */
interface Sources {
  readonly yRanges: YRanges
  readonly thresholds: ReadonlyMap<string, Thresholds>
}

export class Painter {
  readonly #sources: Sources
  /** Memory of traces, used again for each picture. */
  readonly #paints = new WeakMap<Line, Paints>()

  constructor(sources: Sources) {
    this.#sources = sources
  }

  paint(plot: Plot, span: Span, columns: number, ticks: number): PlotPicture {
    const lines = plot.lines.map((line) => this.#paintLine(line, span, columns))
    const thresholds = this.#thresholdsOf(plot)
    const range = this.#sources.yRanges.range(
      plot.name,
      extremes(lines, thresholds),
      span,
      ticks,
      commonUnit(plot),
    )
    return { range, lines, thresholds }
  }

  #paintLine(line: Line, { from, to }: Span, columns: number): LinePicture {
    let paints = this.#paints.get(line)
    if (paints === undefined) {
      paints = { trace: new Trace(), average: new Trace() }
      this.#paints.set(line, paints)
    }
    const { trace } = paints
    trace.clear()
    if (line.isHidden) return { ...colorOf(line), line, trace, average: undefined }
    traceLog(line.log, from, to, columns, trace)
    if (line.average === undefined) return { ...colorOf(line), line, trace, average: undefined }
    traceLog(line.average.log, from, to, columns, paints.average)
    const average = { name: averageName(line), trace: paints.average }
    return { ...colorOf(line), line, trace, average }
  }

  #thresholdsOf({ lines }: Plot): ThresholdPicture[] {
    const { thresholds } = this.#sources
    if (thresholds.size === 0) return []
    return lines.flatMap((line) => {
      const set = line.isHidden ? undefined : thresholds.get(line.key)
      if (set === undefined) return []
      const { below, above } = set
      const found: ThresholdPicture[] = []
      if (below !== null)
        found.push({ line, side: 'below', value: below, name: `TrB ${line.name}` })
      if (above !== null)
        found.push({ line, side: 'above', value: above, name: `TrA ${line.name}` })
      return found
    })
  }
}

/** Finds what the axis has to hold: what is seen of the lines, and the thresholds. */
function extremes(lines: readonly LinePicture[], thresholds: readonly ThresholdPicture[]): Range {
  let lo = Number.POSITIVE_INFINITY
  let hi = Number.NEGATIVE_INFINITY
  for (const { trace } of lines) {
    lo = Math.min(lo, trace.low)
    hi = Math.max(hi, trace.high)
  }
  for (const { value } of thresholds) {
    lo = Math.min(lo, value)
    hi = Math.max(hi, value)
  }
  return { lo, hi }
}

/** Finds the unit that all lines of a plot have. */
function commonUnit({ lines }: Plot): string | undefined {
  const unit = lines[0]?.about.unit
  return lines.every(({ about }) => about.unit === unit) ? unit : undefined
}
