/**
 * Times in which peers that the hub reads from were away. A counter without an increment in such a
 * time did not stand still: nothing is known of it. The last 64 times of each peer are kept; how
 * many peers there are is the operator's choice. So it is in the second in which the hub began to
 * listen: what came in its first part was lost.
 */
import { OWN_SOURCE } from '../ingest/definition.ts'

const OUTAGES_LIMIT = 64

interface Outage {
  readonly fromMs: number
  /** Infinity while it lasts. */
  toMs: number
}

export class Outages {
  readonly #bySource = new Map<string, Outage[]>()
  /** Sources whose peers are away. */
  readonly #now = new Set<string>()
  /** Time at which the hub began to listen, Unix ms. */
  #begunMs = 0

  /** Notes that the hub listens from now on. */
  begin(nowMs: number): void {
    this.#begunMs = nowMs
  }

  /**
   * Notes how it is with a peer, by the label that its series have.
   * @param sinceMs since when
   */
  note(source: string, isConnected: boolean, sinceMs: number): void {
    const known = this.#bySource.get(source) ?? []
    const last = known.at(-1)
    const isOut = this.#now.has(source)
    if (isConnected && isOut) last!.toMs = sinceMs
    if (isConnected) this.#now.delete(source)
    if (isConnected || isOut) return
    this.#now.add(source)
    known.push({ fromMs: sinceMs, toMs: Number.POSITIVE_INFINITY })
    if (known.length > OUTAGES_LIMIT) known.shift()
    this.#bySource.set(source, known)
  }

  /** Tells whether a peer is away; asked for every series of an answer. */
  isNow(source: string): boolean {
    return this.#now.size > 0 && this.#now.has(source)
  }

  /**
   * Tells whether a peer was not there for some of this time, or the hub for some of the second in
   * which that is.
   */
  touch(source: string, fromMs: number, toMs: number): boolean {
    if (source !== OWN_SOURCE && this.#isFirstSecond(fromMs, toMs)) return true
    const outages = this.#bySource.get(source)
    return outages?.some((each) => each.fromMs < toMs && fromMs < each.toMs) ?? false
  }

  /** Tells whether a time is in that second, unless the hub has all of it. */
  #isFirstSecond(fromMs: number, toMs: number): boolean {
    const secondMs = Math.floor(this.#begunMs / 1000) * 1000
    return this.#begunMs > secondMs && fromMs >= secondMs && toMs <= secondMs + 1000
  }
}
