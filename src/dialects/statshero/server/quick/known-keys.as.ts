/**
 * AssemblyScript: entries of the keys of a group of lines, in the table of src/arena/key-memory.ts.
 * Memory is what a look-up among many keys waits for: a bucket, for a key that is not known a set
 * of refused ones, an entry. In a group all of them wait at once.
 *
 *   64       masks: 16 bytes of ones, 16 of zeros
 *   78144    lines of a group, 24 bytes each:
 *              [at:u32][hash:u32][length << 8 | type:u32][entry:u32][value:u64]
 *            length: that of the key; entry: what {@link guess} found
 */
export const BYTE_MASKS: usize = 64
/** Word of the state where what was read ahead goes, so that it is read. */
const TOUCHED: usize = 48
export const GROUP_AT: usize = 78144
export const GROUP_BYTES: usize = 24
const GROUP_MAX: usize = 16
export const GROUP_END: usize = GROUP_AT + GROUP_MAX * GROUP_BYTES
export const G_AT: usize = 0,
  G_HASH: usize = 4,
  G_HEAD: usize = 8,
  G_ENTRY: usize = 12,
  G_VALUE: usize = 16

/** Places in the head of the table. */
const SETS_AT: usize = 8,
  TICKET_OF_ALL: usize = 12
const REFUSED_SETS: u32 = 65536
const SET_BYTES: usize = 64
/** Bytes of a set before the places of its entries. */
const SET_PLACES: usize = 32

/** Compares the key of an entry with the one at `p`, of the same length. */
function isKey(entry: usize, p: usize, size: usize): bool {
  const key = entry + 24
  const whole = size & ~15
  const isRest = v128.load(BYTE_MASKS + 16 - (size & 15))
  let differs = v128.and(v128.xor(v128.load(key + whole), v128.load(p + whole)), isRest)
  for (let i: usize = 0; i < whole; i += 16) {
    differs = v128.or(differs, v128.xor(v128.load(key + i), v128.load(p + i)))
  }
  return !v128.any_true(differs)
}

/** Tells whether an entry of a refused key holds for a source with this ticket. */
function holds(entry: usize, head: usize, source: u32): bool {
  const ticket = load<u32>(entry, 12)
  return ticket == source || ticket == load<u32>(head, TICKET_OF_ALL)
}

/** Marks the buckets of a set that have this hash: one bit each. */
function ofHash(set: usize, h: u32): u32 {
  const hash = i32x4.splat(<i32>h)
  const low = i32x4.bitmask(i32x4.eq(v128.load(set), hash))
  return <u32>low | ((<u32>i32x4.bitmask(i32x4.eq(v128.load(set, 16), hash))) << 4)
}

/** Finds the entry of a key: a known one, or one that is refused to this source; or 0. */
function find(head: usize, source: u32, h: u32, entryHead: u32, p: usize): usize {
  const buckets = <usize>load<u32>(head)
  const mask = load<u32>(head, 4)
  const size = <usize>(entryHead >> 8)
  for (let bucket = h & mask; ; bucket = (bucket + 1) & mask) {
    const b = buckets + ((<usize>bucket) << 3)
    const place = load<i32>(b, 4)
    if (place == 0) break
    if (load<u32>(b) != h || place < 0 || load<u32>(place, 4) != entryHead) continue
    if (isKey(place, p, size)) return place
  }
  const sets = <usize>load<u32>(head, SETS_AT)
  if (sets == 0) return 0
  const set = sets + <usize>(h & (REFUSED_SETS - 1)) * SET_BYTES
  for (let found = ofHash(set, h); found != 0; found &= found - 1) {
    const entry = <usize>load<u32>(set + ((<usize>ctz<u32>(found)) << 2), SET_PLACES)
    if (entry == 0 || load<u32>(entry, 4) != entryHead || !holds(entry, head, source)) continue
    if (isKey(entry, p, size)) return entry
  }
  return 0
}

/**
 * Guesses the entries of the keys of a group, by their hashes alone: 0 for none. Memory is what
 * look-ups of many keys wait for, and here they all wait at once: what is read next is touched for
 * all of them before any is looked into, where nothing branches on it.
 */
export function guess(head: usize, groupEnd: usize): void {
  const buckets = <usize>load<u32>(head)
  const mask = load<u32>(head, 4)
  const sets = <usize>load<u32>(head, SETS_AT)
  let sink: u32 = 0
  for (let g: usize = GROUP_AT; g < groupEnd; g += GROUP_BYTES) {
    sink ^= load<u32>(buckets + ((<usize>(load<u32>(g, G_HASH) & mask)) << 3))
  }
  let isOther = false
  for (let g: usize = GROUP_AT; g < groupEnd; g += GROUP_BYTES) {
    const h = load<u32>(g, G_HASH)
    let bucket = h & mask
    let place: i32
    while (true) {
      const b = buckets + ((<usize>bucket) << 3)
      place = load<i32>(b, 4)
      if (place == 0 || (load<u32>(b) == h && place > 0)) break
      bucket = (bucket + 1) & mask
    }
    store<i32>(g, place, G_ENTRY)
    // the head of the table is there in place of an entry
    let next = <usize>place
    if (place == 0) {
      isOther = true
      next = sets + <usize>(h & (REFUSED_SETS - 1)) * SET_BYTES
    }
    sink ^= load<u32>(next)
  }
  if (isOther && sets != 0) {
    for (let g: usize = GROUP_AT; g < groupEnd; g += GROUP_BYTES) {
      if (load<u32>(g, G_ENTRY) != 0) continue
      const h = load<u32>(g, G_HASH)
      const set = sets + <usize>(h & (REFUSED_SETS - 1)) * SET_BYTES
      const found = ofHash(set, h)
      if (found == 0) continue
      const place = load<u32>(set + ((<usize>ctz<u32>(found)) << 2), SET_PLACES)
      store<u32>(g, place, G_ENTRY)
      sink ^= load<u32>(<usize>place)
    }
  }
  store<u32>(TOUCHED, sink)
}

/** Gives the entry of a key of a group, as {@link find} does: the guess, where it was right. */
export function entryOf(head: usize, source: u32, g: usize): usize {
  const entry = <usize>load<u32>(g, G_ENTRY)
  const entryHead = load<u32>(g, G_HEAD)
  const p = <usize>load<u32>(g, G_AT)
  if (
    entry != 0 &&
    load<u32>(entry, 4) == entryHead &&
    isKey(entry, p, <usize>(entryHead >> 8)) &&
    (load<i32>(entry) >= 0 || holds(entry, head, source))
  ) {
    return entry
  }
  return find(head, source, load<u32>(g, G_HASH), entryHead, p)
}
