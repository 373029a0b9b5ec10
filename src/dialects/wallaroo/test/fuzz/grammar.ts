/**
 * Streams of a worker from their grammar (§3), and what they mean by the rules of §4 and §6, worked
 * out here from the numbers that were drawn and not from the bytes.
 *
 *   stream  = Connect? (Connect | Join | Metrics | fault)*  [frame that is cut off]
 */
import { isUtf8 } from 'node:buffer'
import { ByteBuilder } from '../../../../../test/fuzz/engine/bytes.ts'
import type { Random } from '../../../../../test/fuzz/engine/random.ts'
import { latin1, Transcript } from '../../../../../test/fuzz/engine/transcript.ts'
import { lyingLength, nameBytes, unsigned } from '../../../../../test/fuzz/engine/values.ts'
import { type Note, noteBit } from '../../spec.ts'

const encoder = new TextEncoder()
const TOPIC = encoder.encode('metrics:')
const EVENT = encoder.encode('metrics')
const WORDS = ['metric', 'Metrics', 'metrics ', ''].map((text) => encoder.encode(text))
const TOPICS = ['metrics', 'metric:', 'Metrics:', 'x', ''].map((text) => encoder.encode(text))
const U32_MAX = 2 ** 32 - 1
/** Largest frame of the scanners that are fuzzed. */
export const LIMIT = 8192

const USUAL_NAMES = ['shop', 'checkout'].map((text) => encoder.encode(text))
/** Length and end of a usual window. */
const USUAL_NS = 2_000_000_000n
const END_NS = 1_700_000_002_000_000_000n

/** Whether an input is to be checked against its meaning, or may lie in ways that leave it open. */
type Mode = 'checked' | 'open'

/** Fills one buffer with a stream, and one transcript with what it means. */
export class WorkerStream {
  readonly out = new ByteBuilder()
  readonly meaning = new Transcript()
  #random!: Random
  #mode: Mode = 'checked'
  #isInclusive = false
  #isOver = false
  #hasConnected = false
  readonly #joined = new Set<string>()
  /** Names that come again: an application's and a series' frames are rarely its only ones. */
  #names: Uint8Array[] = []
  readonly #isUsual: boolean

  /** @param isUsual true for streams of which most frames are as those of a real worker */
  constructor(isUsual = false) {
    this.#isUsual = isUsual
  }

  /** @returns whether the meaning holds */
  make(random: Random): boolean {
    this.#random = random
    this.out.reset(random.below(5))
    this.meaning.reset()
    this.#mode = random.isOnceIn(4) ? 'open' : 'checked'
    this.#isOver = false
    this.#hasConnected = false
    this.#joined.clear()
    const names = 1 + random.below(this.#isUsual ? 2 : 6)
    this.#names = Array.from({ length: names }, (_, i) =>
      this.#isOdd() ? nameBytes(random) : USUAL_NAMES[i]!,
    )
    const count = 1 + random.below(this.#isUsual ? 16 : 5)
    this.#isInclusive = count > 1 && random.isOnceIn(8)
    if (this.#isInclusive) this.meaning.add('note').add('length_includes_header')
    if (this.#isInclusive || !random.isOnceIn(4)) this.#connect()
    else this.#metrics()
    if (this.#isUsual && !this.#isInclusive) this.#join()
    for (let i = 1; i < count && !this.#isOver; i++) this.#message(i)
    return this.#mode === 'checked'
  }

  /** Tells whether the next thing may be any: always but in usual streams. */
  #isOdd(): boolean {
    return !this.#isUsual || this.#random.isOnceIn(6)
  }

  #message(index: number): void {
    const { out } = this
    const random = this.#random
    const start = out.size
    const way = random.below(12)
    // the second frame shows whether lengths count themselves
    const isFaulty = index > 1 || !this.#isInclusive
    if (way < 5) this.#metrics()
    else if (way < 7) this.#join()
    else if (way === 7) this.#connect()
    else if (isFaulty && way < 11) this.#fault()
    else if (isFaulty && index > 1) this.#last()
    else this.#metrics()
    if (this.#mode === 'open' && random.isOnceIn(3)) {
      out.setU32(start, lyingLength(random, out.size - start - 4))
    }
  }

  /** A frame that is cut off, or of which too much is announced: nothing can follow. */
  #last(): void {
    const { out, meaning } = this
    const random = this.#random
    if (random.isOnceIn(2)) {
      out.u32(random.pick([LIMIT + 1, LIMIT + 2, 2 ** 31 - 1, 2 ** 31, U32_MAX])).u8(3)
      meaning.add('reject').add('frame_too_large')
    } else {
      const scratch = out.size
      out.u32(700).u8(3).zeros(random.below(600))
      out.truncate(scratch + 1 + random.below(out.size - scratch))
      meaning.add('note').add('truncated_at_close')
    }
    this.#isOver = true
  }

  #begin(type: number): number {
    const start = this.out.size
    this.out.u32(0).u8(type)
    return start
  }

  #end(start: number): void {
    const { out } = this
    out.setU32(start, out.size - start - (this.#isInclusive ? 0 : 4))
  }

  #connect(): void {
    this.#end(this.#begin(1))
    this.#say('connect', this.#hasConnected ? ['repeated_connect'] : [])
    this.#hasConnected = true
  }

  #join(): void {
    const random = this.#random
    const application = this.#isOdd() ? this.#name() : this.#names[0]!
    const worker = random.isOnceIn(4) ? undefined : this.#name()
    const start = this.#begin(2)
    this.#str(TOPIC, application)
    if (worker !== undefined) this.#str(worker)
    this.#end(start)
    const notes: Note[] = this.#hasConnected ? [] : ['before_connect']
    const key = latin1(application)
    if (this.#joined.has(key)) notes.push('repeated_join')
    this.#joined.add(key)
    if (worker === undefined) notes.push('join_without_worker')
    if (!isUtf8(application) || !isUtf8(worker ?? new Uint8Array(0))) notes.push('invalid_utf8')
    this.meaning
      .add('join')
      .add(key)
      .add(worker === undefined ? null : latin1(worker))
    this.meaning.add(maskOf(notes))
  }

  #say(what: string, notes: readonly Note[]): void {
    this.meaning.add(what).add(maskOf(notes))
  }

