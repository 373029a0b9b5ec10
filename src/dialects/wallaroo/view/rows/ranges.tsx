/** Quantities, range bars on one axis, and sparks, as the rows of tables have them. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { type Range, SteadyRange } from '../../../../viewer/chart/scale.ts'
import { allDigits, format, NO_BREAK_SPACE, text } from '../../../../viewer/format/number.ts'
import { drawPlot } from '../../../../web/chart/plot.ts'
import { useDrawing } from '../../../../web/shell/page.ts'
import { drawRangeAxis, drawRangeBar, type Percentiles } from './range-bar.ts'

const SPARK_WIDTH = 1.25

/** Shows a quantity with all its digits on hover. */
export function Amount({ value, unit }: { value: number; unit: string }): JSX.Element {
  const [number, name] = format(value, unit)
  return (
    <span title={allDigits(value, unit)}>
      {number}
      {name !== '' && <span class="unit">{NO_BREAK_SPACE + name}</span>}
    </span>
  )
}

export function RangeAxis({ axis }: { axis: Range }): JSX.Element {
  const canvas = useDrawing((painter) => drawRangeAxis(painter, axis))
  const { lo, hi } = axis
  const words = `Axis from ${text(lo, 'ns')} to ${text(hi, 'ns')}`
  return <canvas ref={canvas} class="h18" role="img" aria-label={words} />
}

interface RangeBarProps {
  readonly of: string
  readonly percentiles: Percentiles
  readonly axis: Range
  readonly isSlow: boolean
}

export function RangeBar({ of, percentiles, axis, isSlow }: RangeBarProps): JSX.Element {
  const canvas = useDrawing((painter) => {
    drawRangeBar(painter, percentiles, axis, isSlow ? 'warn-mark' : 'trace')
  })
  const parts = (['p50', 'p95', 'p99', 'p999'] as const).map((key) => {
    return `${key === 'p999' ? 'p99.9' : key} ${text(percentiles[key], 'ns')}`
  })
  const slow = isSlow ? ', slow' : ''
  return <canvas ref={canvas} role="img" aria-label={`${of}, ${parts.join(', ')}${slow}`} />
}

/** Draws messages a second in equal parts of the window; a part without any window is a gap. */
export function Spark({ of, line }: { of: string; line: readonly (number | null)[] }): JSX.Element {
  const steady = useRef(new SteadyRange())
  const canvas = useDrawing((painter) => {
    const values = Float64Array.from(line, (value) => value ?? Number.NaN)
    drawPlot(painter, {
      from: 0,
      to: Math.max(1, values.length - 1),
      step: 1,
      lines: [{ values, color: 'trace', width: SPARK_WIDTH }],
      axis: 'zero',
      unit: '/s',
      size: 'spark',
      steady: steady.current,
      cursor: null,
    })
  })
  return <canvas ref={canvas} role="img" aria-label={`Messages per second of ${of}`} />
}
