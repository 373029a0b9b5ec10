/**
 * AssemblyScript: lines of known keys with plain values, taken where their bytes lie (§3.2 lenient,
 * §3.6). What a counter's lines add is gathered in the entry of its key; a value of another type
 * is noted, in order; every other line is handed to JavaScript, which alone knows all rules.
 *
 *   0        state: words by the numbers below
 *   64       masks: 16 bytes of ones, 16 of zeros; 4 x 16: the lanes up to one; 4 x 16: one lane
 *   256      items, 16 bytes each:
 *              [slot:i32][type:i32][value:f64]              type 0 to 3: value of a known key, or
 *                                                           of a refused one (slot < 0)
 *              [start:u32][LINE:i32][end:u32][origin:i32]   lines for JavaScript
 *              [index:u32][DATAGRAM:i32][0:8]               what follows is of this datagram
 *              [index:u32][OTHER:i32][0:8]                  a datagram for JavaScript, whole
 *   ...      places of entries in which something was gathered, u32 each
 *   ...      tickets of the senders of datagrams, u32 each
 *
 * The table of keys is that of src/arena/key-memory.ts; where its head begins is in the state.
 * When a list is full, the call returns and `resume` goes on; also behind a line that JavaScript
 * must have taken before anything is gathered behind it.
 *
 * Plain lines in a row are a group, whose keys are looked up together (known-keys.as.ts).
 */
import {
  BYTE_MASKS,
  entryOf,
  G_AT,
  G_HASH,
  G_HEAD,
  G_VALUE,
  GROUP_AT,
  GROUP_BYTES,
  GROUP_END,
  guess,
} from './known-keys.as'

const HEAD_AT: usize = 0,
  MAX_FRAME: usize = 4,
  DIGITS_MAX: usize = 8
const AT: usize = 12,
  WHOLE_END: usize = 16,
  BODY_END: usize = 20,
  ORIGIN: usize = 24
const END: usize = 28,
  IS_INSIDE: usize = 32
const ITEMS: usize = 36,
  PLACES: usize = 40,
  FRAMES: usize = 44

const LANES_TO: usize = 96,
  LANE: usize = 160
const ITEMS_AT: usize = 256
const ITEMS_MAX: usize = 4096
const ITEMS_END: usize = ITEMS_AT + ITEMS_MAX * 16
/** Bytes of lines for JavaScript in a list, as of a full one: they may be 8,192 bad lines. */
const HANDED_MAX: u32 = 16384
/** Room for one item more, twice: the end of a body, and of which datagram it is. */
const PLACES_AT: usize = ITEMS_AT + (ITEMS_MAX + 4) * 16
const PLACES_MAX: usize = 2048
/** Tickets of the senders of a batch of datagrams, u32 each. */
const TICKETS_AT: usize = PLACES_AT + PLACES_MAX * 4
const TICKETS_MAX: u32 = 1024
const KEY_BYTES_MAX: usize = 4096
/** Places in the head of the table. */
const TICKET_OF_SOURCE: usize = 16,
  SECRETS: usize = 32
const FACTOR: u32 = 0x9e3779b1
const NOT_GATHERED: i32 = -1
const LINE: i32 = 4,
  DATAGRAM: i32 = 5,
  OTHER: i32 = 6

const METER: u32 = 0,
  METER_READER: u32 = 1,
  GAUGE: u32 = 2,
  HISTOGRAM: u32 = 3
const LF: u32 = 10,
  ZERO: u32 = 48,
  COLON: u32 = 58,
  BAR: u32 = 124,
  PLUS: u32 = 43
/**
 * Digits that a value may have for thousands of such lines to stay far from 2^64; of those that
 * have a sample rate, of up to 10^9, fewer.
 */
const PLAIN_DIGITS: usize = 15
const RATED_DIGITS: usize = 6
const VERSION_1: u32 = 0x7c31,
  GZIP: u32 = 0x8b1f
const M_LF: u32 = 0x0a6d,
  G_LF: u32 = 0x0a67,
  H_LF: u32 = 0x0a68,
  MR: u32 = 0x726d

