/**
 * SHA-256 of short keys (FIPS 180-4), where loading a whole library of cryptography would cost a
 * thread more than it: Node's takes 2 MB of each thread that has it.
 */

/** Bytes of a block, and its rounds. */
const BLOCK = 64
const LENGTH_AT = 56
/** First 32 bits of the fractional parts of roots of primes: cube roots, and square roots. */
const [ROUNDS, BEGIN] = constants()

const words = new Int32Array(BLOCK)

/** Gives the first 48 bits of the hash, as a number. */
export function sha256Start(bytes: Uint8Array): number {
  const size = (((bytes.length + 8) >>> 6) + 1) * BLOCK
  const padded = new Uint8Array(size)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(size - BLOCK + LENGTH_AT, Math.floor(bytes.length / 2 ** 29))
  view.setUint32(size - BLOCK + LENGTH_AT + 4, bytes.length << 3)
  const state = BEGIN.slice()
  for (let at = 0; at < size; at += BLOCK) addBlock(state, view, at)
  return (state[0]! >>> 0) * 2 ** 16 + (state[1]! >>> 16)
}

function addBlock(state: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i)
  for (let i = 16; i < BLOCK; i++) {
    const [late, early] = [words[i - 2]!, words[i - 15]!]
    const s1 = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10)
    const s0 = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)
    words[i] = s1 + words[i - 7]! + s0 + words[i - 16]!
  }
  let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!]
  let [e, f, g, h] = [state[4]!, state[5]!, state[6]!, state[7]!]
  for (let i = 0; i < BLOCK; i++) {
    const choice = (e & f) ^ (~e & g)
    const most = (a & b) ^ (a & c) ^ (b & c)
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
    const first = (h + s1 + choice + ROUNDS[i]! + words[i]!) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + s0 + most) | 0
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i]! += word
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

function constants(): readonly [rounds: Int32Array, begin: Int32Array] {
  const rounds = new Int32Array(BLOCK)
  const begin = new Int32Array(8)
  for (let count = 0, number = 2; count < BLOCK; number++) {
    if (!isPrime(number)) continue
    if (count < begin.length) begin[count] = fraction(number ** (1 / 2))
    rounds[count++] = fraction(number ** (1 / 3))
  }
  return [rounds, begin]
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor++) {
    if (number % divisor === 0) return false
  }
  return true
}

function fraction(root: number): number {
  return ((root % 1) * 2 ** 32) | 0
}
