/**
 * Memory of everything that windows bring: series with their totals since the last tick, and the
 * windows themselves, in blocks of one pool (layout.ts). It grows by what is used. What is made of
 * it are addresses; 0 stands for none.
 *
 * Bounded: all blocks together take `bytesLimit`, but for one that every series may have however
 * many there are. A series that has its share, or finds nothing free, takes its own oldest block
 * anew, so that none pushes out another one's windows.
 */
import {
  AGE_LIMIT,
  BLOCK_BYTES,
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
  DROPPED,
  DROPPED_END,
  FIRST_AT,
  FIRST_BLOCK,
  FREE_BLOCK,
  IS_OPEN,
  LAST_BLOCK,
  LAST_END,
  LEAST,
  LENGTH,
  PERIOD_LIMIT,
  POSITION,
  READ_AT,
  SERIES_BYTES,
  SERIES_ID,
  SMALL_BYTES,
  TOUCHED_FIRST,
  TOUCHED_LAST,
  TOUCHED_NEXT,
} from './layout.ts'

/** Bytes that the memory stands in; they grow in place or somewhere else. */
export interface Backing {
  readonly buffer: ArrayBuffer
  /** Bytes at the beginning that are given out by the backing's owner. */
  readonly reserved: number
  /** @returns false where so much is not to be had */
  growTo(size: number): boolean
}

/** Records and blocks are made by so many at once; blocks by an eighth of those there are. */
const SERIES_PER_PIECE = 16
const SMALL_PER_PIECE = 8
const BLOCKS_PER_PIECE_MIN = 64
const BLOCKS_PER_PIECE_MAX = 4096
const WORD = 4
const WHOLE = 2 ** 32

export class WindowMemory {
  readonly bytesLimit: number
  words = new Uint32Array(0)
  doubles = new Float64Array(0)
  longs = new BigUint64Array(0)
  raw = new Uint8Array(0)
  readonly #createBacking: () => Backing
  #backing: Backing | undefined
  #end = 0
  #blocks = 0
  readonly #freeSeries: number[] = []
  readonly #freeSmall: number[] = []
  #seriesBytesLimit: number

  /**
   * @param bytesLimit of all windows
   * @param createBacking called when the first bytes are needed
   */
  constructor(bytesLimit: number, createBacking: () => Backing = () => new PlainBacking()) {
    this.bytesLimit = bytesLimit
    this.#seriesBytesLimit = bytesLimit
    this.#createBacking = createBacking
  }