/** Ends of both lists, while a call lasts. */
let items: usize = ITEMS_AT
let places: usize = PLACES_AT
/** Place from which on the list of items counts as full. */
let itemsEnd: usize = ITEMS_END
let handed: u32 = 0
/** Datagram at hand, and the one that the last item is of. */
let datagram: i32 = -1
let noted: i32 = -1
/** Ticket of the source of the lines at hand; 0 = it has none. */
let ticketOfSource: u32 = 0
/**
 * Whether JavaScript has to take something of before, and the ticket of the source of all that; 0 =
 * several. It may add keys, which are then refused to no source; lines of a source with a ticket
 * add none that it was refused.
 */
let hasLines: bool = false
let ticketOfLines: u32 = 0

export function start(): void {
  for (let i: usize = 0; i < 16; i++) store<u8>(BYTE_MASKS + i, 255)
  for (let lane: usize = 0; lane < 4; lane++) {
    for (let i: usize = 0; i <= lane; i++) store<i32>(LANES_TO + lane * 16 + i * 4, -1)
    store<i32>(LANE + lane * 20, -1)
  }
}

function begin(): void {
  items = ITEMS_AT
  places = PLACES_AT
  itemsEnd = ITEMS_END
  handed = 0
  store<u32>(IS_INSIDE, 0)
  store<u32>(FRAMES, 0)
  hasLines = false
  ticketOfSource = load<u32>(load<u32>(HEAD_AT), TICKET_OF_SOURCE)
}

function finish(): void {
  store<u32>(ITEMS, <u32>((items - ITEMS_AT) >> 4))
  store<u32>(PLACES, <u32>((places - PLACES_AT) >> 2))
}

function noteDatagram(): void {
  if (noted == datagram) return
  noted = datagram
  store<i32>(items, datagram)
  store<i32>(items, DATAGRAM, 4)
  items += 16
}

/**
 * Tells whether a line for JavaScript may bring a counter near its end, where each line is taken or
 * refused for itself: what comes behind it must not be gathered before it is told.
 */
function isLarge(p: usize, end: usize): bool {
  while (p < end && <u32>load<u8>(p) != COLON) p++
  if (++p >= end) return false
  if (<u32>load<u8>(p) == PLUS) return true
  const digits = p
  while (p < end && <u32>load<u8>(p) - ZERO < 10) p++
  // of a line without a rate, `|m LF` is left, or `|mr LF`
  return p - digits > (end - p > 4 ? RATED_DIGITS : PLAIN_DIGITS)
}

function note(a: u32, kind: i32, b: u32, c: u32): void {
  noteDatagram()
  if (!hasLines) ticketOfLines = ticketOfSource
  else if (ticketOfLines != ticketOfSource) ticketOfLines = 0
  hasLines = true
  if (kind == LINE) {
    handed += b - a
    if (handed >= HANDED_MAX || isLarge(a, b)) itemsEnd = 0
  }
  if (kind == LINE && items > ITEMS_AT) {
    // lines in a row are one piece
    const last = items - 16
    if (load<i32>(last, 4) == LINE && load<u32>(last, 8) == a && load<u32>(last, 12) == c) {
      store<u32>(last, b, 8)
      return
    }
  }
  store<u32>(items, a)
  store<i32>(items, kind, 4)
  store<u32>(items, b, 8)
  store<u32>(items, c, 12)
  items += 16
}

/** NH of four words: each plus its secret, and the product of the two halves. */
function products(words: v128, secrets: usize): v128 {
  const hidden = i32x4.add(words, v128.load(secrets))
  return i32x4.mul(v128.and(hidden, i32x4.splat(0xffff)), i32x4.shr_u(hidden, 16))
}

/** Takes the lines of a group. @returns where it stopped: at `end`, or where a list is full */
function takeGroup(head: usize, groupEnd: usize, end: usize): usize {
  guess(head, groupEnd)
  for (let g: usize = GROUP_AT; g < groupEnd; g += GROUP_BYTES) {
    const p = <usize>load<u32>(g, G_AT)
    if (items >= itemsEnd || places >= PLACES_AT + PLACES_MAX * 4) return p
    // behind lines of others, which may add a key, entries hold only for their source
    const source = hasLines && ticketOfLines != ticketOfSource ? 0 : ticketOfSource
    const entry = entryOf(head, source, g)
    if (entry == 0) {
      const next = g + GROUP_BYTES
      const lineEnd = next < groupEnd ? load<u32>(next, G_AT) : <u32>end
      note(<u32>p, LINE, lineEnd, load<u32>(ORIGIN))
      continue
    }
    const lines = load<i32>(entry, 8)
    const value = load<u64>(g, G_VALUE)
    const type = load<u32>(g, G_HEAD) & 255
    if (type == METER && lines != NOT_GATHERED && value < 0x40000000) {
      if (lines == 0) {
        store<u32>(places, <u32>entry)
        places += 4
      }
      store<i32>(entry, lines + 1, 8)
      store<u64>(entry, load<u64>(entry, 16) + value, 16)
    } else {
      noteDatagram()
      store<i32>(items, load<i32>(entry))
      store<i32>(items, type, 4)
      store<f64>(items, <f64>value, 8)
      items += 16
    }
  }
  return end
}

