/** The time axis of every small chart above it, at the lower edge of the window. */
import type { JSX } from 'preact'
import { placeTimes } from '../../viewer/chart/labels.ts'
import { timeTicks } from '../../viewer/chart/scale.ts'
import { instantText, tickText } from '../../viewer/format/time.ts'
import type { Size } from '../chart/frame.ts'
import { Painter } from '../chart/painter.ts'
import { HALF_TIME, SCALE_WIDTH } from '../chart/plot.ts'
import { type Page, usePage, usePanel } from '../shell/page.ts'
import type { Density } from './address.ts'

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
  const ticks = timeTicks(from, to, width).map((tick) => [tick, x(tick)] as const)
  for (const [, at] of ticks) painter.vertical(at, 0, 6, 'edge')
  // Below the scale of the charts there is room for the last one.
  const axis = { left: 0, right: width + Math.min(right, HALF_TIME), half: HALF_TIME }
  for (const { tick, at } of placeTimes(ticks, axis)) {
    if (cursorX !== undefined && Math.abs(cursorX - at) <= 2 * HALF_TIME) continue
    painter.label(tickText(tick, to - from), at, size.height - 7, { align: 'center' })
  }
  page.cursor.setAxis(canvas, { from, to, left: 0, right: width })
  if (cursorX === undefined || cursor === null) return
  const words = instantText(cursor * 1000, page.store.clock.nowMs())
  const half = Math.max(HALF_TIME, painter.textWidth(words) / 2)
  const label = Math.max(half, Math.min(width - half, cursorX))
  painter.vertical(cursorX, 0, 8, 'accent')
  painter.label(words, label, size.height - 7, {
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

interface RulerProps {
  readonly density: Density
  readonly columns: number
}

export function Ruler({ density, columns }: RulerProps): JSX.Element | null {
  if (density === 'table') return null
  const slots = Array.from({ length: columns }, (_, i) => i)
  const areLines = density === 'lines'
  return (
    <div class="ruler" aria-hidden="true">
      <div class={`slots of-${density}`} style={{ '--columns': columns }}>
        {slots.map((slot) =>
          areLines ? (
            <div class="line" key={slot}>
              <span />
              <RulerCanvas right={2} />
            </div>
          ) : (
            <RulerCanvas key={slot} right={SCALE_WIDTH} />
          ),
        )}
      </div>
    </div>
  )
}
