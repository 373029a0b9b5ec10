/**
 * Descriptors and names: what a metric is. Both are written before the metric is published and do
 * not change until it is retired, so that any thread may read them without a lock. The number of a
 * retired metric is given to the next definition of its type: type and slot of a number stay for
 * ever, its name changes, and never within one generation (docs/formats/zone.md, "Retirement").
 */
import {
  BOUNDS_MAX,
  DESCRIPTOR,
  DESCRIPTOR_GUARDED,
  DESCRIPTOR_INTS,
  DESCRIPTOR_RETIRED,
  DESCRIPTOR_UNLINKED,
  DESCRIPTORS_PER_PAGE,
  HEADER,
  LAST_BOUND,
  METRIC_MODES,
  METRIC_TYPES,
  type MetricMode,
  type MetricType,
  PAGE_BYTES,
  SLOT_CLASSES,
  slotClass,
} from '../layout.ts'
import type { Page, ZoneMemory } from '../memory/memory.ts'

/** Mode bits of a descriptor that name the mode. */
const MODE_MASK = 0x1f
/** Every binned histogram has room for as many bounds as there can be: numbers are reused. */
const BOUNDS_BYTES = 4 * BOUNDS_MAX

const PER_PAGE_SHIFT = 31 - Math.clz32(DESCRIPTORS_PER_PAGE)

/** `lengthAndType` without the length, by slot class. */
const TYPE_AND_MODE = SLOT_CLASSES.map(({ type, mode }) => {
  const place = (METRIC_MODES[type] as readonly MetricMode[]).indexOf(mode)
  return (METRIC_TYPES.indexOf(type) << 16) | (place << 24)
})

/** Place of a metric's values and bounds; written once per number. */
interface SlotPlace {
  readonly slotClass: number
  readonly slotAt: number
  /** Byte offset of the bounds in the zone; 0 = has none. */
  readonly boundsAt: number
}

export class Descriptors {
  readonly #memory: ZoneMemory
  /** `count` as last seen; it only grows. */
  #known = 0
  /** Pages of descriptors as found in the table; they stay where they are. */
  #pages: (Page | undefined)[] = []

  constructor(memory: ZoneMemory) {
    this.#memory = memory
  }

