/**
 * One animation frame for the whole page. A picture is drawn only while it is on screen, and only
 * when something changed: a tick, the cursor, a size, the theme. One that is near the screen lives
 * and is drawn once its data have come, so that it is there when it is scrolled to. Sizes come from
 * an observer, because reading them while drawing would force a layout for every chart.
 */
import { takeTurns } from './turns.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Panel {
  /** Called in a frame, while on screen. The size is that of the element's content box. */
  draw?: (size: Size) => void
  /**
   * Tells whether there is something to draw; without it there always is. Until then one that is
   * near the screen is drawn whenever something changes.
   */
  isReady?: () => boolean
  /** Called when it comes near the screen. */
  enter?: () => void
  leave?: () => void
}

/**
 * Distance from the screen at which charts begin to live, before they are scrolled into view: at
 * twelve notches of a wheel a second their data have come by then.
 */
const MARGIN = '400px'

/** Time for drawing in one frame, ms: what is left of it is the browser's. Others wait a frame. */
const BUDGET_MS = 6

interface Watched extends Panel {
  isNear: boolean
  isOnScreen: boolean
  isDirty: boolean
  /** Whether it was drawn since it came near, and had something to draw. */
  isDrawn: boolean
  size: Size
}

const isSeen = ({ isOnScreen, isDirty }: Watched): boolean => isDirty && isOnScreen
const isComing = ({ isNear, isOnScreen, isDirty, isDrawn }: Watched): boolean =>
  isDirty && !isOnScreen && isNear && !isDrawn

export class Frame {
  readonly #panels = new Map<Element, Watched>()
  #request = 0
  readonly #near = new IntersectionObserver((entries) => this.#comeNear(entries), {
    rootMargin: MARGIN,
  })
  readonly #onScreen = new IntersectionObserver((entries) => this.#comeOnScreen(entries))
  readonly #sizes = new ResizeObserver((entries) => this.#measure(entries))

  /** @returns a function that ends it; `leave` is called then if the panel was near the screen */
  watch(element: Element, panel: Panel): () => void {
    const size = { width: 0, height: 0 }
    const state = { isNear: false, isOnScreen: false, isDirty: true, isDrawn: false }
    this.#panels.set(element, { ...panel, ...state, size })
    this.#near.observe(element)
    if (panel.draw) {
      this.#onScreen.observe(element)
      this.#sizes.observe(element)
    }
    return () => {
      this.#near.unobserve(element)
      this.#onScreen.unobserve(element)
      this.#sizes.unobserve(element)
      const watched = this.#panels.get(element)
      this.#panels.delete(element)
      if (watched?.isNear !== true) return
      watched.isNear = false
      watched.leave?.()
    }
  }

  /** Draws everything on screen in the next frame. */
  redraw(): void {
    for (const panel of this.#panels.values()) panel.isDirty = true
    this.#schedule()
  }

  /** Draws one panel in the next frame. */
  touch(element: Element): void {
    const panel = this.#panels.get(element)
    if (panel === undefined) return
    panel.isDirty = true
    this.#schedule()
  }

  #schedule(): void {
    if (this.#request === 0) this.#request = requestAnimationFrame(() => this.#draw())
  }

  #draw(): void {
    this.#request = 0
    const draw = (panel: Watched): void => {
      panel.isDirty = false
      panel.isDrawn = panel.isReady?.() ?? true
      panel.draw?.(panel.size)
    }
    const now = (): number => performance.now()
    const endMs = now() + BUDGET_MS
    // what is seen goes before what is still to come
    for (const isDue of [isSeen, isComing]) {
      if (!takeTurns(this.#panels, isDue, draw, { endMs, now })) continue
      this.#schedule()
      return
    }
  }

  #comeNear(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const panel = this.#panels.get(target)
      if (panel === undefined || panel.isNear === isIntersecting) continue
      panel.isNear = isIntersecting
      panel.isDrawn = false
      if (isIntersecting) {
        panel.isDirty = true
        panel.enter?.()
      } else panel.leave?.()
    }
    this.#schedule()
  }

  #comeOnScreen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const panel = this.#panels.get(target)
      if (panel) panel.isOnScreen = isIntersecting
    }
    this.#schedule()
  }

  #measure(entries: readonly ResizeObserverEntry[]): void {
    for (const { target, contentRect } of entries) {
      const panel = this.#panels.get(target)
      if (panel === undefined) continue
      panel.size = { width: contentRect.width, height: contentRect.height }
      panel.isDirty = true
    }
    this.#schedule()
  }
}
