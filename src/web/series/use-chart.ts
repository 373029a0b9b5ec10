/** A large chart of one series: subscribed while on screen, drawn by the frame. */
import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { Painter } from '../chart/painter.ts'
import { SteadyRange } from '../chart/steady-range.ts'
import { useSubscription } from '../overview/use-series.ts'
import { usePage, usePanel } from '../shell/page.ts'
import type { Entry } from '../store/catalogue.ts'
import type { SeriesData } from '../store/series-data.ts'

export interface ChartView {
  readonly data: SeriesData
  readonly from: number
  readonly to: number
  readonly cursor: number | null
  readonly steady: SteadyRange
}

export function useChart(
  entry: Entry,
  draw: (painter: Painter, view: ChartView, canvas: HTMLCanvasElement) => void,
): RefObject<HTMLCanvasElement | null> {
  const page = usePage()
  const { store, cursor } = page
  const steady = useRef(new SteadyRange())
  const canvas = usePanel<HTMLCanvasElement>({
    ...useSubscription(entry.id),
    draw: (size) => {
      const data = store.data(entry.id)
      if (canvas.current === null || size.width === 0 || data === undefined) return
      const to = store.edge()
      const painter = new Painter(canvas.current, size, page.palette)
      const view = { data, from: to - store.window, to, steady: steady.current }
      draw(painter, { ...view, cursor: cursor.second }, canvas.current)
    },
  })
  return canvas
}
