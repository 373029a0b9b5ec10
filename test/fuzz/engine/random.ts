/** Pseudo-random numbers that a seed repeats on every machine, and rows of them to play again. */
export class Random {
  #state: number

  /** @param seed 32-bit integer; @param stream number of an independent row under that seed */
  constructor(seed: number, stream = 0) {
    this.#state = mix(mix(seed | 0) ^ Math.imul(stream, 0x9e3779b9))
  }

  /** Integer from 0 to 2^32 - 1 (mulberry32 by Tommy Ettinger, public domain). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    return mix(this.#state) >>> 0
  }

  /** Integer from 0 to count - 1; 0 when count is 0. */
  below(count: number): number {
    return count <= 0 ? 0 : this.next() % count
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  /** True once in `times`; never for a row of zeros, so that the shortest row is the plainest. */
  isOnceIn(times: number): boolean {
    return this.below(times) === times - 1
  }
}

/** Numbers that are remembered as they are drawn. */
export class RecordedRandom extends Random {
  readonly drawn: number[] = []

  override next(): number {
    const value = super.next()
    this.drawn.push(value)
    return value
  }
}

/** A row that was drawn before, or a part of it; zeros follow. */
export class ReplayedRandom extends Random {
  readonly #drawn: ArrayLike<number>
  #at = 0

  constructor(drawn: ArrayLike<number>) {
    super(0)
    this.#drawn = drawn
  }

  override next(): number {
    return this.#drawn[this.#at++] ?? 0
  }
}

function mix(value: number): number {
  let t = Math.imul(value ^ (value >>> 15), value | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return t ^ (t >>> 14)
}
