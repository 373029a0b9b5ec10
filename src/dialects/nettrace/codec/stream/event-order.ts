/**
 * Order of events in time (nettrace.md §4): a thread's events lie together in a block, and those of
 * the next thread may be older. A sorted event is a promise that no later one is older; what waits
 * is then given out up to it. Equal times keep the order of the stream.
 */
import type { NetTraceEvent } from '../event.ts'

interface OrderLimits {
  /** Events, and bytes of their payloads, that wait. */
  readonly waitingEvents: number
  readonly waitingBytes: number
}

interface Waiting {
  readonly event: NetTraceEvent
  /** Number in the order of the stream. */
  readonly arrival: number
}

export class EventOrder {
  /** Events that went out as they came, because too many waited. */
  unordered = 0
  readonly #take: (event: NetTraceEvent) => void
  readonly #limits: OrderLimits
  /** Heap: the one at i is not later than those at 2i + 1 and 2i + 2. */
  readonly #heap: Waiting[] = []
  #bytes = 0
  #arrivals = 0
  /** Whether events go out as they come, until the next sorted one. */
  #isOverrun = false

  constructor(limits: OrderLimits, take: (event: NetTraceEvent) => void) {
    this.#limits = limits
    this.#take = take
  }

  add(event: NetTraceEvent): void {
    if (event.isSorted) {
      this.#isOverrun = false
      this.#giveUpTo(event.ticks)
      this.#take(event)
    } else if (this.#isOverrun) {
      this.unordered++
      this.#take(event)
    } else {
      this.#push({ event, arrival: this.#arrivals++ })
      this.#bytes += event.payloadSize
      const { waitingEvents, waitingBytes } = this.#limits
      if (this.#heap.length > waitingEvents || this.#bytes > waitingBytes) this.#overrun()
    }
  }

  /** Gives out all that waits: at a sequence point, and at the end. */
  flush(): void {
    this.#giveUpTo(Number.POSITIVE_INFINITY)
  }

  #giveUpTo(ticks: number): void {
    const heap = this.#heap
    while (heap.length > 0 && heap[0]!.event.ticks <= ticks) {
      const { event } = this.#pop()
      this.#bytes -= event.payloadSize
      this.#take(event)
    }
  }

  #overrun(): void {
    const waiting = this.#heap.splice(0).sort((a, b) => a.arrival - b.arrival)
    this.#bytes = 0
    this.#isOverrun = true
    this.unordered += waiting.length
    for (const { event } of waiting) this.#take(event)
  }

  #push(added: Waiting): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(added)
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!isBefore(added, heap[above]!)) break
      heap[at] = heap[above]!
      at = above
    }
    heap[at] = added
  }

  #pop(): Waiting {
    const heap = this.#heap
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let at = 0
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++
      if (!isBefore(heap[below]!, last)) break
      heap[at] = heap[below]!
      at = below
    }
    heap[at] = last
    return first
  }
}

function isBefore(one: Waiting, other: Waiting): boolean {
  const byTime = one.event.ticks - other.event.ticks
  return byTime < 0 || (byTime === 0 && one.arrival < other.arrival)
}
