/**
 * Moving a segment into the zone that follows. Metrics have the same slots there, so values are
 * copied page by page; only an exponential histogram's negative ring, a block, has another place.
 * Pages and blocks were reserved when the successor was built: moving takes no memory.
 *
 * A copy overwrites and leaves its source as it is, so a thread that dies in it has lost nothing:
 * the thread that folds for it copies again. What makes the new place count, and the old one count
 * no more, is one store of `movedTo`, with the successor's generation odd.
 */

import type { Descriptors } from '../definitions/descriptors.ts'
import {
  CHUNK_CLASS_SHIFT,
  CHUNK_PAGE_MASK,
  ENTRY,
  HEADER,
  PAGE_SHIFT,
  PAGE_WORDS,
  RING_WORDS,
  SLOT_CLASSES,
} from '../layout.ts'
import type { Page, ZoneMemory } from '../memory/memory.ts'
import type { Predecessor, Segment, Segments, UnmovedSegment } from '../segments/segments.ts'
import { SLOT } from '../slots/exponential-slot.ts'

/**
 * Moves a segment, under the successor's lock, with its generation odd, and with no thread writing
 * the source.
 */
export function moveSegment(segments: Segments, source: UnmovedSegment): Segment {
  const target = segments.own(source.target)
  copySegment(source, target)
  source.setField(ENTRY.movedTo, 1 + target.index)
  return target
}

/** Copies a segment, under the successor's lock, or before it is published. */
export function copySegment(source: Segment, target: Segment): void {
  const chunks = source.memory.ints[HEADER.chunks]!
  for (let chunk = 0; chunk < chunks; chunk++) {
    const entry = source.entry(chunk)
    if (entry === 0) continue
    const from = source.memory.page(entry & CHUNK_PAGE_MASK)
    const to = target.pageOf(chunk << PAGE_SHIFT)!
    const { type, words } = SLOT_CLASSES[entry >>> CHUNK_CLASS_SHIFT]!
    if (type !== 'exponential') to.words.set(from.words)
    else {
      for (let at = 0; at + words <= PAGE_WORDS; at += words) {
        copyExponential(source.memory, from, target.memory, to, at, words)
      }
    }
  }
}

function copyExponential(
  source: ZoneMemory,
  from: Page,
  target: ZoneMemory,
  to: Page,
  at: number,
  words: number,
): void {
  const negative = 2 * (at + SLOT.numberGuard) + 1
  const block = from.halves[negative]!
  const reserved = to.halves[negative]!
  to.words.set(from.words.subarray(at, at + words), at)
  to.halves[negative] = block === 0 ? 0 : reserved
  evenGuards(to, at) // no writer changes the copy
  if (block === 0) return
  const ringAt = block & (PAGE_WORDS - 1)
  const ring = source.pageOfWord(block).words.subarray(ringAt, ringAt + RING_WORDS)
  target.pageOfWord(reserved).words.set(ring, reserved & (PAGE_WORDS - 1))
}

/** Ends the changes of an exponential slot that a thread has died in. */
export function evenGuards(page: Page, at: number): void {
  for (const guard of [SLOT.shapeGuard, SLOT.numberGuard]) {
    const half = 2 * (at + guard)
    page.halves[half] = (page.halves[half]! + 1) & ~1
  }
}

/**
 * Takes over what threads that have not moved yet added to shared gauges and charged to the budget
 * in the zones before. Under the successor's lock, with its generation odd.
 */
export function collectRest(
  memory: ZoneMemory,
  descriptors: Descriptors,
  predecessors: readonly Predecessor[],
): void {
  for (const before of predecessors) {
    for (const metric of before.sharedMetrics()) {
      const from = before.descriptors.pageOf(metric).words
      const to = descriptors.pageOf(metric).words
      const at = descriptors.sharedAt(metric)
      // Neighbours without a call: a thread is not ended between them (fold.ts).
      Atomics.add(to, at, Atomics.exchange(from, at, 0n))
    }
    const { ints } = before.memory
    const charged = Atomics.load(ints, HEADER.charged)
    Atomics.add(memory.ints, HEADER.charged, charged - ints[HEADER.chargedMoved]!)
    ints[HEADER.chargedMoved] = charged
  }
}
