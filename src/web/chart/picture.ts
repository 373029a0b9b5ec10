/**
 * Pictures of series: the one place that knows kind → chart. Counters are a filled rate from
 * zero, gauges a bare line around their data, distributions p50, p90 and p99 over a heat map,
 * summaries their mean within what they reach.
 */
import type { ClockStep } from '../../http/api.ts'
import type { SteadyRange } from '../../viewer/chart/scale.ts'
import { durationText } from '../../viewer/format/time.ts'
import type { Lane, SeriesData } from '../../viewer/store/series-data.ts'
import type { Line } from './line.ts'
import type { Plot, PlotSize } from './plot.ts'

interface PictureView {
  readonly from: number
  readonly to: number
  readonly cursor: number | null
}

interface PictureOptions {
  /** Unit of what is drawn. */
  readonly unit: string
  /** Factor of a counter's rate per second; 1 where it is not given. */
  readonly factor?: number
  readonly size: PlotSize
  readonly steady: SteadyRange
}

const LINE_WIDTH = 1.5
const PERCENTILES = [
  { lane: 'p50', color: 'trace', width: 1 },
  { lane: 'p90', color: 'trace', width: 1.5 },
  { lane: 'p99', color: 'ink', width: 1.75 },
] as const

/** Makes a copier of a lane's values in view; the first one is that of the left edge. */
function copier(data: SeriesData, { from, to }: PictureView): (lane: Lane) => Float64Array {
  return (lane) => data.values(lane, from - data.step, to)
}

/** Gives the steps of the values that {@link copier} makes. */
export function stepsOf({ step }: SeriesData, { from }: Pick<PictureView, 'from'>) {
  return { step, first: Math.floor(from / step) * step }
}

/** Plots a summary's mean, and as far around it as its deviation. */
export function deviationPicture(
  data: SeriesData,
  view: PictureView,
  options: PictureOptions,
): Plot {
  const copy = copier(data, view)
  const mean = copy('mean')
  const deviation = copy('deviation')
  const band = {
    low: mean.map((value, i) => value - deviation[i]!),
    high: mean.map((value, i) => value + deviation[i]!),
  }
  const lines = [{ values: mean, color: 'trace', width: LINE_WIDTH, name: 'mean' }] as const
  return { ...view, ...options, ...stepsOf(data, view), axis: 'around', lines, band }
}

/** Plots a summary's smallest and largest observations. */
export function rangePicture(data: SeriesData, view: PictureView, options: PictureOptions): Plot {
  const copy = copier(data, view)
  const band = { low: copy('min'), high: copy('max') }
  const line = (values: Float64Array, name: string): Line => ({
    values,
    color: 'trace',
    width: 1,
    name,
  })
  const lines = [line(band.low, 'min'), line(band.high, 'max')]
  return { ...view, ...options, ...stepsOf(data, view), axis: 'around', lines, band }
}

/** Part of a chart's width that marks an instant. */
const INSTANT_SHARE = 1 / 150

/** Marks where the hub's clock was set, if that is in view and nothing else is marked. */
export function withClockStep(plot: Plot, steps: readonly ClockStep[] = []): Plot {
  const { from, to } = plot
  const step = steps.findLast(({ atMs }) => atMs / 1000 >= from && atMs / 1000 <= to)
  if (step === undefined || plot.mark !== undefined) return plot
  const at = step.atMs / 1000
  const way = step.stepMs < 0 ? 'back' : 'ahead'
  const words = `clock set ${way} ${durationText(Math.abs(step.stepMs) / 1000)}`
  const mark = {
    from: at,
    to: at + (to - from) * INSTANT_SHARE,
    words: plot.size === 'large' ? words : '',
  }
  return { ...plot, mark }
}

export function pictureOf(data: SeriesData, view: PictureView, options: PictureOptions): Plot {
  const { from, to, cursor } = view
  const { size, steady, unit, factor = 1 } = options
  const copy = copier(data, view)
  const base = { from, to, cursor, size, steady, unit, ...stepsOf(data, view) }
  const one = (values: Float64Array, isFilled = false): Line[] => [
    { values, color: 'trace', width: LINE_WIDTH, isFilled },
  ]
  if (data.kind === 'counter') {
    const rates = copy('rate').map((rate) => rate * factor)
    return { ...base, axis: 'zero', lines: one(rates, true) }
  }
  if (data.kind === 'gauge') {
    const spread = { low: copy('min'), high: copy('max') }
    const lines = one(copy('value')).map((line) => ({ ...line, spread }))
    return { ...base, axis: 'around', lines }
  }
  if (data.kind === 'summary') {
    const lines = one(copy('mean'))
    if (size === 'spark') return { ...base, axis: 'around', lines }
    return { ...base, axis: 'around', lines, band: { low: copy('min'), high: copy('max') } }
  }
  if (size === 'spark') return { ...base, axis: 'around', lines: one(copy('p99')) }
  const lines = PERCENTILES.map(({ lane, color, width }) => ({
    values: copy(lane),
    color,
    width,
    name: lane,
  }))
  // A logarithmic axis has no place for these, and the heat map none below zero.
  const isAboveZero = lines.every(({ values }) => !values.some((value) => value <= 0))
  if (!isAboveZero) return { ...base, axis: 'around', lines }
  return { ...base, axis: 'log', lines, heat: { data, ramp: 'faint' } }
}
