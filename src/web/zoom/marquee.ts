/** The part of a chart that is being chosen, as a shade over it. */
import type { TimeAxis } from '../chart/cursor.ts'

export class Marquee {
  #shade: HTMLElement | undefined

  /** @param startX, endX CSS pixels within the canvas, in either order */
  show(canvas: HTMLCanvasElement, axis: TimeAxis, startX: number, endX: number): void {
    const box = canvas.getBoundingClientRect()
    const within = (x: number): number => Math.min(axis.right, Math.max(axis.left, x))
    const [left, right] = [within(Math.min(startX, endX)), within(Math.max(startX, endX))]
    this.#shade ??= document.createElement('div')
    const shade = this.#shade
    shade.className = 'marquee'
    shade.style.left = `${box.left + scrollX + left}px`
    shade.style.top = `${box.top + scrollY}px`
    shade.style.width = `${right - left}px`
    shade.style.height = `${box.height}px`
    if (!shade.isConnected) document.body.append(shade)
  }

  hide(): void {
    this.#shade?.remove()
  }
}
