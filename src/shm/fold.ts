/**
 * Folding a segment into the base, so that totals do not go back when its writer leaves
 * (docs/formats/zone.md, "Leaving"). Runs under the lock, with the generation odd: a reader that
 * saw it odd or changed reads again. Needs no memory, so it cannot fail in a full zone: what the
 * base does not have yet (a chunk, a negative ring) changes owner, the rest is added up.
 */
import { U64_MAX } from '../model/index.ts'
import {
  CHUNK_PAGE_MASK,
  CHUNK_TYPE_SHIFT,
  HEADER,
  METRIC_TYPES,
  PAGE_WORDS,
  RING_WORDS,
  SLOT_WORDS,
} from './layout.ts'
import type { Page, ZoneMemory } from './memory.ts'
import type { Segment } from './segments.ts'
import { ExponentialSlot, ringWord, SLOT } from './slots/exponential-slot.ts'
import { foldGauge } from './slots/gauge.ts'

/** Leaves the segment without chunks. Under the lock, and with no thread writing the segment. */
export function foldSegment(memory: ZoneMemory, base: Segment, segment: Segment): void {
  const { ints, generation } = memory
  generation.begin()
  for (let chunk = 0; chunk < ints[HEADER.chunks]!; chunk++) {
    const entry = segment.entry(chunk)
    if (entry === 0) continue
    const target = base.entry(chunk)
    if (target === 0) base.setEntry(chunk, entry)
    else {
      const from = memory.page(entry & CHUNK_PAGE_MASK)
      foldChunk(memory, memory.page(target & CHUNK_PAGE_MASK), from, entry >>> CHUNK_TYPE_SHIFT)
    }
    segment.setEntry(chunk, 0)
    if (target !== 0) memory.freePage(entry & CHUNK_PAGE_MASK, 'segments')
  }
  generation.end()
}

function foldChunk(memory: ZoneMemory, base: Page, from: Page, type: number): void {
  const size = SLOT_WORDS[type]!
  const fold = FOLDS[METRIC_TYPES[type]!]
  for (let at = 0; at + size <= PAGE_WORDS; at += size) fold(memory, base, from, at)
}

const FOLDS = {
  counter: (_memory: ZoneMemory, base: Page, from: Page, at: number): void => {
    addSaturated(base.words, from.words, at)
  },
  gauge: (_memory: ZoneMemory, base: Page, from: Page, at: number): void => {
    foldGauge(base, from, at)
  },
  dense: (_memory: ZoneMemory, base: Page, from: Page, at: number): void => {
    base.words[at]! += from.words[at]! // the sum is modulo 2^64 by definition
    for (let i = 1; i < SLOT_WORDS[2]!; i++) addSaturated(base.words, from.words, at + i)
  },
  exponential: foldExponential,
} as const

function addSaturated(base: BigUint64Array, from: BigUint64Array, at: number, fromAt = at): void {
  const count = from[fromAt]!
  if (count === 0n) return
  const sum = base[at]! + count
  base[at] = sum > U64_MAX ? U64_MAX : sum
}

function foldExponential(memory: ZoneMemory, basePage: Page, fromPage: Page, at: number): void {
  const from = new ExponentialSlot(memory, fromPage, at)
  if (!from.isReady) return
  const base = new ExponentialSlot(memory, basePage, at)
  base.prepare()
  const shift = commonShift(base, from)
  base.beginChange(SLOT.shapeGuard)
  base.coarsenTo(shift)
  from.coarsenTo(shift)
  foldNegativeRing(memory, base, from)
  foldSide(base, from, false)
  foldSide(base, from, true)
  base.endChange(SLOT.shapeGuard)
  addSaturated(basePage.words, fromPage.words, at + SLOT.zeros)
  base.addIntegers(BigInt(from.integerSum()))
  base.addFractions(fromPage.floats[at + SLOT.fractions]!)
  base.widenExtremes(from.min(), from.max())
  foldWindow(base, from, 0)
  foldWindow(base, from, 1)
}

/** The finest scale, as a shift, at which the buckets of both fit a ring on either side. */
function commonShift(a: ExponentialSlot, b: ExponentialSlot): number {
  let shift = Math.max(a.shift, b.shift)
  for (const isNegative of [false, true]) {
    if (a.low(isNegative) > a.high(isNegative) || b.low(isNegative) > b.high(isNegative)) continue
    for (; ; shift++) {
      const stepsA = shift - a.shift
      const stepsB = shift - b.shift
      const low = Math.min(a.low(isNegative) >> stepsA, b.low(isNegative) >> stepsB)
      const high = Math.max(a.high(isNegative) >> stepsA, b.high(isNegative) >> stepsB)
      if (high - low < RING_WORDS) break
    }
  }
  return shift
}

/**
 * A ring that only the leaving segment has becomes the base's; one that both have is given back.
 */
function foldNegativeRing(memory: ZoneMemory, base: ExponentialSlot, from: ExponentialSlot): void {
  if (from.negativePage === undefined) return
  const block = from.negativeBlock
  if (base.negativePage === undefined) {
    base.setNegative(block)
    base.setSpan(true, from.low(true), from.high(true))
    from.setSpan(true, 1, 0)
    return
  }
  foldSide(base, from, true)
  from.setSpan(true, 1, 0)
  from.setNegative(0)
  memory.freeBlock(block)
}

function foldSide(base: ExponentialSlot, from: ExponentialSlot, isNegative: boolean): void {
  const low = from.low(isNegative)
  const high = from.high(isNegative)
  if (low > high) return
  const words = base.ringWords(isNegative)!
  const source = from.ringWords(isNegative)!
  const isEmpty = base.low(isNegative) > base.high(isNegative)
  const from0 = isEmpty ? low : Math.min(low, base.low(isNegative))
  const to = isEmpty ? high : Math.max(high, base.high(isNegative))
  for (let i = low; i <= high; i++) {
    const word = ringWord(i)
    addSaturated(words, source, base.ringAt(isNegative) + word, from.ringAt(isNegative) + word)
  }
  base.setSpan(isNegative, from0, to)
}

/** Of two epochs in one place the newer stays; of one epoch both count. */
function foldWindow(base: ExponentialSlot, from: ExponentialSlot, side: 0 | 1): void {
  const epoch = from.windowEpoch(side)
  if (epoch === 0 || epoch < base.windowEpoch(side)) return
  const at = from.windowAt(side)
  base.widenWindow(epoch, from.page.floats[at]!, from.page.floats[at + 1]!)
  if (from.isWindowInexact(side)) base.setWindowInexact(side)
}