/**
 * Takes lines from `p` to `end`, the byte behind an LF, for as long as the lists have room.
 * @returns where it stopped
 */
function take(p: usize, end: usize): usize {
  const head = <usize>load<u32>(HEAD_AT)
  const digitsMax = <usize>load<u32>(DIGITS_MAX)
  const colon = i8x16.splat(<i8>COLON)
  const bar = i8x16.splat(<i8>BAR)
  const lf = i8x16.splat(<i8>LF)
  let g: usize = GROUP_AT
  while (p < end) {
    // ---- the key, up to the first of : | LF
    let at = p
    let secrets = head + SECRETS
    let sums = i32x4.splat(0)
    let block = v128.load(at)
    let stops = i8x16.bitmask(
      v128.or(v128.or(i8x16.eq(block, colon), i8x16.eq(block, bar)), i8x16.eq(block, lf)),
    )
    while (stops == 0 && at < p + KEY_BYTES_MAX) {
      sums = i32x4.add(sums, products(block, secrets))
      at += 16
      secrets += 16
      block = v128.load(at)
      stops = i8x16.bitmask(
        v128.or(v128.or(i8x16.eq(block, colon), i8x16.eq(block, bar)), i8x16.eq(block, lf)),
      )
    }
    const rest = <usize>ctz<u32>(stops | 0x10000)
    const size = at - p + rest
    let q = at + rest
    while (true) {
      if (load<u8>(q) != COLON || size == 0 || size > KEY_BYTES_MAX) break
      // ---- the value and the type
      const digits = ++q
      let value: u64 = 0
      let c: u32 = 0
      while ((c = <u32>load<u8>(q) - ZERO) < 10) {
        value = value * 10 + c
        q++
      }
      if (c + ZERO != BAR || q == digits || q - digits > digitsMax) break
      const word = <u32>load<u16>(q, 1)
      let type: u32 = METER
      let next = q + 3
      if (word != M_LF) {
        if (word == G_LF) type = GAUGE
        else if (word == H_LF) type = HISTOGRAM
        else if (word == MR && load<u8>(q, 3) == LF) {
          type = METER_READER
          next = q + 4
        } else break
      }
      // ---- the hash
      const tail = v128.and(block, v128.load(BYTE_MASKS + 16 - rest))
      const lane = (rest >> 2) << 4
      const length = v128.and(i32x4.splat((<i32>size) << 24), v128.load(LANE + lane))
      const last = products(v128.or(tail, length), secrets)
      sums = i32x4.add(sums, v128.and(last, v128.load(LANES_TO + lane)))
      sums = i32x4.add(
        sums,
        i8x16.shuffle(sums, sums, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7),
      )
      let h = <u32>i32x4.extract_lane(sums, 0) + <u32>i32x4.extract_lane(sums, 1)
      h = (h ^ (h >> 16)) * FACTOR
      h ^= h >> 15
      h ^= (type + 1) * FACTOR
      // ---- one more of the group
      store<u32>(g, <u32>p, G_AT)
      store<u32>(g, h, G_HASH)
      store<u32>(g, ((<u32>size) << 8) | type, G_HEAD)
      store<u64>(g, value, G_VALUE)
      g += GROUP_BYTES
      p = next
      q = 0
      break
    }
    if (q == 0 && g < GROUP_END) continue
    // ---- the group, and any other line behind it
    if (g > GROUP_AT) {
      const stopped = takeGroup(head, g, p)
      g = GROUP_AT
      if (stopped < p) return stopped
    }
    if (q == 0) continue
    if (items >= itemsEnd || places >= PLACES_AT + PLACES_MAX * 4) break
    while (load<u8>(q) != LF) q++
    if (q > p) note(<u32>p, LINE, <u32>q + 1, load<u32>(ORIGIN))
    p = q + 1
  }
  return g > GROUP_AT ? takeGroup(head, g, p) : p
}

