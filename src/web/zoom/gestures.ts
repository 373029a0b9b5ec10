/**
 * Zooming and panning of all charts at once, by pointer and by keyboard: dragging moves the time,
 * dragging with Shift chooses a part, the wheel with Ctrl makes the window longer or shorter, a
 * double click goes back. The picture follows at once, the URL a little later: browsers bound how
 * often it may change.
 */
import type { Cursor, TimeAxis } from '../chart/cursor.ts'
import { Marquee } from './marquee.ts'
import {
  between,
  edgeOf,
  panned,
  type Reach,
  rounded,
  type Span,
  STANDARD_WINDOW,
  zoomed,
} from './span.ts'

/** Movement from which on a press is a drag, in CSS pixels. */
const DRAG_PIXELS = 4
/** Pause between two writings of the URL, ms. */
const WRITE_MS = 200
/** Pause that ends a gesture: the next one is a step of its own to go back to. */
const REST_MS = 800
/** Wheel distance that doubles the window: four notches of an ordinary wheel. */
const DOUBLING_PIXELS = 400
/** Pixels of a line, where a wheel counts in lines. */
const LINE_PIXELS = 16

/** Page, as gestures change it. */
interface ZoomedPage {
  readonly cursor: Cursor
  /** Gives what is shown, as the URL has it. */
  span(): Span
  reach(): Reach
  /** Shows a stretch at once, without writing it down. */
  show(span: Span): void
  /** Writes what is shown into the URL. */
  write(span: Span, how: 'push' | 'replace'): void
}

interface Drag {
  readonly canvas: HTMLCanvasElement
  readonly pointer: number
  readonly axis: TimeAxis
  readonly startX: number
  readonly start: Span
  readonly isChoosing: boolean
  isMoving: boolean
}

export class Gestures {
  readonly #page: ZoomedPage
  readonly #marquee = new Marquee()
  /** Stretch that is shown while a gesture goes on, with fractions of a second. */
  #shown: Span | undefined
  /** Stretch that was shown before the first of several gestures. */
  #before: Span | undefined
  #how: 'push' | 'replace' = 'push'
  #writing: ReturnType<typeof setTimeout> | undefined
  #resting: ReturnType<typeof setTimeout> | undefined
  #drag: Drag | undefined
  readonly #wheeled = new WeakSet<HTMLCanvasElement>()

  constructor(page: ZoomedPage) {
    this.#page = page
  }

