/**
 * Folding a segment into the base, so that totals do not go back when its writer leaves
 * (docs/formats/zone.md, "Leaving"). Runs under the lock, with the generation odd: a reader that
 * saw it odd or changed reads again. Needs no memory, so it cannot fail in a full zone: what the
 * base does not have yet (a chunk, a negative ring) changes owner, the rest is added up.
 *
 * A thread may be terminated while it folds, and another then folds the rest. V8 ends a thread
 * only where a function or a round of a loop begins, so a count is added and zeroed in neighbouring
 * statements without a call between them. What takes calls is the sum of an exponential histogram
 * that is wide or no integer: such a death may count it twice, never an observation.
 */
import { U64_MAX } from '../../model/index.ts'
import {
  CHUNK_CLASS_SHIFT,
  CHUNK_PAGE_MASK,
  DENSE_BINS,
  type GaugeMode,
  HEADER,
  type MetricType,
  PAGE_WORDS,
  RING_WORDS,
  SLOT_CLASSES,
  type SlotClass,
} from '../layout.ts'
import type { Page, ZoneMemory } from '../memory/memory.ts'
import { ExponentialSlot, FLAG, ringWord, SLOT } from '../slots/exponential-slot.ts'
import { foldGauge } from '../slots/gauge.ts'
import { foldSummary, settleSummary } from '../slots/summary.ts'
import type { Segment } from './segments.ts'

/**
 * Leaves the segment without chunks. Under the lock, and with no thread writing the segment; may
 * be called again for a segment whose fold was not finished.
 */
export function foldSegment(memory: ZoneMemory, base: Segment, segment: Segment): void {
  const { ints, generation } = memory
  generation.begin()
  for (let chunk = 0; chunk < ints[HEADER.chunks]!; chunk++) foldEntry(memory, base, segment, chunk)
  generation.end()
}

function foldEntry(memory: ZoneMemory, base: Segment, segment: Segment, chunk: number): void {
  const entry = segment.entry(chunk)
  if (entry === 0) return
  const target = base.entry(chunk)
  if (target === 0 && SLOT_CLASSES[entry >>> CHUNK_CLASS_SHIFT]!.mode !== 'sum') {
    settleChunk(memory, entry)
    base.setEntry(chunk, entry)
  } else if (target !== 0 && target !== entry) foldChunk(memory, target, entry)
  const isGivenBack = base.entry(chunk) !== entry
  segment.setEntry(chunk, 0)
  if (isGivenBack) memory.freePage(entry & CHUNK_PAGE_MASK, 'segments')
}

/**
 * Settles a chunk that changes owner: it may have been left in a change, whose end no thread would
 * wait for.
 */
function settleChunk(memory: ZoneMemory, entry: number): void {
  const { type, words } = SLOT_CLASSES[entry >>> CHUNK_CLASS_SHIFT]!
  if (type !== 'exponential' && type !== 'summary') return
  const page = memory.page(entry & CHUNK_PAGE_MASK)
  if (type === 'summary') {
    for (let at = 0; at + words <= PAGE_WORDS; at += words) settleSummary(page, at)
    return
  }
  const slot = new ExponentialSlot(memory, page, 0)
  for (let at = 0; at + words <= PAGE_WORDS; at += words) {
    slot.moveTo(page, at)
    slot.settleGuards()
  }
}

function foldChunk(memory: ZoneMemory, target: number, entry: number): void {
  const base = memory.page(target & CHUNK_PAGE_MASK)
  const from = memory.page(entry & CHUNK_PAGE_MASK)
  const slotClass = SLOT_CLASSES[entry >>> CHUNK_CLASS_SHIFT]!
  const { words } = slotClass
  const fold = foldOf(slotClass)
  for (let at = 0; at + words <= PAGE_WORDS; at += words) fold(memory, base, from, at)
}

type Fold = (memory: ZoneMemory, base: Page, from: Page, at: number) => void

function foldOf({ type, mode, words }: SlotClass): Fold {
  switch (type) {
    case 'counter':
      return mode === 'wrapping' ? foldWrapping : foldSaturating
    case 'gauge':
      return (_memory, base, from, at) => foldGauge(base, from, at, mode as GaugeMode)
    case 'exponential':
      return foldExponential
    case 'summary':
      return (_memory, base, from, at) => foldSummary(base, from, at)
    default:
      return mode === 'fractions' ? foldFractions : foldBins(type, words)
  }
}