  /** Makes the memory, where nothing has been asked of it so far. */
  start(): void {
    if (this.#backing !== undefined) return
    this.#backing = this.#createBacking()
    this.#end = this.#backing.reserved
    this.#renewViews()
    this.words[BLOCKS_LIMIT / WORD] = Math.floor(this.bytesLimit / BLOCK_BYTES)
    this.seriesBytesLimit = this.#seriesBytesLimit
  }

  /** Bytes that windows take. */
  get bytes(): number {
    return BLOCK_BYTES * (this.words[BLOCKS_USED / WORD] ?? 0)
  }

  /** Windows that left for want of memory, not of age. */
  get dropped(): number {
    return this.doubles[DROPPED / 8] ?? 0
  }

  /** Bytes of windows that one series may keep; one block at least. */
  get seriesBytesLimit(): number {
    return this.#seriesBytesLimit
  }

  set seriesBytesLimit(bytes: number) {
    this.#seriesBytesLimit = bytes
    if (this.#backing === undefined) return
    this.words[BLOCKS_SHARE / WORD] = Math.max(1, Math.floor(bytes / BLOCK_BYTES))
  }

  /** Sets when nothing is odd about a window's times. */
  set usualMs(limitMs: number) {
    this.start()
    this.doubles[AGE_LIMIT / 8] = limitMs
    const ns = limitMs * 1e6
    this.words[PERIOD_LIMIT / WORD] = ns % WHOLE
    this.words[PERIOD_LIMIT / WORD + 1] = Math.floor(ns / WHOLE)
  }

  #renewViews(): void {
    const { buffer } = this.#backing!
    const size = buffer.byteLength & ~7
    this.words = new Uint32Array(buffer, 0, size / WORD)
    this.doubles = new Float64Array(buffer, 0, size / 8)
    this.longs = new BigUint64Array(buffer, 0, size / 8)
    this.raw = new Uint8Array(buffer)
  }

  /** Gives out bytes that are 0; @returns 0 where there are no more */
  allocate(size: number): number {
    this.start()
    const at = this.#end
    if (at + size > this.raw.length) {
      if (!this.#backing!.growTo(at + size)) return 0
      this.#renewViews()
    }
    this.#end = at + size
    return at
  }

  #take(free: number[], size: number, count: number): number {
    const known = free.pop()
    if (known !== undefined) {
      this.raw.fill(0, known, known + size)
      return known
    }
    const piece = this.allocate(count * size)
    if (piece === 0) return 0
    for (let i = count - 1; i > 0; i--) free.push(piece + i * size)
    return piece
  }

  /**
   * Makes room for a series.
   * @param id number to be told by when it is touched
   * @returns 0 where the machine gives no more memory
   */
  addSeries(id: number): number {
    const series = this.#take(this.#freeSeries, SERIES_BYTES, SERIES_PER_PIECE)
    if (series === 0) return 0
    this.words[(series + SERIES_ID) >>> 2] = id
    this.doubles[(series + LAST_END) >>> 3] = Number.NEGATIVE_INFINITY
    this.doubles[(series + DROPPED_END) >>> 3] = Number.NEGATIVE_INFINITY
    this.words.fill(0xffff_ffff, (series + LEAST) >>> 2, (series + LEAST + 8) >>> 2)
    return series
  }

  /** Gives the number that a series is told by. */
  idOf(series: number): number {
    return this.words[(series + SERIES_ID) >>> 2]!
  }

  /** Takes the room of a series back, which must not be touched, and its windows. */
  removeSeries(series: number): void {
    while (this.words[(series + BLOCKS) >>> 2]! > 0) this.#freeBlock(this.#unlinkFirst(series))
    this.raw.fill(0, series, series + SERIES_BYTES)
    this.#freeSeries.push(series)
  }

  /** Makes room for a worker or a connection; @returns 0 where there is none */
  addSmall(): number {
    return this.#take(this.#freeSmall, SMALL_BYTES, SMALL_PER_PIECE)
  }

  removeSmall(small: number): void {
    this.raw.fill(0, small, small + SMALL_BYTES)
    this.#freeSmall.push(small)
  }

  /** Notes that a series has something for the next tick. */
  touch(series: number): void {
    const { words } = this
    if (words[(series + IS_OPEN) >>> 2] !== 0) return
    words[(series + IS_OPEN) >>> 2] = 1
    const last = words[TOUCHED_LAST / WORD]!
    words[last === 0 ? TOUCHED_FIRST / WORD : (last + TOUCHED_NEXT) >>> 2] = series
    words[TOUCHED_LAST / WORD] = series
    words[(series + TOUCHED_NEXT) >>> 2] = 0
  }

  /** Lists ids of the series that were touched since the last call, in the order of that. */
  takeTouched(): number[] {
    const { words } = this
    const ids: number[] = []
    let series = words[TOUCHED_FIRST / WORD] ?? 0
    for (; series !== 0; series = words[(series + TOUCHED_NEXT) >>> 2]!) {
      ids.push(words[(series + SERIES_ID) >>> 2]!)
    }
    if (ids.length > 0) words.fill(0, TOUCHED_FIRST / WORD, TOUCHED_LAST / WORD + 1)
    return ids
  }

  /**
   * Finds where the next window of a series goes.
   * @param size of it in bytes
   * @returns 0 where the machine gives no more memory, and the series has none to take anew
   */
  roomFor(series: number, size: number): number {
    const last = this.words[(series + LAST_BLOCK) >>> 2]!
    const used = last === 0 ? 0 : this.words[(last + BLOCK_USED) >>> 2]!
    if (last !== 0 && used + size <= BLOCK_CAPACITY) return last + used
    const block = this.#addBlock(series)
    return block === 0 ? 0 : block + BLOCK_HEAD
  }

  #addBlock(series: number): number {
    this.trim(series)
    const own = this.words[(series + BLOCKS) >>> 2]!
    const isAtShare = own >= this.words[BLOCKS_SHARE / WORD]!
    const isPoolFull = this.words[BLOCKS_USED / WORD]! >= this.words[BLOCKS_LIMIT / WORD]!
    let block = own > 0 && (isAtShare || isPoolFull) ? 0 : this.#takeFree()
    if (block === 0) {
      if (own === 0) return 0
      block = this.#forgetOldest(series)
    }
    const { words } = this
    words[(block + BLOCK_NEXT) >>> 2] = 0
    words[(block + BLOCK_USED) >>> 2] = BLOCK_HEAD
    words[(block + BLOCK_LENGTH) >>> 2] = 0
    this.doubles[(block + BLOCK_LATEST) >>> 3] = Number.NEGATIVE_INFINITY
    words[(block + BLOCK_OWNER) >>> 2] = series
    this.doubles[(block + BLOCK_POSITION) >>> 3] = this.doubles[(series + POSITION) >>> 3]!
    words[(series + BLOCKS) >>> 2]!++
    if (words[(series + FIRST_BLOCK) >>> 2] !== 0) {
      words[(words[(series + LAST_BLOCK) >>> 2]! + BLOCK_NEXT) >>> 2] = block
    } else {
      words[(series + FIRST_BLOCK) >>> 2] = block
      words[(series + FIRST_AT) >>> 2] = BLOCK_HEAD
    }
    words[(series + LAST_BLOCK) >>> 2] = block
    return block
  }

