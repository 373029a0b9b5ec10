/**
 * One animation frame for the whole page. A picture is drawn only while it is on screen, and only
 * when something changed: a tick, the cursor, a size, the theme. Sizes come from an observer,
 * because reading them while drawing would force a layout for every chart.
 */
import { takeTurns } from './turns.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Panel {
  /** Called in a frame, while on screen. The size is that of the element's content box. */
  draw?: (size: Size) => void
  enter?: () => void
  leave?: () => void
}

/** Charts begin to live a little before they are scrolled into view. */
const MARGIN = '160px'

/** Time for drawing in one frame, ms: what is left of it is the browser's. Others wait a frame. */
const BUDGET_MS = 6

interface Watched extends Panel {
  isVisible: boolean
  isDirty: boolean
  size: Size
}

export class Frame {
  readonly #panels = new Map<Element, Watched>()
  #request = 0
  readonly #visibility = new IntersectionObserver((entries) => this.#see(entries), {
    rootMargin: MARGIN,
  })
  readonly #sizes = new ResizeObserver((entries) => this.#measure(entries))

  /** @returns a function that ends it; `leave` is called then if the panel was on screen */
  watch(element: Element, panel: Panel): () => void {
    const size = { width: 0, height: 0 }
    this.#panels.set(element, { ...panel, isVisible: false, isDirty: true, size })
    this.#visibility.observe(element)
    if (panel.draw) this.#sizes.observe(element)
    return () => {
      this.#visibility.unobserve(element)
      this.#sizes.unobserve(element)
      const watched = this.#panels.get(element)
      this.#panels.delete(element)
      if (watched?.isVisible !== true) return
      watched.isVisible = false
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
    const isLeft = takeTurns(
      this.#panels,
      (panel) => panel.isVisible && panel.isDirty,
      (panel) => {
        panel.isDirty = false
        panel.draw?.(panel.size)
      },
      { budgetMs: BUDGET_MS, now: () => performance.now() },
    )
    if (isLeft) this.#schedule()
  }

  #see(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const panel = this.#panels.get(target)
      if (panel === undefined || panel.isVisible === isIntersecting) continue
      panel.isVisible = isIntersecting
      if (isIntersecting) {
        panel.isDirty = true
        panel.enter?.()
      } else panel.leave?.()
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
