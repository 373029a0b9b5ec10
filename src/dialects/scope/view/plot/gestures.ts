/**
 * Pointer on a plot: dragging moves the time of all plots, with Shift the values of this one; the
 * wheel with Ctrl and two fingers show more or less of it; a double click takes all that back.
 */
import type { ScopeSession } from '../session/session.ts'
import type { DrawnPlot } from './draw-plot.ts'

/** Wheel distance that doubles what is shown: four notches of an ordinary wheel. */
const DOUBLING_PIXELS = 400
/** Pixels of a line, where a wheel counts in lines. */
const LINE_PIXELS = 16
/** Movement from which on a press is a drag, in CSS pixels. */
const DRAG_PIXELS = 4
/** Distance of two fingers below which they are taken for one, in CSS pixels. */
const FINGERS_LEAST = 20

interface Point {
  readonly x: number
  readonly y: number
}

export class PlotGestures {
  readonly #session: ScopeSession
  readonly #plot: () => string
  readonly #drawn: () => DrawnPlot | undefined
  /** Pointers that are down, where they were last. */
  readonly #points = new Map<number, Point>()
  #isDragging = false

  /** @param drawn what the canvas shows now */
  constructor(session: ScopeSession, plot: () => string, drawn: () => DrawnPlot | undefined) {
    this.#session = session
    this.#plot = plot
    this.#drawn = drawn
  }

  /** Follows the pointer over a canvas. @returns a function that ends it */
  follow(canvas: HTMLCanvasElement): () => void {
    const end = new AbortController()
    const { signal } = end
    const on = <K extends keyof HTMLElementEventMap>(
      name: K,
      take: (event: HTMLElementEventMap[K]) => void,
      passive = true,
    ): void => canvas.addEventListener(name, take, { signal, passive })
    on('pointerdown', (event) => this.#press(event, canvas))
    on('pointermove', (event) => this.#move(event, canvas))
    on('pointerup', (event) => this.#release(event))
    on('pointercancel', (event) => this.#release(event))
    on('pointerleave', (event) => {
      if (event.pointerType !== 'touch') this.#session.setCursor(null)
    })
    on('dblclick', () => this.#session.resetZoom(this.#plot()))
    on('wheel', (event) => this.#wheel(event), false)
    return () => end.abort()
  }

  #press(event: PointerEvent, canvas: HTMLCanvasElement): void {
    if (event.button !== 0) return
    this.#points.set(event.pointerId, { x: event.offsetX, y: event.offsetY })
    this.#isDragging = false
    canvas.setPointerCapture(event.pointerId)
    if (event.pointerType === 'touch') this.#putCursor(event.offsetX)
  }

  #move(event: PointerEvent, canvas: HTMLCanvasElement): void {
    const last = this.#points.get(event.pointerId)
    const next = { x: event.offsetX, y: event.offsetY }
    if (last === undefined) {
      if (event.pointerType !== 'touch') this.#putCursor(next.x)
      return
    }
    const distance = Math.hypot(next.x - last.x, next.y - last.y)
    if (!this.#isDragging && distance < DRAG_PIXELS) return
    this.#isDragging = true
    canvas.toggleAttribute('data-dragged', true)
    const other = [...this.#points].find(([id]) => id !== event.pointerId)?.[1]
    this.#points.set(event.pointerId, next)
    if (other !== undefined) this.#pinch(last, next, other)
    else if (event.shiftKey) this.#moveValues(next.y - last.y)
    else this.#moveTime(next.x - last.x)
    if (event.pointerType !== 'touch') this.#putCursor(next.x)
  }

  #release(event: PointerEvent): void {
    this.#points.delete(event.pointerId)
    this.#isDragging = false
    if (event.target instanceof Element) event.target.removeAttribute('data-dragged')
  }

  #putCursor(x: number): void {
    this.#session.setCursor(this.#shareAt(x))
  }

  /** Finds the share of the picture left of a place. */
  #shareAt(x: number): number | null {
    const drawn = this.#drawn()
    if (drawn === undefined) return null
    const { left, right } = drawn.box
    return Math.min(1, Math.max(0, (x - left) / (right - left)))
  }

  #moveTime(pixels: number): void {
    const drawn = this.#drawn()
    if (drawn === undefined) return
    const { box, span } = drawn
    this.#session.pan((pixels * (span.to - span.from)) / (box.right - box.left))
  }

  #moveValues(pixels: number): void {
    const drawn = this.#drawn()
    if (drawn === undefined) return
    const { box, range } = drawn
    const by = (pixels * (range.hi - range.lo)) / (box.bottom - box.top)
    this.#session.zoomValues(this.#plot(), { lo: range.lo + by, hi: range.hi + by })
  }

  #pinch(last: Point, next: Point, other: Point): void {
    const before = Math.abs(last.x - other.x)
    const after = Math.abs(next.x - other.x)
    const share = this.#shareAt((next.x + other.x) / 2)
    if (before < FINGERS_LEAST || after < FINGERS_LEAST || share === null) return
    this.#session.zoom(before / after, share)
  }

  #wheel(event: WheelEvent): void {
    const unit = event.deltaMode === 0 ? 1 : LINE_PIXELS
    const drawn = this.#drawn()
    if (drawn === undefined) return
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault()
      // with Shift some systems turn the wheel sideways
      const factor = 2 ** (((event.deltaY || event.deltaX) * unit) / DOUBLING_PIXELS)
      if (event.shiftKey) this.#zoomValues(factor, event.offsetY, drawn)
      else this.#session.zoom(factor, this.#shareAt(event.offsetX) ?? 1)
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault()
      this.#moveTime(-event.deltaX * unit)
    }
  }

  #zoomValues(factor: number, y: number, { box, range }: DrawnPlot): void {
    const share = Math.min(1, Math.max(0, (box.bottom - y) / (box.bottom - box.top)))
    const still = range.lo + share * (range.hi - range.lo)
    const size = (range.hi - range.lo) * factor
    if (!Number.isFinite(size) || size === 0) return
    const lo = still - share * size
    this.#session.zoomValues(this.#plot(), { lo, hi: lo + size })
  }
}
