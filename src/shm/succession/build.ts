/**
 * Building the zone that follows another: every metric with its number, type, mode, bounds, name
 * and slot, and room for every segment's values. All of it happens under the old zone's lock and
 * changes nothing there that is read: if the new zone turns out too small, it is dropped, and the
 * old one has not noticed.
 */
import { definitionWords } from '../definitions/definition.ts'
import { Descriptors } from '../definitions/descriptors.ts'
import { IndexTable } from '../definitions/index-table.ts'
import {
  BACKINGS,
  DESCRIPTORS_PER_PAGE,
  ENTRY,
  HEADER,
  PAGE_SHIFT,
  PAGE_WORDS,
  REFUSALS,
  SEGMENT_STATE,
  SLOT_CLASSES,
} from '../layout.ts'
import { ZoneMemory } from '../memory/memory.ts'
import { Segment, type Segments } from '../segments/segments.ts'
import { SLOT } from '../slots/exponential-slot.ts'
import { copySegment } from './move.ts'

/** Limits that a reconfiguration changes. */
export interface ZoneLimits {
  readonly pagesMax: number
  readonly keyBytesLimit: number
  /** Segments at most, the base included. */
  readonly segmentsMax: number
  readonly workers: number
  /** Words; 0 = none. */
  readonly budget: number
}

/**
 * The new limits do not hold what is defined; the zone goes on as it was.
 *
 * @example
 * import { RedefinitionError, Zone } from 'pentameter/shm'
 *
 * const zone = Zone.create({ onFull: 'error', slabSize: 40_960 })
 * for (let i = 0; i < 200; i++) zone.define(Buffer.from(`hits ${i}`), 'counter')
 * try {
 *   zone.reconfigure({ slabSize: 8192 })
 * } catch (error) {
 *   console.log(error instanceof RedefinitionError) // true
 * }
 */
export class RedefinitionError extends Error {
  override name = 'RedefinitionError'
}

/** A segment with values and the one that is made for it. */
interface Route {
  readonly source: Segment
  readonly target: Segment
}

/** Header words that a successor begins with. */
const INHERITED = [
  'chunks',
  'retired',
  'orphansFolded',
  'lockTakeovers',
  'lockWaits',
  'binFallbacks',
  'epoch',
  'listening',
  'summariesDeferred',
] as const

/**
 * Builds the successor, under the old zone's lock. The routes of writers are written into the old
 * entries' `movedTo`, where no thread looks before the zone has been replaced.
 * @throws {RedefinitionError} naming the first metric for which there is no room
 * @throws {RangeError} when there are more writers than segments for them
 */
export function buildSuccessor(
  old: ZoneMemory,
  descriptors: Descriptors,
  segments: Segments,
  limits: ZoneLimits,
): ZoneMemory {
  const next = createNext(old, limits)
  const routes = [
    { source: segments.own(0), target: new Segment(next, 0) },
    ...routeWriters(next, segments, limits.segmentsMax),
  ]
  if (!takeTables(next, routes)) throw refused(descriptors, 0)
  redefine(old, next, descriptors, routes)
  const [base, ...writers] = routes
  copySegment(base!.source, base!.target)
  for (const { source, target } of writers) source.setField(ENTRY.movedTo, -1 - target.index)
  next.ints[HEADER.unmoved] = writers.length
  if (writers.length === 0) copyShared(descriptors, new Descriptors(next))
  return next
}

/**
 * Copies shared gauges. A thread that moves collects them; where none is to move, none writes them
 * either.
 */
function copyShared(descriptors: Descriptors, copies: Descriptors): void {
  for (let metric = 0; metric < descriptors.count; metric++) {
    if (descriptors.mode(metric) !== 'shared') continue
    const at = descriptors.sharedAt(metric)
    copies.pageOf(metric).words[at] = Atomics.load(descriptors.pageOf(metric).words, at)
  }
}

function createNext(old: ZoneMemory, limits: ZoneLimits): ZoneMemory {
  const { ints } = old
  const metricsLimit = ints[HEADER.metricsLimit]!
  const next = ZoneMemory.create({
    ...limits,
    backing: BACKINGS[ints[HEADER.backing]!]!,
    zoneId: [ints[HEADER.zoneId]!, ints[HEADER.zoneId + 1]!],
    hashKey: [ints[HEADER.hashKey]!, ints[HEADER.hashKey + 1]!],
    ordinal: ints[HEADER.ordinal]! + 1,
    metricsLimit,
    descriptorPages: Math.ceil(metricsLimit / DESCRIPTORS_PER_PAGE),
  })
  for (const field of INHERITED) next.ints[HEADER[field]] = ints[HEADER[field]]!
  for (const [from, length] of [
    [HEADER.slotCursors, SLOT_CLASSES.length],
    [HEADER.refusals, REFUSALS.length],
  ] as const) {
    next.ints.set(ints.subarray(from, from + length), from)
  }
  return next
}

