/** Makes a failing input small: takes pieces out, then plain bytes for odd ones. */

/** Checks at most; a slow target still ends. */
const CHECKS_LIMIT = 20_000
/** What a byte may become, plainest first. */
const PLAIN = [0x30, 0x61, 0x00] as const

/** @param fails true when the input still fails; called on copies */
export function shrink(bytes: Uint8Array, fails: (bytes: Uint8Array) => boolean): Uint8Array {
  let left = CHECKS_LIMIT
  const stillFails = (candidate: Uint8Array): boolean => left-- > 0 && fails(candidate)
  let best = bytes
  for (;;) {
    const smaller = plainer(shorter(best, stillFails), stillFails)
    if (left <= 0 || isSame(smaller, best)) return smaller
    best = smaller
  }
}

/** Takes out runs of half the input, a quarter, and so on down to single bytes. */
function shorter(bytes: Uint8Array, fails: (bytes: Uint8Array) => boolean): Uint8Array {
  let best = bytes
  for (let size = best.length >> 1 || 1; size >= 1; size >>= 1) {
    for (let at = 0; at < best.length; ) {
      const candidate = new Uint8Array(best.length - Math.min(size, best.length - at))
      candidate.set(best.subarray(0, at))
      candidate.set(best.subarray(at + size), at)
      if (fails(candidate)) best = candidate
      else at += size
    }
  }
  return best
}

function plainer(bytes: Uint8Array, fails: (bytes: Uint8Array) => boolean): Uint8Array {
  let best = bytes
  for (let at = 0; at < best.length; at++) {
    const rank = PLAIN.indexOf(best[at]! as (typeof PLAIN)[number])
    for (const plain of rank === -1 ? PLAIN : PLAIN.slice(0, rank)) {
      const candidate = new Uint8Array(best)
      candidate[at] = plain
      if (!fails(candidate)) continue
      best = candidate
      break
    }
  }
  return best
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
