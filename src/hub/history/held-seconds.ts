/**
 * Seconds that a history could not take because it was away, with what is told of series with each,
 * in their order. They are the frames of the ring, so that to hold them costs next to nothing.
 */
import type { Frame } from '../live/frame.ts'
import type { News } from './series-news.ts'

export interface HeldSecond {
  readonly frame: Frame
  readonly news: News
}

/** Seconds that are held at most: as many as the ring has whole. */
const SECONDS_LIMIT = 600

export class HeldSeconds {
  readonly #bytesLimit: number
  readonly #seconds: HeldSecond[] = []
  #bytes = 0

  /** @param bytesLimit of all frames: that of the ring */
  constructor(bytesLimit: number) {
    this.#bytesLimit = bytesLimit
  }

  get length(): number {
    return this.#seconds.length
  }

  /** End of what was before all of them, Unix ms; infinite where none is held. */
  get beganMs(): number {
    return Math.min(...this.#seconds.map(({ frame }) => frame.endMs - frame.seconds * 1000))
  }

  /** Holds a second. @returns the oldest ones where there are too many by it */
  add(second: HeldSecond): HeldSecond[] {
    this.#seconds.push(second)
    this.#bytes += second.frame.size
    const dropped: HeldSecond[] = []
    while (this.length > SECONDS_LIMIT || (this.length > 1 && this.#bytes > this.#bytesLimit)) {
      dropped.push(this.take()!)
    }
    return dropped
  }

  /** Takes the oldest second out; undefined where there is none. */
  take(): HeldSecond | undefined {
    const second = this.#seconds.shift()
    if (second !== undefined) this.#bytes -= second.frame.size
    return second
  }
}
