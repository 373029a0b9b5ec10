/**
 * A counter kept elsewhere, of which only readings arrive (a meter reader):
 * the first primes, later ones add their difference, a fall is a reset or, where the width is
 * known, a wrap. Readings are integers of any size.
 */
import { addExact, type Exact, subtractExact } from '../../model/index.ts'

export class CumulativeReading {
  last: Exact | undefined
  resets = 0
  /** The last two addresses that sent a reading, newest first. */
  sources: readonly [string, string] = ['', '']
  /** Width after which it begins at 0 again, where that is known. */
  readonly counterBits: 32 | 64 | undefined
  readonly #modulus: bigint | undefined
  #isFresh = false
  /** One bit per reading, the newest lowest: 1 where it was a reset. */
  #recentResets = 0

  constructor(counterBits?: 32 | 64) {
    this.counterBits = counterBits
    this.#modulus = counterBits === undefined ? undefined : 1n << BigInt(counterBits)
  }

  /** Takes a reading, 0 or more, and returns by how much the counter has grown. */
  take(reading: Exact, source = ''): Exact {
    this.#isFresh = true
    if (source !== this.sources[0]) this.sources = [source, this.sources[0]]
    const last = this.last
    this.last = reading
    if (last === undefined) return 0
    const isFall = reading < last
    const isWrap = isFall && this.#modulus !== undefined && last < this.#modulus
    this.#recentResets = (this.#recentResets << 1) | (isFall && !isWrap ? 1 : 0)
    if (isWrap) return addExact(subtractExact(reading, last), this.#modulus!)
    if (!isFall) return subtractExact(reading, last)
    this.resets++
    return reading
  }

  /**
   * Takes freshness: true when a reading came since the last call, even one that changed nothing.
   */
  takeFreshness(): boolean {
    const isFresh = this.#isFresh
    this.#isFresh = false
    return isFresh
  }

  /**
   * Whether more than half of the last 20 readings were resets: probably two senders under one key.
   */
  get isContested(): boolean {
    let bits = this.#recentResets & 0xf_ffff
    let count = 0
    for (; bits !== 0; bits &= bits - 1) count++
    return count > 10
  }
}
