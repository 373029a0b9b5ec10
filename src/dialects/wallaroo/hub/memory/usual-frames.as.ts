/**
 * AssemblyScript: usual frames of Metrics, taken where a read has put them (decision 0022). A frame
 * is usual if its head is the last one of a known series of a worker that this connection stands
 * for, its counts are below 2^32 and none is in bin 64, its greatest latency is below 2^63, and its
 * times are those of a window that has just ended. Everything else it leaves to JavaScript, whose
 * results it shares bit by bit: sums of doubles are added in the same order.
 */
import {
  AGE_LIMIT,
  BLOCK_CAPACITY,
  BLOCK_HEAD,
  BLOCK_LATEST,
  BLOCK_LENGTH,
  BLOCK_NEXT,
  BLOCK_OWNER,
  BLOCK_POSITION,
  BLOCK_USED,
  BLOCKS,
  BLOCKS_LIMIT,
  BLOCKS_SHARE,
  BLOCKS_USED,
  BUCKET_MASK,
  BUCKETS,
  CHAIN,
  COUNTS,
  DOCUMENT_BINNING,
  DOCUMENT_ORDER,
  DROPPED,
  DROPPED_END,
  ENDS,
  ENDS_COUNT,
  ENDS_UNTIL,
  EVIDENCE,
  FIRST_AT,
  FIRST_BLOCK,
  FRAME_SIZE,
  FREE_BLOCK,
  GREATEST,
  HASH,
  HEAD,
  HEAD_MAX,
  HEAD_MIN,
  HEAD_SIZE,
  HEARD_BY,
  IS_OPEN,
  KNOWN,
  LAST_BLOCK,
  LAST_END,
  LAST_SEEN,
  LATEST_END,
  LEAST,
  LENGTH,
  MIDDLES,
  NEXT,
  PEER_BINNING,
  PEER_ORDER,
  PERIOD_LIMIT,
  POSITION,
  PREVIOUS,
  SECRETS,
  SHIFT,
  SHUFFLES,
  SUM,
  TAIL_SIZE,
  TAKEN,
  TAKEN_DOCUMENT,
  TAKEN_EMPTY,
  TAKEN_INCONSISTENT,
  TOTALS,
  TOUCHED_FIRST,
  TOUCHED_LAST,
  TOUCHED_NEXT,
  WORKER,
  WORKER_SEEN,
} from './layout.ts'

/** Places behind a frame's head: extremes, then period and end, behind the bins. */
const BIN_64: usize = 512
const EXTREMES: usize = 520
const PERIOD: usize = 536
/** Words of a packed window in front of its extremes, and those of the two. */
const WINDOW_HEAD: u32 = 7
const WINDOW_EXTREMES: u32 = 4
/** Head of a packed window: where its number of words begins, and that both extremes are known. */
const SIZE_SHIFT: u32 = 8
const HAS_EXTREMES: u32 = 3
/** Word of a packed window that its end begins with. */
const WINDOW_END: usize = 12

/** Loads two numbers of 64 bits in network order. */
function load64x2(at: usize): v128 {
  const bytes = v128.load(at)
  return i8x16.shuffle(bytes, bytes, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8)
}

/** Compares `size` bytes, 16 or more. */
function isSame(a: usize, b: usize, size: usize): bool {
  let differing = v128.xor(v128.load(a + size - 16), v128.load(b + size - 16))
  for (let i: usize = 0; i + 16 < size; i += 16) {
    differing = v128.or(differing, v128.xor(v128.load(a + i), v128.load(b + i)))
  }
  return !v128.any_true(differing)
}

/** Hashes a head: the sum of word-hash.ts, each word with a secret of its own. */
export function hash(at: usize, size: usize): u32 {
  const mask = i32x4.splat(0xffff)
  let sum = i32x4.splat(0)
  let i: usize = 0
  for (; i + 16 < size; i += 16) {
    const hidden = i32x4.add(v128.load(at + i), v128.load(i + SECRETS))
    sum = i32x4.add(sum, i32x4.mul(v128.and(hidden, mask), i32x4.shr_u(hidden, 16)))
  }
  const hidden = i32x4.add(v128.load(at + size - 16), v128.load(i + SECRETS))
  sum = i32x4.add(sum, i32x4.mul(v128.and(hidden, mask), i32x4.shr_u(hidden, 16)))
  const whole = <u32>(
    (i32x4.extract_lane(sum, 0) +
      i32x4.extract_lane(sum, 1) +
      i32x4.extract_lane(sum, 2) +
      i32x4.extract_lane(sum, 3))
  )
  const folded = (whole ^ (whole >> 16)) * 0x9e3779b1
  return folded ^ (folded >> 15)
}