function foldSaturating(_memory: ZoneMemory, base: Page, from: Page, at: number): void {
  addSaturated(base.words, from.words, at)
}

function foldWrapping(_memory: ZoneMemory, base: Page, from: Page, at: number): void {
  const { words } = base
  const source = from.words
  const count = source[at]!
  if (count === 0n) return
  words[at]! += count
  source[at] = 0n
}

/**
 * Makes the fold of sum and bins; the state of an expanding histogram means nothing in the base.
 */
function foldBins(type: MetricType, words: number): Fold {
  const bins = type === 'expanding' ? words - 1 : words
  return (memory, base, from, at) => {
    foldWrapping(memory, base, from, at)
    for (let i = 1; i < bins; i++) addSaturated(base.words, from.words, at + i)
  }
}

function foldFractions(_memory: ZoneMemory, base: Page, from: Page, at: number): void {
  const { floats } = base
  const source = from.floats
  const sum = floats[at]! + source[at]!
  floats[at] = sum > Number.MAX_VALUE ? Number.MAX_VALUE : sum
  source[at] = 0
  for (let i = 1; i <= DENSE_BINS; i++) addSaturated(base.words, from.words, at + i)
}

function addSaturated(base: BigUint64Array, from: BigUint64Array, at: number, fromAt = at): void {
  const count = from[fromAt]!
  if (count === 0n) return
  const sum = base[at]! + count
  base[at] = sum > U64_MAX ? U64_MAX : sum
  from[fromAt] = 0n
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
  foldSums(base, from)
  base.widenExtremes(from.min(), from.max())
  foldWindow(base, from, 0)
  foldWindow(base, from, 1)
}

function foldSums(base: ExponentialSlot, from: ExponentialSlot): void {
  const into = base.page.floats
  const { floats } = from.page
  const partialAt = from.at + SLOT.partial
  const fractionsAt = from.at + SLOT.fractions
  const sum = into[partialAt]! + floats[partialAt]!
  if (!from.has(FLAG.wideSum) && Math.abs(sum) <= Number.MAX_SAFE_INTEGER) {
    into[partialAt] = sum
    floats[partialAt] = 0
  } else {
    base.addIntegers(BigInt(from.integerSum()))
    from.clearIntegers()
  }
  base.addFractions(floats[fractionsAt]!)
  floats[fractionsAt] = 0
}

/** Finds the finest scale, as a shift, at which the buckets of both fit a ring on either side. */
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
 * Folds a negative ring: one that only the leaving segment has becomes the base's; one that both
 * have is given back.
 */
function foldNegativeRing(memory: ZoneMemory, base: ExponentialSlot, from: ExponentialSlot): void {
  const block = from.negativeBlock
  if (block === 0) return
  if (base.negativePage === undefined || base.negativeBlock === block) {
    if (from.low(true) <= from.high(true)) base.setSpan(true, from.low(true), from.high(true))
    base.setNegative(block)
    from.setNegative(0)
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
  const words = base.ringWords(isNegative)
  const source = from.ringWords(isNegative)
  if (low > high || words === undefined || source === undefined) return
  const isEmpty = base.low(isNegative) > base.high(isNegative)
  const from0 = isEmpty ? low : Math.min(low, base.low(isNegative))
  const to = isEmpty ? high : Math.max(high, base.high(isNegative))
  base.setSpan(isNegative, from0, to)
  for (let i = low; i <= high; i++) {
    const word = ringWord(i)
    addSaturated(words, source, base.ringAt(isNegative) + word, from.ringAt(isNegative) + word)
  }
}

/** Folds a window: of two epochs in one place the newer stays; of one epoch both count. */
function foldWindow(base: ExponentialSlot, from: ExponentialSlot, side: 0 | 1): void {
  const epoch = from.windowEpoch(side)
  if (epoch === 0 || epoch < base.windowEpoch(side)) return
  const at = from.windowAt(side)
  base.widenWindow(epoch, from.page.floats[at]!, from.page.floats[at + 1]!)
  if (from.isWindowInexact(side)) base.setWindowInexact(side)
}
