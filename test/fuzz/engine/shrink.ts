/**
 * Makes a failing input small: takes pieces out, then plain values for odd ones. An input is bytes,
 * or the row of random numbers that a generated one was made of.
 */

/** Checks at most; a slow target still ends. */
const CHECKS_LIMIT = 20_000
/** What a byte may become, plainest first. */
const PLAIN_BYTES = [0x30, 0x61, 0x00] as const
/** What a random number may become: the first choice, the second, or the third. */
const PLAIN_DRAWS = [0, 1, 2] as const

type Fails<T> = (items: T) => boolean

/** @param fails true when the input still fails; called on copies */
export function shrink<T extends Uint8Array | Uint32Array>(items: T, fails: Fails<T>): T {
  const plain = items instanceof Uint8Array ? PLAIN_BYTES : PLAIN_DRAWS
  let left = CHECKS_LIMIT
  const stillFails = (candidate: T): boolean => left-- > 0 && fails(candidate)
  let best = items
  for (;;) {
    const smaller = plainer(shorter(best, stillFails), plain, stillFails)
    if (left <= 0 || isSame(smaller, best)) return smaller
    best = smaller
  }
}

function emptyLike<T extends Uint8Array | Uint32Array>(items: T, length: number): T {
  return (items instanceof Uint8Array ? new Uint8Array(length) : new Uint32Array(length)) as T
}

/** Takes out runs of half the input, a quarter, and so on down to single items. */
function shorter<T extends Uint8Array | Uint32Array>(items: T, fails: Fails<T>): T {
  let best = items
  for (let size = best.length >> 1 || 1; size >= 1; size >>= 1) {
    for (let at = 0; at < best.length; ) {
      const candidate = emptyLike(best, best.length - Math.min(size, best.length - at))
      candidate.set(best.subarray(0, at))
      candidate.set(best.subarray(at + size), at)
      if (fails(candidate)) best = candidate
      else at += size
    }
  }
  return best
}

function plainer<T extends Uint8Array | Uint32Array>(
  items: T,
  plain: readonly number[],
  fails: Fails<T>,
): T {
  let best = items
  for (let at = 0; at < best.length; at++) {
    const rank = plain.indexOf(best[at]!)
    for (const value of rank === -1 ? plain : plain.slice(0, rank)) {
      const candidate = emptyLike(best, best.length)
      candidate.set(best)
      candidate[at] = value
      if (!fails(candidate)) continue
      best = candidate
      break
    }
  }
  return best
}

function isSame(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return a.length === b.length && Array.prototype.every.call(a, (item, i) => item === b[i])
}