/** Finds the series whose last head a frame begins with; 0 where there is none. */
function find(at: usize, size: usize): usize {
  const headSize = size - TAIL_SIZE
  // also of a frame that is shorter than a tail
  if (headSize - HEAD_MIN > <usize>(HEAD_MAX - HEAD_MIN)) return 0
  const wanted = hash(at, headSize)
  let series: usize = load<u32>(load<u32>(BUCKETS) + ((wanted & load<u32>(BUCKET_MASK)) << 2))
  while (series) {
    const isLike = load<u32>(series, HASH) == wanted && load<u32>(series, FRAME_SIZE) == <u32>size
    if (isLike && isSame(series + HEAD, at, headSize)) return series
    series = load<u32>(series, CHAIN)
  }
  return 0
}

/** Tells whether a value may lie in a bin under either rule: the closed range [2^(i-1), 2^i]. */
function isInBin(value: u64, bin: u64): bool {
  const bits = 64 - clz(value)
  return bits == bin || (bits == bin + 1 && popcnt(value) == 1)
}

/** Tells which rule put an extreme value, a power of two, into a bin. */
function binningOf(value: u64, bin: u64): u32 {
  return 64 - clz(value) == bin ? PEER_BINNING : DOCUMENT_BINNING
}

/** Tells whether a worker's windows with this end have come before and change nothing. */
function isKnownEnd(worker: usize, endMs: f64, nowMs: f64): bool {
  if (!(nowMs <= load<f64>(worker, ENDS_UNTIL))) return false
  for (let i: usize = 0; i < <usize>ENDS_COUNT; i++) {
    if (load<f64>(worker + (i << 3), ENDS) == endMs) return true
  }
  return false
}

/** Lets the windows of a series' oldest block go, of several or of one. */
function forgetOldest(series: usize): usize {
  const block: usize = load<u32>(series, FIRST_BLOCK)
  let latestMs = load<f64>(series, DROPPED_END)
  let count: u32 = 0
  let at: usize = load<u32>(series, FIRST_AT)
  if (at == BLOCK_HEAD) {
    // the windows themselves are in no cache any more
    count = load<u32>(block, BLOCK_LENGTH)
    latestMs = max<f64>(latestMs, load<f64>(block, BLOCK_LATEST))
  } else {
    const used: usize = load<u32>(block, BLOCK_USED)
    for (; at < used; count++) {
      const endMs = <f64>rotl<u64>(load<u64>(block + at, WINDOW_END), 32) / 1e6
      latestMs = max<f64>(latestMs, endMs)
      at += (load<u32>(block + at) >> SIZE_SHIFT) << 2
    }
  }
  store<f64>(series, latestMs, DROPPED_END)
  store<f64>(DROPPED, load<f64>(DROPPED) + <f64>count)
  store<u32>(series, load<u32>(series, LENGTH) - count, LENGTH)
  store<u32>(series, load<u32>(block, BLOCK_NEXT), FIRST_BLOCK)
  store<u32>(series, BLOCK_HEAD, FIRST_AT)
  return block
}

/** Gives a series a block for its next windows; 0 where JavaScript has to find one. */
function addBlock(series: usize): usize {
  const own = load<u32>(series, BLOCKS)
  const share = load<u32>(BLOCKS_SHARE)
  const last: usize = load<u32>(series, LAST_BLOCK)
  let block: usize = 0
  if (
    own == share ||
    (own > 0 && own < share && load<u32>(BLOCKS_USED) >= load<u32>(BLOCKS_LIMIT))
  ) {
    block = forgetOldest(series)
  } else if (
    own < share &&
    load<u32>(FREE_BLOCK) &&
    load<u32>(BLOCKS_USED) < load<u32>(BLOCKS_LIMIT)
  ) {
    block = load<u32>(FREE_BLOCK)
    store<u32>(FREE_BLOCK, load<u32>(block, BLOCK_NEXT))
    store<u32>(BLOCKS_USED, load<u32>(BLOCKS_USED) + 1)
    store<u32>(series, own + 1, BLOCKS)
    store<u32>(block, <u32>series, BLOCK_OWNER)
  } else return 0
  store<u32>(block, 0, BLOCK_NEXT)
  store<u32>(block, BLOCK_HEAD, BLOCK_USED)
  store<u32>(block, 0, BLOCK_LENGTH)
  store<f64>(block, -Infinity, BLOCK_LATEST)
  store<f64>(block, load<f64>(series, POSITION), BLOCK_POSITION)
  if (load<u32>(series, FIRST_BLOCK)) store<u32>(last, <u32>block, BLOCK_NEXT)
  else {
    store<u32>(series, <u32>block, FIRST_BLOCK)
    store<u32>(series, BLOCK_HEAD, FIRST_AT)
  }
  store<u32>(series, <u32>block, LAST_BLOCK)
  return block
}

