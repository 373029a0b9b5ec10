/** The time axis of every small chart above it, at the lower edge of the window. */
import type { JSX } from 'preact'
import type { Size } from '../chart/frame.ts'
import { Painter } from '../chart/painter.ts'
import { SCALE_WIDTH } from '../chart/plot.ts'
import { timeTicks } from '../chart/scale.ts'
import { clockText } from '../format/time.ts'
import { type Page, usePage, usePanel } from '../shell/page.ts'
import type { Density } from './address.ts'

/** Number of columns that the overview has at most, by the container queries of overview.css. */
const COLUMNS: Readonly<Record<Density, number>> = { charts: 6, lines: 3, table: 0 }
/** Half the width of `14:03:22`, and the distance at which two of them would touch. */
const HALF_LABEL = 28
const LABEL_ROOM = 64

function drawRuler(page: Page, canvas: HTMLCanvasElement, size: Size, right: number): void {
  if (size.width === 0) return
  const to = page.store.clock.edge()
  const from = to - page.store.clock.window.value
  const width = size.width - right
  const painter = new Painter(canvas, size, page.theme.palette)
  const x = (second: number): number => ((second - from) / (to - from)) * width
  const cursor = page.cursor.second.value
  const cursorX = cursor !== null && cursor >= from && cursor <= to ? x(cursor) : undefined
  for (const tick of timeTicks(from, to, width, 24)) painter.vertical(x(tick), 0, 3, 'edge')
  for (const tick of timeTicks(from, to, width)) {
    const at = x(tick)
    painter.vertical(at, 0, 6, 'edge')
    const align = at < HALF_LABEL ? 'left' : at > width - HALF_LABEL ? 'right' : 'center'
    if (cursorX !== undefined && Math.abs(cursorX - at) <= LABEL_ROOM) continue
    painter.label(clockText(tick * 1000), at, size.height - 7, { align })
  }
  page.cursor.setAxis(canvas, { from, to, left: 0, right: width })
  if (cursorX === undefined || cursor === null) return
  const label = Math.max(HALF_LABEL, Math.min(width - HALF_LABEL, cursorX))
  painter.vertical(cursorX, 0, 8, 'accent')
  painter.label(clockText(cursor * 1000), label, size.height - 7, {
    align: 'center',
    color: 'accent',
    weight: 600,
  })
}

function RulerCanvas({ right }: { right: number }): JSX.Element {
  const page = usePage()
  const canvas = usePanel<HTMLCanvasElement>({
    draw: (size) => {
      if (canvas.current) drawRuler(page, canvas.current, size, right)
    },
  })
  return <canvas ref={canvas} />
}

export function Ruler({ density }: { density: Density }): JSX.Element | null {
  const slots = Array.from({ length: COLUMNS[density] }, (_, i) => i)
  if (slots.length === 0) return null
  if (density === 'lines') {
    return (
      <div class="ruler" aria-hidden="true">
        <div class="lines">
          {slots.map((slot) => (
            <div class="line" key={slot}>
              <span />
              <RulerCanvas right={2} />
            </div>
          ))}
        </div>
      </div>
    )
  }
  return (
    <div class="ruler" aria-hidden="true">
      <div class="slots">
        {slots.map((slot) => (
          <RulerCanvas key={slot} right={SCALE_WIDTH} />
        ))}
      </div>
    </div>
  )
}