  #takeFree(): number {
    if (this.words[FREE_BLOCK / WORD] === 0) this.#makeBlocks()
    const block = this.words[FREE_BLOCK / WORD]!
    if (block === 0) return 0
    this.words[FREE_BLOCK / WORD] = this.words[(block + BLOCK_NEXT) >>> 2]!
    this.words[BLOCKS_USED / WORD]!++
    return block
  }

  /** Has free blocks at hand, where more windows may be kept. */
  makeReady(): void {
    const { words } = this
    if (words[FREE_BLOCK / WORD] !== 0) return
    if (words[BLOCKS_USED / WORD]! < words[BLOCKS_LIMIT / WORD]!) this.#makeBlocks()
  }

  #makeBlocks(): void {
    const left = Math.max(this.words[BLOCKS_LIMIT / WORD]! - this.#blocks, 1)
    const wanted = Math.max(this.#blocks >>> 3, BLOCKS_PER_PIECE_MIN)
    const count = Math.min(wanted, BLOCKS_PER_PIECE_MAX, left)
    const piece = this.allocate(count * BLOCK_BYTES)
    if (piece === 0) return
    this.#blocks += count
    for (let i = count - 1; i >= 0; i--) this.#link(piece + i * BLOCK_BYTES)
  }

  #link(block: number): void {
    this.words[(block + BLOCK_NEXT) >>> 2] = this.words[FREE_BLOCK / WORD]!
    this.words[FREE_BLOCK / WORD] = block
  }

  #freeBlock(block: number): void {
    this.words[(block + BLOCK_OWNER) >>> 2] = 0
    this.words[BLOCKS_USED / WORD]!--
    this.#link(block)
  }

  /** Takes the oldest block of a series from it. */
  #unlinkFirst(series: number): number {
    const { words } = this
    const block = words[(series + FIRST_BLOCK) >>> 2]!
    words[(series + FIRST_BLOCK) >>> 2] = words[(block + BLOCK_NEXT) >>> 2]!
    words[(series + FIRST_AT) >>> 2] = BLOCK_HEAD
    if (words[(series + FIRST_BLOCK) >>> 2] === 0) words[(series + LAST_BLOCK) >>> 2] = 0
    words[(series + BLOCKS) >>> 2]!--
    return block
  }

  /** Lets the windows of the oldest block go for want of memory. */
  #forgetOldest(series: number): number {
    const { words, doubles } = this
    const block = words[(series + FIRST_BLOCK) >>> 2]!
    const used = words[(block + BLOCK_USED) >>> 2]!
    let at = words[(series + FIRST_AT) >>> 2]!
    const isWhole = at === BLOCK_HEAD
    let count = isWhole ? words[(block + BLOCK_LENGTH) >>> 2]! : 0
    let latestMs = isWhole ? doubles[(block + BLOCK_LATEST) >>> 3]! : Number.NEGATIVE_INFINITY
    for (; !isWhole && at < used; at += bytesOfWindow(words, block + at)) {
      latestMs = Math.max(latestMs, endMsOfWindow(words, block + at))
      count++
    }
    words[(series + LENGTH) >>> 2]! -= count
    doubles[DROPPED / 8]! += count
    const dropped = (series + DROPPED_END) >>> 3
    doubles[dropped] = Math.max(doubles[dropped]!, latestMs)
    return this.#unlinkFirst(series)
  }

  /** Gives up the blocks of a series above its share. */
  trim(series: number): void {
    const share = this.words[BLOCKS_SHARE / WORD]!
    while (this.words[(series + BLOCKS) >>> 2]! > share) {
      this.#freeBlock(this.#forgetOldest(series))
    }
  }

  /** Drops the oldest windows of a series as long as they end before an instant. */
  dropBefore(series: number, endMs: number): void {
    const { words } = this
    for (;;) {
      const block = words[(series + FIRST_BLOCK) >>> 2]!
      if (block === 0) return
      const used = words[(block + BLOCK_USED) >>> 2]!
      let at = words[(series + FIRST_AT) >>> 2]!
      while (at < used && endMsOfWindow(words, block + at) < endMs) {
        at += bytesOfWindow(words, block + at)
        words[(series + LENGTH) >>> 2]!--
      }
      words[(series + FIRST_AT) >>> 2] = at
      if (at < used) return
      this.#freeBlock(this.#unlinkFirst(series))
    }
  }
}

/** Ends stand in the same place in every packed window, its number of words in its head. */
const END_WORD = 3
const SIZE_SHIFT = 8

function bytesOfWindow(words: Uint32Array, at: number): number {
  return (words[at >>> 2]! >>> SIZE_SHIFT) * WORD
}

function endMsOfWindow(words: Uint32Array, at: number): number {
  const place = (at >>> 2) + END_WORD
  return (words[place]! * WHOLE + words[place + 1]!) / 1e6
}

/** Memory of JavaScript alone. */
export class PlainBacking implements Backing {
  readonly reserved = READ_AT
  buffer = new ArrayBuffer(2 * READ_AT)

  growTo(size: number): boolean {
    try {
      const grown = new ArrayBuffer(Math.max(Math.ceil((size * 9) / 8 / READ_AT) * READ_AT, size))
      new Uint8Array(grown).set(new Uint8Array(this.buffer))
      this.buffer = grown
      return true
    } catch (error) {
      if (error instanceof RangeError) return false
      throw error
    }
  }
}