/** Goes on with the body at hand. @returns whether it is through */
function goOn(): bool {
  const at = take(load<u32>(AT), load<u32>(WHOLE_END))
  store<u32>(AT, <u32>at)
  const bodyEnd = load<u32>(BODY_END)
  const hasRest = bodyEnd > <u32>at
  if (at < load<u32>(WHOLE_END) || (hasRest && items >= itemsEnd)) {
    store<u32>(IS_INSIDE, 1)
    return false
  }
  if (hasRest) note(<u32>at, LINE, bodyEnd, load<u32>(ORIGIN))
  // the next frame begins there
  store<u32>(AT, bodyEnd)
  return true
}

/** Opens the body from `p` to `end`: its last line may lack the LF. */
function open(p: usize, end: usize, origin: usize): bool {
  let whole = end
  while (whole > p && load<u8>(whole - 1) != LF) whole--
  store<u32>(AT, <u32>p)
  store<u32>(WHOLE_END, <u32>whole)
  store<u32>(BODY_END, <u32>end)
  store<u32>(ORIGIN, <u32>origin)
  return goOn()
}

/** Length that the last header has announced, below 10^9. */
let announced: u32 = 0

/** Reads `1|length LF`. @returns where the body begins; 0 for any header that is not so plain */
function header(p: usize, end: usize): usize {
  if (end < p + 4 || load<u16>(p) != VERSION_1) return 0
  let q = p + 2
  let length: u32 = 0
  let c: u32 = 0
  while ((c = <u32>load<u8>(q) - ZERO) < 10 && q < p + 11) {
    length = length * 10 + c
    q++
  }
  if (q == p + 2 || c + ZERO != LF || ++q > end) return 0
  announced = length
  return q
}

/** Takes whole frames from the state's AT on, up to its END. */
function frames(): void {
  const end = <usize>load<u32>(END)
  const longest = load<u32>(MAX_FRAME)
  let p = <usize>load<u32>(AT)
  let count: u32 = 0
  while (p < end) {
    const q = header(p, end)
    const length = <usize>announced
    if (q == 0 || length < 2 || length > longest || length > end - q) break
    if (load<u16>(q) == GZIP) break
    count++
    if (!open(q, q + length, p)) break
    p = q + length
  }
  if (load<u32>(IS_INSIDE) == 0) store<u32>(AT, <u32>p)
  store<u32>(FRAMES, count)
}

/** Takes whole frames from `p` on; state: AT is where the first one begins that was not taken. */
export function stream(p: usize, end: usize): void {
  begin()
  store<u32>(AT, <u32>p)
  store<u32>(END, <u32>end)
  frames()
  finish()
}

/** Goes on with `stream` where a list was full. */
export function resumeStream(): void {
  begin()
  if (goOn()) frames()
  finish()
}

/** Takes a body. @param origin of offsets, may be negative */
export function body(p: usize, end: usize, origin: i32): void {
  begin()
  open(p, end, <usize>origin)
  finish()
}

/** Goes on with `body` where a list was full. */
export function resumeBody(): void {
  begin()
  goOn()
  finish()
}

/**
 * Takes datagrams from number `first` on, each at `at + number * stride` and of the size that is at
 * `sizesAt + number * sizesStride`.
 * @returns number of the one in which a list was full; `count` when all were taken
 */
export function datagrams(
  first: u32,
  count: u32,
  at: usize,
  stride: usize,
  sizesAt: usize,
  sizesStride: usize,
): u32 {
  begin()
  let i = first
  for (; i < count; i++) {
    const p = at + <usize>i * stride
    const end = p + <usize>load<u32>(sizesAt + <usize>i * sizesStride)
    const q = header(p, end)
    const isPlain = q != 0 && <usize>announced == end - q && announced >= 2
    datagram = <i32>i
    ticketOfSource = i < TICKETS_MAX ? load<u32>(TICKETS_AT + ((<usize>i) << 2)) : 0
    if (!isPlain || load<u16>(q) == GZIP) {
      noted = <i32>i
      note(i, OTHER, 0, 0)
      // a packed one may hold anything
      if (end >= p + 2 && load<u16>(p) == VERSION_1) itemsEnd = 0
      if (items >= itemsEnd) {
        i++
        break
      }
    } else if (!open(q, end, p)) break
  }
  datagram = noted = -1
  finish()
  return i
}
