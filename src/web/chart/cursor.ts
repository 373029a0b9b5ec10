/**
 * The linked cursor: one instant, a whole second, in all charts. Every drawn chart leaves its time
 * axis here; the pointer over one moves the cursor in all.
 */
import { signal } from '@preact/signals'

export interface TimeAxis {
  /** Unix seconds at the edges. */
  readonly from: number
  readonly to: number
  /** CSS pixels of the edges within the canvas. */
  readonly left: number
  readonly right: number
}

export class Cursor {
  readonly second = signal<number | null>(null)
  readonly #axes = new WeakMap<Element, TimeAxis>()

  setAxis(canvas: Element, axis: TimeAxis): void {
    this.#axes.set(canvas, axis)
  }

  /** Gives the time axis of a chart that has been drawn. */
  axisOf(canvas: Element): TimeAxis | undefined {
    return this.#axes.get(canvas)
  }

  set(second: number | null): void {
    if (second === this.second.peek()) return
    document.documentElement.toggleAttribute('data-cursor', second !== null)
    this.second.value = second
  }

  /** @returns a function that stops following the pointer */
  follow(root: Document): () => void {
    const move = (event: PointerEvent): void => {
      const target = event.target
      const axis = target instanceof HTMLCanvasElement ? this.#axes.get(target) : undefined
      if (axis === undefined) this.set(null)
      else this.set(secondAt(axis, event.offsetX))
    }
    const leave = (): void => this.set(null)
    // A finger does not hover: a tap puts the cursor there.
    root.addEventListener('pointerdown', move)
    root.addEventListener('pointermove', move)
    root.documentElement.addEventListener('pointerleave', leave)
    return () => {
      root.removeEventListener('pointerdown', move)
      root.removeEventListener('pointermove', move)
      root.documentElement.removeEventListener('pointerleave', leave)
    }
  }
}

function secondAt(axis: TimeAxis, x: number): number {
  const share = Math.min(1, Math.max(0, (x - axis.left) / (axis.right - axis.left)))
  return Math.round(axis.from + share * (axis.to - axis.from))
}
