/**
 * Reading an exponential slot while its writer goes on. Ordinary observations touch single words
 * and need no care; what takes several words runs with a guard odd, and the reader takes its copy
 * again when it saw that guard odd or changed.
 */
import { type BucketRun, type Exact, exact, type Histogram, SCALE_MAX } from '../../model/index.ts'
import { RING_WORDS, WIDE_WORDS } from '../layout.ts'
import { type ExponentialSlot, FLAG, ringWord, SLOT } from './exponential-slot.ts'
import { readWide } from './wide-integer.ts'

/** Parts of a slot's sum. */
interface SlotSum {
  readonly integers: Exact
  readonly fractions: number
}

/** A change takes about a microsecond unless its thread is suspended in it: then wait, not spin. */
const SPINS = 50
const PAUSE_MS = 1
/** Two seconds, as for the lock: a thread that stands in one change for so long died in it. */
const PAUSES = 2_000
/** Bounds the race with a writer that never stops; no reading has been seen to take ten. */
const READ_TRIES = 1_000

const fence = new Int32Array(1)

/**
 * Fills a histogram with the slot as one writer left it, all but the sum; undefined, and nothing
 * filled, when it was never written. Buckets are read before sum and extremes: the writer goes the
 * other way, so what is counted has its extremes.
 */
export function readExponential(slot: ExponentialSlot, histogram: Histogram): SlotSum | undefined {
  if (!slot.isReady) return undefined
  copyGuarded(slot, SLOT.shapeGuard, copyBuckets, histogram)
  const numbers = copyGuarded(slot, SLOT.numberGuard, copyNumbers, undefined)
  const min = numbers.hasWideMin ? readWide(wide, WIDE_WORDS) : numbers.min
  const max = numbers.hasWideMax ? readWide(wide, 2 * WIDE_WORDS) : numbers.max
  const isKnown = histogram.count > 0n && min <= max
  histogram.min = isKnown ? min : Number.NaN
  histogram.max = isKnown ? max : Number.NaN
  const { partial, fractions } = numbers
  const integers = numbers.hasWideSum ? exact(readWide(wide, 0) + BigInt(partial)) : partial
  return { integers, fractions }
}

/** Copies while the guard is even and stays the same; of a dead writer's slot any copy. */
function copyGuarded<A, T>(
  slot: ExponentialSlot,
  guard: number,
  copy: (slot: ExponentialSlot, target: A) => T,
  target: A,
): T {
  const { halves } = slot.page
  const at = 2 * (slot.at + guard)
  for (let tries = 0; tries < READ_TRIES; tries++) {
    const before = Atomics.load(halves, at)
    if ((before & 1) !== 0) {
      if (outlasts(halves, at, before)) continue
      break
    }
    const result = copy(slot, target)
    // A store between plain loads and an atomic load keeps the former from passing the latter.
    Atomics.store(fence, 0, 0)
    if (Atomics.load(halves, at) === before) return result
  }
  return copy(slot, target)
}

/** Guards that dead writers left odd, by page: place and value. They are waited for once. */
const abandoned = new WeakMap<Int32Array, Map<number, number>>()

/** Waits until a change is over; false when its writer died in it. */
function outlasts(halves: Int32Array, at: number, odd: number): boolean {
  if (abandoned.get(halves)?.get(at) === odd) return false
  for (let i = 0; i < SPINS; i++) if (Atomics.load(halves, at) !== odd) return true
  for (let i = 0; i < PAUSES; i++) {
    if (Atomics.wait(halves, at, odd, PAUSE_MS) === 'not-equal') return true
  }
  const guards = abandoned.get(halves) ?? new Map<number, number>()
  abandoned.set(halves, guards.set(at, odd))
  return false
}

function copyBuckets(slot: ExponentialSlot, histogram: Histogram): void {
  slot.findNegative()
  histogram.scale = SCALE_MAX - slot.shift
  histogram.zeroThreshold = 0
  histogram.zeroCount = slot.page.words[slot.at + SLOT.zeros]!
  histogram.count = histogram.zeroCount
  histogram.count += copyRing(slot, false, histogram.positive)
  histogram.count += copyRing(slot, true, histogram.negative)
}

interface Numbers {
  readonly hasWideSum: boolean
  readonly hasWideMin: boolean
  readonly hasWideMax: boolean
  readonly partial: number
  readonly fractions: number
  readonly min: number
  readonly max: number
}

/** The wide sum, min and max as copied last: turned into integers only once the copy holds. */
const wide = new BigUint64Array(3 * WIDE_WORDS)

function copyNumbers(slot: ExponentialSlot): Numbers {
  const { words, floats } = slot.page
  const at = slot.at
  if (slot.has(FLAG.wideSum | FLAG.wideMin | FLAG.wideMax)) {
    for (let i = 0; i < wide.length; i++) wide[i] = words[at + SLOT.wideSum + i]!
  }
  return {
    hasWideSum: slot.has(FLAG.wideSum),
    hasWideMin: slot.has(FLAG.wideMin),
    hasWideMax: slot.has(FLAG.wideMax),
    partial: floats[at + SLOT.partial]!,
    fractions: floats[at + SLOT.fractions]!,
    min: floats[at + SLOT.min]!,
    max: floats[at + SLOT.max]!,
  }
}

/** Copies a side's buckets; returns their total. */
function copyRing(slot: ExponentialSlot, isNegative: boolean, run: BucketRun): bigint {
  const low = slot.low(isNegative)
  const page = isNegative ? slot.negativePage : slot.page
  const held = Math.min(slot.high(isNegative) - low + 1, RING_WORDS)
  const length = page === undefined ? 0 : Math.max(held, 0)
  makeRoom(run, low, length)
  if (page === undefined || length === 0) return 0n
  const { words } = page
  const { counts } = run
  const ring = slot.ringAt(isNegative)
  let word = ringWord(low)
  for (let i = 0; i < length; i++) {
    counts[i] = words[ring + word]!
    word = word + 1 === RING_WORDS ? 0 : word + 1
  }
  return totalOf(counts)
}

/**
 * Gives a run at least `length` buckets, all beyond them empty. An array costs more than copying
 * into it, so the run's own is kept unless it is too short or more than twice too long.
 */
function makeRoom(run: BucketRun, low: number, length: number): void {
  const held = run.counts.length
  if (held < length || held > 2 * length) run.counts = new BigUint64Array(length)
  else if (held > length) run.counts.fill(0n, length)
  run.offset = low
}

/** Sums up in halves as doubles, exact for 2^21 buckets: a bigint per bucket would be garbage. */
function totalOf(counts: BigUint64Array): bigint {
  const halves = new Uint32Array(counts.buffer, counts.byteOffset, 2 * counts.length)
  let low = 0
  let high = 0
  for (let i = 0; i < halves.length; i += 2) {
    low += halves[i]!
    high += halves[i + 1]!
  }
  return high === 0 ? BigInt(low) : BigInt(low) + (BigInt(high) << 32n)
}
