/**
 * Heads of the frames that series had last, for the module that takes usual frames: chains of
 * series by the hash of the head's bytes, under secrets of its own. The module looks up; what is
 * looked up is entered here.
 */
import { createWordSecrets } from '../../../../model/hash/word-hash.ts'
import type { MetricsFrame } from '../../codec/metrics-frame.ts'
import {
  BUCKET_MASK,
  BUCKETS,
  CHAIN,
  FRAME_SIZE,
  HASH,
  HEAD,
  HEAD_MAX,
  HEAD_SIZE,
  SECRETS,
  TAIL_SIZE,
} from './layout.ts'
import type { WindowMemory } from './window-memory.ts'

const BUCKETS_FIRST = 64

export class HeadIndex {
  readonly #memory: WindowMemory
  readonly #hash: (at: number, size: number) => number
  #count = 0
  #buckets = 0

  /** @param hash of bytes in the memory */
  constructor(memory: WindowMemory, hash: (at: number, size: number) => number) {
    this.#memory = memory
    this.#hash = hash
    memory.words.set(createWordSecrets().subarray(0, (HEAD_MAX + 16) / 4), SECRETS / 4)
  }

  /**
   * Enters the head of a frame as that of its series; one that no usual frame has is forgotten.
   * @param series in the memory
   */
  learn(series: number, { head, bytes, start }: MetricsFrame): void {
    this.forget(series)
    const size = head.binsStart
    if (head.notes !== 0 || size > HEAD_MAX || head.size !== size + TAIL_SIZE) return
    if (++this.#count > this.#buckets && !this.#addBuckets()) return
    const { raw, words } = this.#memory
    raw.set(bytes.subarray(start, start + size), series + HEAD)
    words[(series + FRAME_SIZE) >>> 2] = head.size
    words[(series + HEAD_SIZE) >>> 2] = size
    words[(series + HASH) >>> 2] = this.#hash(series + HEAD, size)
    this.#enter(series)
  }

  /** Tells whether a series has no head, or another one than a frame that is of it. */
  isNew(series: number, { head, bytes, start }: MetricsFrame): boolean {
    const { raw, words } = this.#memory
    if (words[(series + FRAME_SIZE) >>> 2] !== head.size) return true
    for (let i = 0; i < head.binsStart; i++) {
      if (raw[series + HEAD + i] !== bytes[start + i]) return true
    }
    return false
  }

  /** Removes the head of a series. */
  forget(series: number): void {
    const { words } = this.#memory
    if (words[(series + FRAME_SIZE) >>> 2] === 0) return
    let at = this.#bucketOf(series)
    while (words[at] !== series) at = (words[at]! + CHAIN) >>> 2
    words[at] = words[(series + CHAIN) >>> 2]!
    words[(series + CHAIN) >>> 2] = 0
    words[(series + FRAME_SIZE) >>> 2] = 0
    this.#count--
  }

  /** Word of the bucket that a series belongs in. */
  #bucketOf(series: number): number {
    const { words } = this.#memory
    const bucket = words[(series + HASH) >>> 2]! & words[BUCKET_MASK / 4]!
    return (words[BUCKETS / 4]! >>> 2) + bucket
  }

  #enter(series: number): void {
    const { words } = this.#memory
    const bucket = this.#bucketOf(series)
    words[(series + CHAIN) >>> 2] = words[bucket]!
    words[bucket] = series
  }

  /** Makes buckets for twice as many; @returns false where there is no memory for any */
  #addBuckets(): boolean {
    const memory = this.#memory
    const count = Math.max(2 * this.#buckets, BUCKETS_FIRST)
    const place = memory.allocate(4 * count)
    if (place === 0) {
      this.#count--
      return false
    }
    const { words } = memory
    const old = words.slice(words[BUCKETS / 4]! >>> 2, (words[BUCKETS / 4]! >>> 2) + this.#buckets)
    words[BUCKETS / 4] = place
    words[BUCKET_MASK / 4] = count - 1
    this.#buckets = count
    for (const first of old) {
      for (let series = first; series !== 0; ) {
        const next = words[(series + CHAIN) >>> 2]!
        this.#enter(series)
        series = next
      }
    }
    return true
  }
}