  #name(): Uint8Array {
    const isNew = this.#isOdd() && this.#random.isOnceIn(3)
    return isNew ? nameBytes(this.#random) : this.#random.pick(this.#names)
  }

  /** `[size:u32][bytes]`, of one or two parts. */
  #str(part: Uint8Array, rest?: Uint8Array): void {
    this.out.u32(part.length + (rest?.length ?? 0)).raw(part)
    if (rest !== undefined) this.out.raw(rest)
  }

  #metrics(): void {
    const { out, meaning } = this
    const random = this.#random
    const notes: Note[] = this.#hasConnected ? [] : ['before_connect']
    const isOdd = this.#isOdd()
    const name = random.pick(this.#names)
    const [application, ...names] = isOdd
      ? [this.#name(), this.#name(), this.#name(), this.#name(), this.#name()]
      : [this.#names[0]!, name, name, name, name]
    if (!this.#joined.has(latin1(application))) notes.push('topic_not_joined')
    const start = this.#begin(3)
    this.#str(EVENT)
    this.#str(TOPIC, application)
    const sizeAt = out.size
    const header = isOdd && random.isOnceIn(5) ? random.next() : 741
    out.u32(0).u32(header)
    for (const name of names) this.#str(name)
    const id = isOdd ? random.below(0x10000) : 1
    out.u16(id)
    if (isOdd && random.isOnceIn(8)) {
      out.u32(random.pick([65, 520]))
      notes.push('array_count_prefix')
    }
    let payloadSize = out.size - sizeAt - 4 + 65 * 8 + 32
    if (isOdd && random.isOnceIn(8)) {
      payloadSize = lyingLength(random, payloadSize)
      notes.push('payload_size_mismatch')
    }
    out.setU32(sizeAt, payloadSize)
    if (![application, ...names].every((name) => isUtf8(name))) notes.push('invalid_utf8')
    meaning.add('metrics').add(latin1(application))
    for (const name of names) meaning.add(latin1(name))
    meaning.add(id).add(payloadSize).add(header)
    this.#window(notes)
    meaning.add(maskOf(notes))
    this.#end(start)
  }

  /** Bins, extremes and times. */
  #window(notes: Note[]): void {
    const { out, meaning } = this
    const random = this.#random
    const binsAt = out.size
    out.zeros(65 * 8)
    const filled = this.#bins()
    for (const [bin, high, low] of filled) {
      out.setU32(binsAt + 8 * bin, high)
      out.setU32(binsAt + 8 * bin + 4, low)
      meaning.add(bin).add(high).add(low)
    }
    this.#extremes(
      filled.map(([bin]) => bin),
      notes,
    )
    const isOdd = this.#isOdd()
    const period = isOdd ? random.pick([USUAL_NS, 0n, unsigned(random, 64)]) : USUAL_NS
    const end = isOdd ? random.pick([END_NS, END_NS - USUAL_NS, unsigned(random, 64)]) : END_NS
    out.u64(period).u64(end)
    meaning.add(period).add(end)
    if (period === 0n) notes.push('zero_period')
  }

  /** Counts that are not 0, by bin in ascending order. */
  #bins(): [bin: number, high: number, low: number][] {
    const random = this.#random
    const bins = new Map<number, [number, number, number]>()
    const count = random.isOnceIn(16) ? 65 : random.below(5)
    for (let i = 0; i < count; i++) {
      const bin = count === 65 ? i : random.below(65)
      const high =
        this.#isOdd() && random.isOnceIn(4) ? random.pick([1, random.next(), U32_MAX]) : 0
      const low = random.pick([1, random.below(1000), U32_MAX])
      if (high !== 0 || low !== 0) bins.set(bin, [bin, high, low])
    }
    return [...bins.values()].sort(([a], [b]) => a - b)
  }

  /** Both values that may be minimum and maximum, in either order, believable or not (§4.4). */
  #extremes(filled: readonly number[], notes: Note[]): void {
    const { out, meaning } = this
    const random = this.#random
    const [lowest, highest] = [filled[0], filled.at(-1)]
    let a = unsigned(random, 64)
    let b = unsigned(random, 64)
    if (lowest !== undefined && !(this.#isOdd() && random.isOnceIn(5))) {
      a = this.#within(lowest)
      b = this.#within(highest!)
      if (random.isOnceIn(3)) [a, b] = [b, a]
    }
    out.u64(a).u64(b)
    if (lowest === undefined) {
      notes.push('empty_window')
      meaning.add('empty').add(null).add(null)
      return
    }
    const [min, max] = a < b ? [a, b] : [b, a]
    if (!isWithin(min, lowest) || !isWithin(max, highest!)) {
      notes.push('minmax_inconsistent')
      meaning.add('unknown').add(null).add(null)
      return
    }
    meaning.add(a === b ? 'same' : a < b ? 'peer' : 'document')
    if (a > b) notes.push('document_order')
    const isSkewed = max >= 2n ** 63n
    if (isSkewed) notes.push('clock_skew')
    meaning.add(min >= 2n ** 63n ? null : min).add(isSkewed ? null : max)
  }

  #within(bin: number): bigint {
    const low = lowEnd(bin)
    const size = highEnd(bin) - low
    return low + this.#random.pick([0n, size, size / 2n, unsigned(this.#random, 64) % (size + 1n)])
  }

  /** A frame that is lost alone: the next one is read. */
  #fault(): void {
    const { out } = this
    const random = this.#random
    let code: string
    const way = random.below(7)
    if (way === 0) {
      out.u32(this.#isInclusive ? random.below(5) : 0)
      code = 'empty_frame'
    } else {
      const start = this.#begin(
        way === 1 ? 1 : way === 2 ? random.pick([0, 4, 255]) : way < 5 ? 2 : 3,
      )
      if (way === 1) out.zeros(1 + random.below(9))
      if (way === 2) out.raw(this.#name())
      code = way === 1 ? 'malformed_connect' : 'unknown_type'
      if (way === 3) code = this.#badTopic(2)
      if (way === 4) code = this.#beyond(2)
      if (way === 5) code = random.isOnceIn(2) ? this.#badTopic(3) : this.#badEvent()
      if (way === 6) code = this.#beyond(3)
      this.#end(start)
    }
    this.meaning.add('reject').add(code)
  }

  #badTopic(type: 2 | 3): string {
    if (type === 3) this.#str(EVENT)
    this.#str(this.#random.pick(TOPICS))
    if (type === 3) this.out.u32(0).zeros(4 + 16 + 2 + 65 * 8 + 32)
    else this.#str(this.#name())
    return 'bad_topic'
  }

  #badEvent(): string {
    this.#str(this.#random.pick(WORDS))
    this.#str(TOPIC, this.#name())
    this.out.zeros(4 + 4 + 16 + 2 + 65 * 8 + 32)
    return 'unknown_event'
  }

  /** A length within the frame that reaches beyond its end. */
  #beyond(type: 2 | 3): string {
    const { out } = this
    const random = this.#random
    const size = random.pick([601, 2 ** 31 - 1, 2 ** 31, U32_MAX, U32_MAX - 3])
    if (type === 3 && random.isOnceIn(2)) this.#str(EVENT)
    out.u32(size).zeros(random.below(600))
    return type === 2 ? 'malformed_join' : 'malformed_metrics'
  }
}

function maskOf(notes: readonly Note[]): number {
  return notes.reduce((mask, note) => mask | noteBit(note), 0)
}

function lowEnd(bin: number): bigint {
  return bin === 0 ? 0n : 2n ** BigInt(bin - 1)
}

function highEnd(bin: number): bigint {
  return bin === 64 ? 2n ** 64n - 1n : 2n ** BigInt(bin)
}

/** 2^i belongs to bin i under the document's rule and to the next under the peer's (§4.3). */
function isWithin(value: bigint, bin: number): boolean {
  return value >= lowEnd(bin) && value <= highEnd(bin)
}