/** Gives every segment with a writer one of the successor's, under its own number if it can. */
function routeWriters(next: ZoneMemory, segments: Segments, segmentsMax: number): Route[] {
  const wanted = new Map<number, Segment>()
  for (let i = 1; i < segments.ownCount; i++) {
    const own = segments.own(i)
    own.setField(ENTRY.movedTo, 0)
    if (own.field(ENTRY.state) !== SEGMENT_STATE.free) wanted.set(i, own)
  }
  // What has not even moved into the old zone moves straight into the next.
  for (const { segments: earlier } of segments.predecessors) {
    for (const segment of earlier) if (!segment.isMoved) wanted.set(segment.target, segment)
  }
  if (wanted.size > segmentsMax - 1) {
    const workers = segmentsMax - 1
    throw new RangeError(`workersLimit ${workers} is below the ${wanted.size} writers attached`)
  }
  const free = Array.from({ length: segmentsMax - 1 }, (_, i) => i + 1).filter(
    (i) => !wanted.has(i),
  )
  return Array.from(wanted, ([index, source]) => {
    const target = new Segment(next, index < segmentsMax ? index : free.shift()!)
    copyLease(segments.own(index), target)
    return { source, target }
  })
}

function copyLease(from: Segment, to: Segment): void {
  for (const field of ['state', 'threadId', 'lease'] as const) {
    to.setField(ENTRY[field], from.field(ENTRY[field]))
  }
}

/** Takes chunk tables for the routes and for the workers that are expected. */
function takeTables(next: ZoneMemory, routes: readonly Route[]): boolean {
  const { ints } = next
  const last = Math.max(...routes.map(({ target }) => target.index), ints[HEADER.workers]!)
  ints[HEADER.segments] = 1 + last
  for (let i = 0; i <= last; i++) if (!new Segment(next, i).takeTable()) return false
  return true
}

function redefine(
  old: ZoneMemory,
  next: ZoneMemory,
  descriptors: Descriptors,
  routes: readonly Route[],
): void {
  const copies = new Descriptors(next)
  const index = new IndexTable(next, copies)
  const reserved = new Set<number>()
  const count = old.ints[HEADER.metrics]!
  let oldCharge = 0
  for (let metric = 0; metric < count; metric++) {
    const room = descriptors.nameRoom(metric)
    const { words } = SLOT_CLASSES[descriptors.slotClass(metric)]!
    oldCharge += definitionWords(room, words, old.ints[HEADER.workers]!)
    const isPlaced =
      next.charge(definitionWords(room, words, next.ints[HEADER.workers]!)) &&
      copies.takeOver(descriptors, metric) &&
      addToIndex(index, next, copies, metric) &&
      reserveSlots(descriptors, metric, routes, reserved)
    if (!isPlaced) throw refused(descriptors, metric)
  }
  copies.recount()
  const growth = (old.ints[HEADER.charged]! >>> 0) - oldCharge
  if (growth > 0 && !next.charge(growth)) throw refused(descriptors, count - 1)
  old.ints[HEADER.chargedMoved] = old.ints[HEADER.charged]!
}

function addToIndex(
  index: IndexTable,
  next: ZoneMemory,
  copies: Descriptors,
  metric: number,
): boolean {
  next.ints[HEADER.metrics] = metric + 1
  if (!copies.has(metric) || !copies.isLinked(metric)) return true
  const key = copies.key(metric)
  const hash = next.hashOf(key)
  if (key.length > next.ints[HEADER.keyBytesLimit]! || !index.reserve(hash)) return false
  index.publish(hash, metric)
  return true
}

/** Pages and blocks for what the segments hold of a metric. */
function reserveSlots(
  descriptors: Descriptors,
  metric: number,
  routes: readonly Route[],
  reserved: Set<number>,
): boolean {
  const slotClass = descriptors.slotClass(metric)
  const { type, words } = SLOT_CLASSES[slotClass]!
  if (words === 0) return true
  const slotAt = descriptors.slotAt(metric)
  const chunk = slotAt >>> PAGE_SHIFT
  if (!reserved.has(chunk)) {
    if (chunk >= routes[0]!.target.memory.ints[HEADER.pagesMax]!) return false
    for (const { source, target } of routes) {
      if (source.entry(chunk) !== 0 && !target.reserve(slotAt, slotClass)) return false
    }
    reserved.add(chunk)
  }
  return type !== 'exponential' || routes.every((route) => reserveNegative(route, slotAt))
}

/**
 * Reserves the block of a negative ring, named by the target's slot, which readers don't use yet.
 */
function reserveNegative({ source, target }: Route, slotAt: number): boolean {
  const negative = 2 * ((slotAt & (PAGE_WORDS - 1)) + SLOT.numberGuard) + 1
  const from = source.pageOf(slotAt)
  if (from === undefined || from.halves[negative] === 0) return true
  const block = target.memory.allocateBlock()
  target.pageOf(slotAt)!.halves[negative] = block
  return block !== 0
}

function refused(descriptors: Descriptors, metric: number): RedefinitionError {
  const name = descriptors.count === 0 ? '' : new TextDecoder().decode(descriptors.key(metric))
  return new RedefinitionError(`failed redefining metric "${name}"`)
}
