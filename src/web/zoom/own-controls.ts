/**
 * Controls of a view that has its own time: bar and keys, which all views share, then act on it.
 * It gives them to the page for as long as it is shown.
 */
import type { ReadonlySignal } from '@preact/signals'
import type { NamedAction } from '../keys/keys.ts'

/** State of its picture, as the bar has it in one word and a mark. */
export interface OwnState {
  readonly word: string
  readonly dot: string
  /** The picture stands still: the button resumes. */
  readonly isStill: boolean
}

export interface OwnControls {
  /** Seconds that it shows. */
  readonly window: ReadonlySignal<number>
  readonly windowLeast: number
  readonly windowMost: number
  readonly state: ReadonlySignal<OwnState>
  /** Gives the instant that its values are of, Unix ms. */
  instantMs(): number
  chooseWindow(seconds: number): void
  togglePause(): void
  /** Carries out an action in its own way. @returns false for what it leaves to the page */
  perform(action: NamedAction): boolean
  /** Carries out what one of the view's own keys means (`keys` of its screen). */
  press(key: string): void
}
