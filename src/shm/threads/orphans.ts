/**
 * What is done for a thread that is gone: the zone's lock is taken over where it died with it, and
 * what it left half done is finished; segments it had not moved yet are moved; its segments are
 * folded into the base and can be leased again.
 */

import type { Definitions } from '../definitions/definitions.ts'
import type { Descriptors } from '../definitions/descriptors.ts'
import {
  CHUNK_CLASS_SHIFT,
  ENTRY,
  HEADER,
  PAGE_SHIFT,
  PAGE_WORDS,
  REPLACED_SEQUENCE,
  SEGMENT_STATE,
  SLOT_CLASSES,
} from '../layout.ts'
import type { ZoneMemory } from '../memory/memory.ts'
import { foldSegment } from '../segments/fold.ts'
import type { Segment, Segments } from '../segments/segments.ts'
import { collectRest, evenGuards, moveSegment } from '../succession/move.ts'

interface Parts {
  readonly memory: ZoneMemory
  readonly descriptors: Descriptors
  readonly definitions: Definitions
  readonly segments: Segments
}

/** The lock may be held by another dead thread, of which this one hears in its next turn only. */
const LOCK_MS = 20

/**
 * Folds and frees what a dead thread left. In a thread that waits for its lock itself, this comes
 * after that wait: the call that waits is refused after two seconds, the next one is not.
 * @returns false when the lock is held by another thread, which may be dead, too
 */
export function buryThread(parts: Parts, thread: number): boolean {
  const { memory } = parts
  if (memory.lockFrom(thread)) repair(parts)
  else if (!memory.lock(LOCK_MS)) return false
  try {
    moveForThread(parts, thread)
    foldForThread(parts, thread)
    return true
  } finally {
    memory.unlock()
  }
}

/** Repairs the zone, under the lock, as its last holder left things when it died. */
function repair({ memory, definitions, segments }: Parts): void {
  const { ints, generation } = memory
  generation.begin()
  // It may have been about to replace the zone.
  if (Atomics.load(memory.sequence, 0) >= REPLACED_SEQUENCE) {
    Atomics.sub(memory.sequence, 0, REPLACED_SEQUENCE)
  }
  for (let i = 1; i < segments.ownCount; i++) {
    const segment = segments.own(i)
    if (segment.field(ENTRY.state) === SEGMENT_STATE.folding) fold(memory, segments, segment)
  }
  definitions.rebuild()
  ints[HEADER.lockTakeovers]!++
  generation.end()
}

function moveForThread({ memory, descriptors, segments }: Parts, thread: number): void {
  const waiting = segments.predecessors
    .flatMap((before) => before.segments)
    .filter((segment) => !segment.isMoved && segment.field(ENTRY.threadId) === thread)
  if (waiting.length === 0) return
  memory.generation.begin()
  for (const segment of waiting) moveSegment(segments, segment)
  collectRest(memory, descriptors, segments.predecessors)
  memory.ints[HEADER.unmoved] = segments.countUnmoved()
  memory.generation.end()
  segments.forgetMoved()
}

function foldForThread({ memory, segments }: Parts, thread: number): void {
  for (let i = 1; i < segments.ownCount; i++) {
    const segment = segments.own(i)
    if (segment.field(ENTRY.threadId) !== thread) continue
    if (segment.field(ENTRY.state) === SEGMENT_STATE.free) continue
    fold(memory, segments, segment)
    memory.ints[HEADER.orphansFolded]!++
  }
}

/** Folds a segment whose thread is gone, or whose fold was not finished. */
function fold(memory: ZoneMemory, segments: Segments, segment: Segment): void {
  memory.generation.begin()
  segment.setField(ENTRY.state, SEGMENT_STATE.folding)
  endChanges(segment)
  foldSegment(memory, segments.own(0), segment)
  segment.setField(ENTRY.threadId, 0)
  segment.setField(ENTRY.state, SEGMENT_STATE.free)
  memory.generation.end()
}

/** Ends changes: a thread that dies while it changes a histogram's shape leaves its guard odd. */
function endChanges(segment: Segment): void {
  for (let chunk = 0; chunk < segment.memory.ints[HEADER.chunks]!; chunk++) {
    const { type, words } = SLOT_CLASSES[segment.entry(chunk) >>> CHUNK_CLASS_SHIFT]!
    const page = segment.pageOf(chunk << PAGE_SHIFT)
    if (page === undefined || type !== 'exponential') continue
    for (let at = 0; at + words <= PAGE_WORDS; at += words) evenGuards(page, at)
  }
}