  /** Follows the pointer over the charts of a document. */
  follow(root: Document): void {
    root.addEventListener('pointerover', ({ target }) => this.#meet(target))
    root.addEventListener('pointerdown', (event) => this.#press(event))
    root.addEventListener('pointermove', (event) => this.#move(event))
    root.addEventListener('pointerup', (event) => this.#release(event))
    root.addEventListener('pointercancel', () => this.#abandon())
    root.addEventListener('dblclick', ({ target }) => {
      if (this.#axisOf(target) !== undefined) this.back()
    })
  }

  /** Makes the window longer or shorter around the cursor, without one at the right edge. */
  zoom(factor: number): void {
    const { cursor } = this.#page
    const span = this.#now()
    const anchor = cursor.second.peek() ?? edgeOf(span, this.#page.reach())
    this.#go(zoomed(span, factor, anchor, this.#page.reach()))
  }

  /** Moves by a share of the window. */
  pan(share: number): void {
    const span = this.#now()
    this.#go(panned(span, share * span.window, this.#page.reach()))
  }

  /**
   * Goes back to the picture that moves, with the window it had before zooming; from there to the
   * standard window.
   */
  back(): void {
    const now = this.#now()
    this.#rest()
    const isBack = this.#before === undefined && now.at === null
    this.#go({ window: isBack ? STANDARD_WINDOW : (this.#before ?? now).window, at: null })
    this.#before = undefined
  }

  /** Ends gestures, and forgets what was before them: another window is chosen. */
  forget(): void {
    this.#rest()
    this.#before = undefined
  }

  /** Ends a drag that goes on: nothing is chosen. @returns whether there was one */
  abandon(): boolean {
    const isDragging = this.#drag?.isMoving ?? false
    if (isDragging) this.#abandon()
    return isDragging
  }

  #now(): Span {
    return this.#shown ?? this.#page.span()
  }

  #go(span: Span): void {
    this.#before ??= this.#page.span()
    this.#shown = span
    this.#page.show(rounded(span))
    this.#writing ??= setTimeout(() => this.#write(), WRITE_MS)
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => this.#rest(), REST_MS)
  }

  #write(): void {
    clearTimeout(this.#writing)
    this.#writing = undefined
    if (this.#shown === undefined) return
    this.#page.write(rounded(this.#shown), this.#how)
    this.#how = 'replace'
  }

  #rest(): void {
    if (this.#drag?.isMoving) return
    clearTimeout(this.#resting)
    if (this.#writing !== undefined) this.#write()
    this.#shown = undefined
    this.#how = 'push'
  }

  /** Takes the wheel from a chart only, so that the rest of the page scrolls undisturbed. */
  #meet(target: EventTarget | null): void {
    if (!(target instanceof HTMLCanvasElement) || this.#wheeled.has(target)) return
    if (this.#axisOf(target) === undefined) return
    this.#wheeled.add(target)
    target.addEventListener('wheel', (event) => this.#wheel(event, target), { passive: false })
  }

  #wheel(event: WheelEvent, canvas: HTMLCanvasElement): void {
    const axis = this.#axisOf(canvas)
    if (axis === undefined) return
    const unit = event.deltaMode === 0 ? 1 : LINE_PIXELS
    const span = this.#now()
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault()
      const factor = 2 ** ((event.deltaY * unit) / DOUBLING_PIXELS)
      this.#go(zoomed(span, factor, instantAt(axis, event.offsetX), this.#page.reach()))
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault()
      this.#go(panned(span, event.deltaX * unit * secondsPerPixel(axis), this.#page.reach()))
    }
  }

  #press(event: PointerEvent): void {
    const axis = this.#axisOf(event.target)
    if (axis === undefined || event.button !== 0 || !event.isPrimary) return
    const { pointerId, offsetX, shiftKey } = event
    const start = this.#now()
    this.#drag = {
      canvas: event.target as HTMLCanvasElement,
      pointer: pointerId,
      axis,
      startX: offsetX,
      start: { ...start, at: edgeOf(start, this.#page.reach()) },
      isChoosing: shiftKey,
      isMoving: false,
    }
    // With Shift a press would choose text instead.
    if (shiftKey) event.preventDefault()
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag
    if (drag === undefined || event.pointerId !== drag.pointer) return
    const distance = event.clientX - drag.canvas.getBoundingClientRect().left - drag.startX
    if (!drag.isMoving) {
      if (Math.abs(distance) < DRAG_PIXELS) return
      drag.isMoving = true
      drag.canvas.setPointerCapture(drag.pointer)
      document.documentElement.toggleAttribute('data-panning', !drag.isChoosing)
    }
    const { axis, startX, start } = drag
    if (drag.isChoosing) this.#marquee.show(drag.canvas, axis, startX, startX + distance)
    else this.#go(panned(start, -distance * secondsPerPixel(axis), this.#page.reach()))
  }

  #release(event: PointerEvent): void {
    const drag = this.#drag
    if (drag === undefined || event.pointerId !== drag.pointer) return
    const { axis, startX, isMoving, isChoosing } = drag
    const endX = event.clientX - drag.canvas.getBoundingClientRect().left
    this.#abandon()
    if (!isMoving) return
    if (!isChoosing) {
      this.#write()
      this.#rest()
      return
    }
    const [from, to] = [startX, endX].sort((a, b) => a - b).map((x) => instantAt(axis, x))
    this.#go(between(from!, to!, this.#page.reach()))
  }

  #abandon(): void {
    this.#drag = undefined
    this.#marquee.hide()
    document.documentElement.removeAttribute('data-panning')
  }

  /** Finds the time axis of a chart; that of a picture within a button is the button's. */
  #axisOf(target: EventTarget | null): TimeAxis | undefined {
    if (!(target instanceof HTMLCanvasElement) || target.closest('button, a')) return undefined
    return this.#page.cursor.axisOf(target)
  }
}

function secondsPerPixel({ from, to, left, right }: TimeAxis): number {
  return (to - from) / Math.max(1, right - left)
}

function instantAt(axis: TimeAxis, x: number): number {
  const inside = Math.min(axis.right, Math.max(axis.left, x))
  return axis.from + (inside - axis.left) * secondsPerPixel(axis)
}