  get #ints(): Int32Array {
    return this.#memory.ints
  }

  /** Numbers ever given out; those below it are metrics, if they are not retired. */
  get count(): number {
    return Atomics.load(this.#ints, HEADER.metrics)
  }

  /** Tells whether a number is that of a metric; what is none may come from anywhere. */
  has(metric: number): boolean {
    if (!(metric < this.#known)) this.#known = this.count
    if (!(metric >= 0 && metric < this.#known && Number.isInteger(metric))) return false
    return this.#field(metric, DESCRIPTOR.lengthAndType) >= 0
  }

  /** Gives the place of type and mode in SLOT_CLASSES. */
  slotClass(metric: number): number {
    const field = this.#field(metric, DESCRIPTOR.lengthAndType)
    return slotClass((field >>> 16) & 0xff, (field >>> 24) & MODE_MASK)
  }

  type(metric: number): MetricType {
    return METRIC_TYPES[(this.#field(metric, DESCRIPTOR.lengthAndType) >>> 16) & 0xff]!
  }

  mode(metric: number): MetricMode {
    return SLOT_CLASSES[this.slotClass(metric)]!.mode
  }

  /** Tells whether the metric is linked: false once it is out of the index. */
  isLinked(metric: number): boolean {
    return (this.#field(metric, DESCRIPTOR.lengthAndType) & DESCRIPTOR_UNLINKED) === 0
  }

  /** Tells whether every thread looks at a settable counter's total before it adds. */
  isGuarded(metric: number): boolean {
    return (this.#field(metric, DESCRIPTOR.lengthAndType) & DESCRIPTOR_GUARDED) !== 0
  }

  /** Marks a settable counter as guarded; under the lock, with the generation odd. */
  guard(metric: number): void {
    this.pageOf(metric).halves[this.flagsAt(metric)]! |= DESCRIPTOR_GUARDED
  }

  /** Gives the int in {@link pageOf} that holds the metric's flags. */
  flagsAt(metric: number): number {
    return this.#offset(metric) + DESCRIPTOR.lengthAndType
  }

  /**
   * Finds the slots of many metrics of a type, fastest where they ascend.
   * @returns the index of the first that is none of these, or -1
   */
  slotsOf(metrics: Uint32Array, type: MetricType, target: Uint32Array): number {
    const wanted = METRIC_TYPES.indexOf(type)
    const { count } = this
    let held = -1
    let halves: Int32Array | undefined
    for (let i = 0; i < metrics.length; i++) {
      const metric = metrics[i]!
      if (metric >= count) return i
      if (halves === undefined || metric >>> PER_PAGE_SHIFT !== held) {
        held = metric >>> PER_PAGE_SHIFT
        halves = this.pageOf(metric).halves
      }
      const at = this.#offset(metric)
      const field = halves[at + DESCRIPTOR.lengthAndType]!
      if (field < 0 || ((field >>> 16) & 0xff) !== wanted) return i
      target[i] = halves[at + DESCRIPTOR.slotAt]!
    }
    return -1
  }

  slotAt(metric: number): number {
    return this.#field(metric, DESCRIPTOR.slotAt)
  }

  key(metric: number): Uint8Array {
    const at = this.#field(metric, DESCRIPTOR.nameAt)
    const length = this.#field(metric, DESCRIPTOR.lengthAndType) & 0xffff
    const from = at & (PAGE_BYTES - 1)
    return this.#memory.bytes(at >>> 16).slice(from, from + length)
  }

  hasKey(metric: number, key: Uint8Array): boolean {
    if ((this.#field(metric, DESCRIPTOR.lengthAndType) & 0xffff) !== key.length) return false
    const at = this.#field(metric, DESCRIPTOR.nameAt)
    const bytes = this.#memory.bytes(at >>> 16)
    const from = at & (PAGE_BYTES - 1)
    for (let i = 0; i < key.length; i++) if (bytes[from + i] !== key[i]) return false
    return true
  }

  /** Follows the memory, which shows a successor now. */
  succeed(): void {
    this.#pages = []
  }

  /**
   * Gives the page of the descriptor, whose words hold at {@link sharedAt} a shared gauge's value,
   * or what a settable counter's writers do not see of its total.
   */
  pageOf(metric: number): Page {
    return this.#pages[metric >>> PER_PAGE_SHIFT] ?? this.#findPage(metric)
  }

  #findPage(metric: number): Page {
    const page = this.#memory.page(this.#ints[this.#pageEntry(metric)]!)
    this.#pages[metric >>> PER_PAGE_SHIFT] = page
    return page
  }

  /** Gives the metric's word in {@link pageOf}. */
  sharedAt(metric: number): number {
    return (this.#offset(metric) + DESCRIPTOR.shared) >>> 1
  }

  /** Reads by how much a settable counter's total is more than its writers read. */
  unseen(metric: number): bigint {
    return Atomics.load(this.pageOf(metric).words, this.sharedAt(metric))
  }

  /** Sets {@link unseen}; under the lock. */
  setUnseen(metric: number, amount: bigint): void {
    Atomics.store(this.pageOf(metric).words, this.sharedAt(metric), amount)
  }

  /** Counts the bounds a binned histogram was defined with; 0 of all others. */
  boundsCount(metric: number): number {
    const isBinned = this.type(metric) === 'binned'
    return isBinned ? this.#field(metric, DESCRIPTOR.shared + 1) : 0
  }

  /** Gives the page of a binned histogram's bounds: ints from {@link boundsAt} on. */
  boundsPage(metric: number): Page {
    return this.#memory.page(this.#field(metric, DESCRIPTOR.shared) >>> 16)
  }

  boundsAt(metric: number): number {
    return (this.#field(metric, DESCRIPTOR.shared) & (PAGE_BYTES - 1)) >>> 2
  }

  /** Bounds of a binned histogram, the last one included. */
  bounds(metric: number): number[] {
    const { halves } = this.boundsPage(metric)
    const at = this.boundsAt(metric)
    const own = halves.subarray(at, at + this.boundsCount(metric))
    return [...Array.from(own, (bound) => bound >>> 0), LAST_BOUND]
  }

  /**
   * Makes room for one more descriptor and its name; under the lock.
   * @returns where the name goes, or 0 when the zone is full
   */
  reserve(metric: number, keyLength: number): number {
    const table = this.#pageEntry(metric)
    if (this.#ints[table] === 0) {
      const page = this.#memory.allocatePage('descriptors')
      if (page === 0) return 0
      this.#ints[table] = page
    }
    return this.#reserveName(keyLength)
  }

  #reserveName(keyLength: number): number {
    const at = this.#ints[HEADER.namesAt]!
    if (at !== 0 && (at & (PAGE_BYTES - 1)) + keyLength <= PAGE_BYTES) return at
    const page = this.#memory.allocatePage('names')
    if (page !== 0) this.#ints[HEADER.namesAt] = page * PAGE_BYTES
    return page * PAGE_BYTES
  }

  #takeNameBytes(end: number): void {
    this.#ints[HEADER.namesAt] = (end & (PAGE_BYTES - 1)) === 0 ? 0 : end
  }

  /**
   * Takes room for the bounds of a binned histogram, among the names and before {@link reserve};
   * under the lock.
   * @returns where they go, or 0 when the zone is full
   */
  takeBounds(): number {
    const at = (this.#reserveName(BOUNDS_BYTES + 3) + 3) & ~3
    if (at !== 0) this.#takeNameBytes(at + BOUNDS_BYTES)
    return at
  }

  /** Writes what {@link reserve} made room for; under the lock, before the metric is published. */
  write(metric: number, nameAt: number, key: Uint8Array, place: SlotPlace): void {
    const { halves } = this.pageOf(metric)
    const at = this.#offset(metric)
    halves[at + DESCRIPTOR.slotAt] = place.slotAt
    halves[at + DESCRIPTOR.slotWords] = SLOT_CLASSES[place.slotClass]!.words
    halves[at + DESCRIPTOR.shared] = place.boundsAt
    this.#takeName(metric, nameAt, key.length)
    this.#name(metric, key, place.slotClass)
  }

  /** Gives reserved bytes to a metric for its names. */
  #takeName(metric: number, nameAt: number, room: number): void {
    this.#takeNameBytes(nameAt + room)
    const { halves } = this.pageOf(metric)
    const at = this.#offset(metric)
    halves[at + DESCRIPTOR.nameAt] = nameAt
    halves[at + DESCRIPTOR.nameRoom] = room
  }

  /** Writes a name where its bytes are already, and that the metric is neither out nor retired. */
  #name(metric: number, key: Uint8Array, ofClass: number): void {
    const nameAt = this.#field(metric, DESCRIPTOR.nameAt)
    this.#memory.bytes(nameAt >>> 16).set(key, nameAt & (PAGE_BYTES - 1))
    const { halves } = this.pageOf(metric)
    const at = this.#offset(metric) + DESCRIPTOR.lengthAndType
    halves[at] = key.length | TYPE_AND_MODE[ofClass]!
  }

  /** Writes the bounds of a binned histogram, all but the last; as {@link write}. */
  setBounds(metric: number, bounds: readonly number[]): void {
    if (bounds.length === 0) return
    const { halves } = this.boundsPage(metric)
    const at = this.boundsAt(metric)
    for (let i = 0; i < bounds.length; i++) halves[at + i] = bounds[i]!
    this.pageOf(metric).halves[this.#offset(metric) + DESCRIPTOR.shared + 1] = bounds.length
  }

  /**
   * Tells whether a metric has exactly these bounds, the last one left out; none for other types.
   */
  hasBounds(metric: number, bounds: readonly number[]): boolean {
    if (this.boundsCount(metric) !== bounds.length) return false
    if (bounds.length === 0) return true
    const { halves } = this.boundsPage(metric)
    const at = this.boundsAt(metric)
    return bounds.every((bound, i) => halves[at + i]! >>> 0 === bound)
  }

  /** Marks a metric as out of the index; under the lock. */
  unlink(metric: number): void {
    const at = this.#offset(metric) + DESCRIPTOR.lengthAndType
    this.pageOf(metric).halves[at]! |= DESCRIPTOR_UNLINKED
    this.#ints[HEADER.unlinked]!++
  }

  /** Marks an unlinked metric as none and keeps its number for {@link reuse}; under the lock. */
  retire(metric: number): void {
    const at = this.#offset(metric) + DESCRIPTOR.lengthAndType
    this.pageOf(metric).halves[at]! |= DESCRIPTOR_RETIRED
    this.#ints[HEADER.unlinked]!--
    this.#ints[HEADER.retired]!++
    this.#pushFree(metric)
  }

  #pushFree(metric: number): void {
    const first = HEADER.freeMetrics + this.slotClass(metric)
    this.pageOf(metric).halves[this.#offset(metric) + DESCRIPTOR.nextFree] = this.#ints[first]!
    this.#ints[first] = metric + 1
    this.#ints[HEADER.freeCount]!++
  }

  /**
   * Counts unlinked and free metrics anew and lists the free ones, from what the descriptors say:
   * the way out where a thread died that held the lock. Under the lock.
   */
  recount(): void {
    const ints = this.#ints
    ints.fill(0, HEADER.freeMetrics, HEADER.freeMetrics + SLOT_CLASSES.length)
    ints[HEADER.freeCount] = 0
    ints[HEADER.unlinked] = 0
    for (let metric = 0; metric < this.count; metric++) {
      if (!this.has(metric)) this.#pushFree(metric)
      else if (!this.isLinked(metric)) ints[HEADER.unlinked]!++
    }
  }

  /** Finds the metric of a slot class that was retired last, or -1; under the lock. */
  lastRetired(ofClass: number): number {
    return this.#ints[HEADER.freeMetrics + ofClass]! - 1
  }

  /** Counts the bytes that the number has for its names. */
  nameRoom(metric: number): number {
    return this.#field(metric, DESCRIPTOR.nameRoom)
  }

  /**
   * Takes over a metric with its number from the zone before; under the locks of both. A shared
   * gauge begins at nothing here: what it holds is counted there until it is collected.
   * @returns false when the zone is full
   */
  takeOver(before: Descriptors, metric: number): boolean {
    const isBinned = before.type(metric) === 'binned'
    const isSettable = before.mode(metric) === 'settable'
    const room = before.nameRoom(metric)
    const boundsAt = isBinned ? this.takeBounds() : 0
    const nameAt = this.reserve(metric, room)
    if (nameAt === 0 || (isBinned && boundsAt === 0)) return false
    const at = this.#offset(metric)
    const { halves } = this.pageOf(metric)
    halves.set(before.pageOf(metric).halves.subarray(at, at + DESCRIPTOR_INTS), at)
    this.#takeName(metric, nameAt, room)
    this.#memory.bytes(nameAt >>> 16).set(before.key(metric), nameAt & (PAGE_BYTES - 1))
    if (isSettable) return true // its word is written under the lock alone
    halves[at + DESCRIPTOR.shared] = boundsAt
    if (isBinned) this.#copyBounds(before, metric)
    else halves[at + DESCRIPTOR.shared + 1] = 0
    return true
  }

  #copyBounds(before: Descriptors, metric: number): void {
    const from = before.boundsAt(metric)
    const bounds = before.boundsPage(metric).halves.subarray(from, from + BOUNDS_MAX)
    this.boundsPage(metric).halves.set(bounds, this.boundsAt(metric))
  }

  /** Counts the bytes by which a key is longer than what the number has for its names. */
  missingRoom(metric: number, keyLength: number): number {
    return Math.max(0, keyLength - this.#field(metric, DESCRIPTOR.nameRoom))
  }

  /**
   * Gives the number that {@link lastRetired} answered to a new key; under the lock, before it is
   * published. A longer key than the number ever had gets new bytes, twice as many up to the
   * key's limit, so that what is left behind stays below twice that limit.
   * @returns false when the zone has no room for the key
   */
  reuse(metric: number, key: Uint8Array, ofClass: number): boolean {
    const ints = this.#ints
    if (!this.#makeRoom(metric, key.length)) return false
    ints[HEADER.freeMetrics + ofClass] = this.#field(metric, DESCRIPTOR.nextFree)
    ints[HEADER.freeCount]!--
    this.#name(metric, key, ofClass)
    return true
  }

  /** Takes new bytes for a name that is longer than the number ever had; false without room. */
  #makeRoom(metric: number, length: number): boolean {
    const room = this.#field(metric, DESCRIPTOR.nameRoom)
    if (length <= room) return true
    const more = Math.max(length, Math.min(2 * room, this.#ints[HEADER.keyBytesLimit]!))
    const nameAt = this.#reserveName(more)
    if (nameAt !== 0) this.#takeName(metric, nameAt, more)
    return nameAt !== 0
  }

  /**
   * Gives a metric another key, in the bytes that it has or in new ones; under the lock, with the
   * generation odd, before its entry in the index is moved.
   * @returns false, with nothing changed, when the zone has no room for the key
   */
  rename(metric: number, key: Uint8Array): boolean {
    if (!this.#makeRoom(metric, key.length)) return false
    const nameAt = this.#field(metric, DESCRIPTOR.nameAt)
    this.#memory.bytes(nameAt >>> 16).set(key, nameAt & (PAGE_BYTES - 1))
    const { halves } = this.pageOf(metric)
    const at = this.#offset(metric) + DESCRIPTOR.lengthAndType
    halves[at] = (halves[at]! & ~0xffff) | key.length
    return true
  }

  #pageEntry(metric: number): number {
    return this.#ints[HEADER.descriptorTableAt]! + (metric >>> PER_PAGE_SHIFT)
  }

  #offset(metric: number): number {
    return (metric & (DESCRIPTORS_PER_PAGE - 1)) * DESCRIPTOR_INTS
  }

  #field(metric: number, field: number): number {
    return this.pageOf(metric).halves[this.#offset(metric) + field]!
  }
}
