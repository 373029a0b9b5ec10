/**
 * Which framing a client uses with its target (§4.2): one is tried first, the other at once when
 * that brings nothing; what has worked is kept, and doubted only after many attempts in vain.
 */
import type { Profile } from '../../decoder.ts'
import { type Framing, type FramingChoice, REPROVE_ATTEMPTS } from '../spec.ts'

export interface FramingPlan {
  /** Framing of the settings. */
  readonly send: Framing
  /** Framing of the packets. */
  readonly read: FramingChoice
  /** Whether silence is to end the attempt soon, because the other framing has not been tried. */
  readonly isProbe: boolean
}

export class FramingMemory {
  readonly #choice: FramingChoice
  readonly #first: Framing
  #proven: FramingPlan | undefined
  /** Attempts in a row that reached the version and brought no packet. */
  #failures = 0

  constructor(choice: FramingChoice, profile: Profile) {
    this.#choice = choice
    this.#first = profile === 'document' ? 'bare' : 'framed'
  }

  /** Plans how to make the next attempt. */
  plan(): FramingPlan {
    if (this.#choice !== 'auto') return only(this.#choice)
    if (this.#proven !== undefined) {
      return this.#failures < REPROVE_ATTEMPTS ? this.#proven : only(otherOf(this.#proven.send))
    }
    if (this.#failures === 0) return { send: this.#first, read: 'auto', isProbe: true }
    return only(otherOf(this.#first))
  }

  /** Keeps this framing, because a packet came. */
  succeeded(plan: FramingPlan, read: Framing): void {
    this.#proven = { send: plan.send, read, isProbe: false }
    this.#failures = 0
  }

  /**
   * Takes note of an attempt that reached the version and brought no packet.
   * @returns whether the other framing is to be tried at once
   */
  failed(plan: FramingPlan): boolean {
    const limit = this.#proven === undefined ? 1 : REPROVE_ATTEMPTS
    this.#failures = this.#failures >= limit ? 0 : this.#failures + 1
    return plan.isProbe
  }
}

function only(framing: Framing): FramingPlan {
  return { send: framing, read: framing, isProbe: false }
}

function otherOf(framing: Framing): Framing {
  return framing === 'framed' ? 'bare' : 'framed'
}
