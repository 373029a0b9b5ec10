/**
 * Finds what is kept for a frame's series by the bytes of its names (§4.2), without making a
 * string. A table with open addressing; identity is the whole tuple, never a joined text: the key
 * is the application's bytes followed by the four names, each with its size in front.
 */

import { KnownHead } from '../codec/frame-head.ts'
import type { MetricsFrame } from '../codec/metrics-frame.ts'

/** One series; it keeps the head of its last frame, names included. */
class Entry<T> extends KnownHead {
  readonly value: T
  /** Index it is in; undefined once it has been forgotten. */
  index: SeriesIndex<T> | undefined

  constructor(value: T, index: SeriesIndex<T>) {
    super()
    this.value = value
    this.index = index
  }
}

const SLOTS_FIRST = 64

export class SeriesIndex<T> {
  #entries: Entry<T>[] = []
  /** Place of an entry + 1; 0 where a slot is free. At most half of the slots are taken. */
  #slots = new Int32Array(SLOTS_FIRST)

  get size(): number {
    return this.#entries.length
  }

  values(): T[] {
    return this.#entries.map(({ value }) => value)
  }

  find(frame: MetricsFrame): T | undefined {
    const { known } = frame
    if (known instanceof Entry && known.index === this) return known.value
    const entry = this.#find(frame)
    if (entry !== undefined) recognise(entry, frame)
    return entry?.value
  }

  #find(frame: MetricsFrame): Entry<T> | undefined {
    const { hash } = frame
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]!
      if (place === 0) return undefined
      const entry = this.#entries[place - 1]!
      if (entry.hash === hash && isSame(entry, frame)) return entry
    }
  }

  /** Adds a series; only one that `find` does not find. */
  add(frame: MetricsFrame, value: T): void {
    const entry = new Entry(value, this)
    recognise(entry, frame)
    this.#entries.push(entry)
    if (2 * this.#entries.length > this.#slots.length) this.#index(2 * this.#slots.length)
    else this.#place(this.#entries.length)
  }

  /** Forgets every series whose value is not kept. */
  retain(isKept: (value: T) => boolean): void {
    const kept = this.#entries.filter((entry) => {
      if (isKept(entry.value)) return true
      // one that is still expected somewhere must not be found, nor keep others alive
      entry.index = undefined
      entry.next = undefined
      return false
    })
    if (kept.length === this.#entries.length) return
    this.#entries = kept
    let slots = SLOTS_FIRST
    while (slots < 2 * kept.length) slots *= 2
    this.#index(slots)
  }

  #index(slots: number): void {
    this.#slots = new Int32Array(slots)
    for (let place = 1; place <= this.#entries.length; place++) this.#place(place)
  }

  #place(place: number): void {
    const mask = this.#slots.length - 1
    let slot = this.#entries[place - 1]!.hash & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = place
  }
}

function recognise<T>(entry: Entry<T>, frame: MetricsFrame): void {
  entry.learn(frame.head, frame.bytes, frame.start)
  frame.known = entry
}

/**
 * Compares the four names, which stand in one run from the size of the first to the end of the
 * last.
 */
function isSame(head: KnownHead, frame: MetricsFrame): boolean {
  const { bytes, applicationStart, applicationEnd, nameStart, pipelineEnd } = frame
  const own = head.bytes
  const size = applicationEnd - applicationStart
  if (head.applicationEnd - head.applicationStart !== size) return false
  const namesSize = pipelineEnd - nameStart
  if (head.pipelineEnd - head.nameStart !== namesSize) return false
  return (
    areEqual(own, head.applicationStart, bytes, applicationStart, size) &&
    areEqual(own, head.nameStart - 4, bytes, nameStart - 4, namesSize + 4)
  )
}

function areEqual(a: Uint8Array, aStart: number, b: Uint8Array, bStart: number, size: number) {
  for (let i = 0; i < size; i++) if (a[aStart + i] !== b[bStart + i]) return false
  return true
}
