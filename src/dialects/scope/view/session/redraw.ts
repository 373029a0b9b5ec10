/**
 * When a board draws itself again: lines in every frame in which something has come, numbers four
 * times a second at most, because faster they cannot be read. Where less motion is preferred, all
 * of it once a second, unless the person asks otherwise.
 */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'

const NUMBERS_MS = 250
const CALM_MS = 1000
const SETTING = 'pentameter.scope.motion'
const FULL = 'full'

interface RedrawnPanel {
  /** Draws in the next frame. */
  touch(): void
  /** Writes numbers. */
  write(): void
}

export class Redraw {
  readonly #panels = new Set<RedrawnPanel>()
  readonly #preference = matchMedia('(prefers-reduced-motion: reduce)')
  readonly #isReduced: Signal<boolean> = signal(this.#preference.matches)
  readonly #isFull: Signal<boolean> = signal(localStorage.getItem(SETTING) === FULL)
  readonly #timer: ReturnType<typeof setInterval>
  #isDue = false
  #calm: ReturnType<typeof setTimeout> | undefined
  /** Whether the person prefers less motion, so that there is something to choose. */
  readonly isReduced: ReadonlySignal<boolean> = this.#isReduced
  /** Whether lines move as they come. */
  readonly isSmooth: ReadonlySignal<boolean> = computed(
    () => this.#isFull.value || !this.#isReduced.value,
  )

  constructor() {
    this.#preference.addEventListener('change', this.#prefer)
    this.#timer = setInterval(() => {
      if (!this.isSmooth.peek()) return
      if (this.#isDue) this.#write()
    }, NUMBERS_MS)
  }

  close(): void {
    this.#preference.removeEventListener('change', this.#prefer)
    clearInterval(this.#timer)
    clearTimeout(this.#calm)
  }

  readonly #prefer = (): void => {
    this.#isReduced.value = this.#preference.matches
  }

  /** Chooses whether lines move as they come although less motion is preferred. */
  chooseMotion(isFull: boolean): void {
    if (isFull) localStorage.setItem(SETTING, FULL)
    else localStorage.removeItem(SETTING)
    this.#isFull.value = isFull
  }

  /** @returns a function that ends it */
  watch(panel: RedrawnPanel): () => void {
    this.#panels.add(panel)
    return () => {
      this.#panels.delete(panel)
    }
  }

  /** Draws soon: something has come. */
  ask(): void {
    if (this.isSmooth.peek()) {
      this.#isDue = true
      this.#touch()
    } else this.#calm ??= setTimeout(() => this.now(), CALM_MS)
  }

  /** Draws at once: the person did something. */
  now(): void {
    clearTimeout(this.#calm)
    this.#calm = undefined
    this.#touch()
    this.#write()
  }

  #touch(): void {
    for (const panel of this.#panels) panel.touch()
  }

  #write(): void {
    this.#isDue = false
    for (const panel of this.#panels) panel.write()
  }
}