function middle(bin: u64): f64 {
  return load<f64>(((<usize>bin) << 3) + MIDDLES)
}

/** Adds to the messages of a bin. */
function addTo(series: usize, bin: u64, count: u32): void {
  const at = series + ((<usize>bin) << 3)
  store<u64>(at, load<u64>(at, TOTALS) + <u64>count, TOTALS)
}

/**
 * Takes frames in [at, end) of one connection, as long as they are usual and whole; TAKEN and the
 * cells behind it say what they were.
 * @param nowMs when they were read
 * @returns where the first frame begins that is not
 */
export function take(at: usize, end: usize, connection: usize, nowMs: f64): usize {
  let previous: usize = load<u32>(connection, PREVIOUS)
  let frames: u32 = 0
  let empty: u32 = 0
  let documents: u32 = 0
  let inconsistent: u32 = 0
  let evidence: u32 = 0
  const ageLimit = load<f64>(AGE_LIMIT)
  const periodLimit = load<u64>(PERIOD_LIMIT)
  let endNs: u64 = 0
  let endMs: f64 = 0
  let endWorker: usize = 0
  while (at + 4 <= end) {
    const length: usize = bswap<u32>(load<u32>(at))
    if (length > end - at - 4) break
    const size = length + 4
    let series: usize = load<u32>(previous, NEXT)
    if (
      load<u32>(series, FRAME_SIZE) != <u32>size ||
      !isSame(series + HEAD, at, load<u32>(series, HEAD_SIZE))
    ) {
      series = find(at, size)
      if (!series) break
      if (previous) store<u32>(previous, <u32>series, NEXT)
    }
    const worker: usize = load<u32>(series, WORKER)
    if (load<u32>(worker, HEARD_BY) != <u32>connection) break
    const bins = at + size - TAIL_SIZE
    // times of a window that has just ended, and an end that says nothing new of the worker's clock
    const times = load64x2(bins + PERIOD)
    const period = <u64>i64x2.extract_lane(times, 0)
    if (period == 0 || period >= periodLimit) break
    const isSameEnd = <u64>i64x2.extract_lane(times, 1) == endNs && worker == endWorker
    if (!isSameEnd) {
      // nearly all frames of a read have the end of the one before
      endNs = <u64>i64x2.extract_lane(times, 1)
      endWorker = 0
      endMs = <f64>endNs / 1e6
      if (!(endMs <= nowMs && nowMs - endMs - load<f64>(worker, SHIFT) < ageLimit)) break
      if (endMs != load<f64>(worker, LATEST_END) && !isKnownEnd(worker, endMs, nowMs)) break
      endWorker = worker
    }

    // four bins at a time: their lower halves as words, of which those that are not 0 move together
    let filled: u64 = 0
    let high = i32x4.splat(0)
    let count: usize = COUNTS
    for (let k: usize = 0; k < BIN_64; k += 32) {
      const a = v128.load(bins + k)
      const b = v128.load(bins + k, 16)
      // most bins are 0
      if (!v128.any_true(v128.or(a, b))) continue
      high = v128.or(
        high,
        i8x16.shuffle(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27),
      )
      const low = i8x16.shuffle(a, b, 7, 6, 5, 4, 15, 14, 13, 12, 23, 22, 21, 20, 31, 30, 29, 28)
      const bits = <u32>i32x4.bitmask(i32x4.ne(low, i32x4.splat(0)))
      v128.store(count, i8x16.swizzle(low, v128.load(((<usize>bits) << 4) + SHUFFLES)))
      count += (<usize>popcnt(bits)) << 2
      filled |= (<u64>bits) << (<u64>k >> 3)
    }
    if (v128.any_true(high) || load<u64>(bins, BIN_64)) break
    const extremes = load64x2(bins + EXTREMES)
    const a = <u64>i64x2.extract_lane(extremes, 0)
    const b = <u64>i64x2.extract_lane(extremes, 1)
    const least = min<u64>(a, b)
    const greatest = max<u64>(a, b)
    const lowest = ctz(filled)
    const highest = 63 - clz(filled)
    let words: u32 = WINDOW_HEAD + <u32>((count - COUNTS) >> 2)
    // extremes that the bins contradict are not known
    const isKnown = filled != 0 && isInBin(least, lowest) && isInBin(greatest, highest)
    if (isKnown) {
      if (<i64>greatest < 0) break
      words += WINDOW_EXTREMES
    }

    let block: usize = load<u32>(series, LAST_BLOCK)
    if (!block || load<u32>(block, BLOCK_USED) + (words << 2) > <u32>BLOCK_CAPACITY) {
      block = addBlock(series)
      if (!block) break
    }
    // from here on nothing can be odd: the window is packed …
    const used = load<u32>(block, BLOCK_USED)
    const packed = block + used
    store<u32>(block, used + (words << 2), BLOCK_USED)
    store<u32>(block, load<u32>(block, BLOCK_LENGTH) + 1, BLOCK_LENGTH)
    store<f64>(block, max<f64>(load<f64>(block, BLOCK_LATEST), endMs), BLOCK_LATEST)
    store<u32>(packed, (words << SIZE_SHIFT) | (isKnown ? HAS_EXTREMES : 0))
    store<u64>(packed, filled, 4)
    store<u64>(packed, rotl<u64>(endNs, 32), 12)
    store<u64>(packed, rotl<u64>(period, 32), 20)
    store<u32>(series, load<u32>(series, LENGTH) + 1, LENGTH)
    store<f64>(series, load<f64>(series, POSITION) + <f64>words, POSITION)

    if (filled) {
      let to = packed + 28
      if (isKnown) {
        store<u64>(to, rotl<u64>(least, 32))
        store<u64>(to, rotl<u64>(greatest, 32), 8)
        to += 16
      }
      for (let k: usize = COUNTS; k < count; k += 16, to += 16) v128.store(to, v128.load(k))
      // … and added to the totals
      const smallest = isKnown ? <f64>least : 0
      const largest = isKnown ? <f64>greatest : Infinity
      let sum: f64 = 0
      let left = filled & (filled - 1)
      let at: usize = COUNTS + 4
      for (; at + 4 < count; at += 4) {
        const bin = ctz(left)
        left &= left - 1
        const messages = load<u32>(at)
        sum += <f64>messages * middle(bin)
        addTo(series, bin, messages)
      }
      const first = load<u32>(COUNTS)
      addTo(series, lowest, first)
      let others = <f64>first
      if (isKnown) {
        sum += smallest
        others--
      }
      if (lowest == highest) {
        if (isKnown && others > 0) {
          sum += largest
          others--
        }
        sum += others * min<f64>(max<f64>(middle(lowest), smallest), largest)
      } else {
        sum += others * min<f64>(max<f64>(middle(lowest), smallest), largest)
        const last = load<u32>(count - 4)
        addTo(series, highest, last)
        others = <f64>last
        if (isKnown) {
          sum += largest
          others--
        }
        sum += others * min<f64>(max<f64>(middle(highest), smallest), largest)
      }
      store<f64>(series, load<f64>(series, SUM) + sum, SUM)
    } else empty++
    if (isKnown) {
      if (least < load<u64>(series, LEAST)) store<u64>(series, least, LEAST)
      if (greatest > load<u64>(series, GREATEST)) store<u64>(series, greatest, GREATEST)
      store<u32>(series, HAS_EXTREMES, KNOWN)
      if (popcnt(least) == 1) evidence |= binningOf(least, lowest)
      else if (popcnt(greatest) == 1) evidence |= binningOf(greatest, highest)
      if (a < b) evidence |= PEER_ORDER
      else if (a > b) {
        evidence |= DOCUMENT_ORDER
        documents++
      }
    } else if (filled) inconsistent++

    if (!load<u32>(series, IS_OPEN)) {
      store<u32>(series, 1, IS_OPEN)
      const last: usize = load<u32>(TOUCHED_LAST)
      if (last) store<u32>(last, <u32>series, TOUCHED_NEXT)
      else store<u32>(TOUCHED_FIRST, <u32>series)
      store<u32>(TOUCHED_LAST, <u32>series)
      store<u32>(series, 0, TOUCHED_NEXT)
    }
    if (endMs > load<f64>(series, LAST_END)) store<f64>(series, endMs, LAST_END)
    store<f64>(series, nowMs, LAST_SEEN)
    store<f64>(worker, nowMs, WORKER_SEEN)
    store<f64>(worker, endMs, LATEST_END)
    previous = series
    frames++
    at += size
  }
  store<u32>(connection, <u32>previous, PREVIOUS)
  store<u32>(TAKEN, frames)
  store<u32>(TAKEN_EMPTY, empty)
  store<u32>(TAKEN_DOCUMENT, documents)
  store<u32>(TAKEN_INCONSISTENT, inconsistent)
  store<u32>(EVIDENCE, evidence)
  return at
}
