/** A canvas that draws what its component was rendered with, when the frame says so. */
import type { RefObject } from 'preact'
import { Painter } from '../../../web/chart/painter.ts'
import { usePage, usePanel } from '../../../web/shell/page.ts'

export function useDrawing(
  draw: (painter: Painter, canvas: HTMLCanvasElement) => void,
): RefObject<HTMLCanvasElement | null> {
  const page = usePage()
  const canvas = usePanel<HTMLCanvasElement>({
    draw: (size) => {
      if (canvas.current === null || size.width === 0) return
      draw(new Painter(canvas.current, size, page.palette), canvas.current)
    },
  })
  return canvas
}
