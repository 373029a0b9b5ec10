/**
 * Times in which peers that are read from were not there: counters of theirs did not stand still,
 * nothing is known of them. The last 64 of each peer are kept, which is told where it is by the
 * operator.
 */
const OUTAGES_LIMIT = 64

interface Outage {
  readonly fromMs: number
  /** Infinity while it lasts. */
  toMs: number
}

export class Outages {
  readonly #bySource = new Map<string, Outage[]>()

  /**
   * Notes how it is with a peer, by the label that its series have.
   * @param sinceMs since when
   */
  note(source: string, isConnected: boolean, sinceMs: number): void {
    const known = this.#bySource.get(source) ?? []
    const last = known.at(-1)
    const isOut = last?.toMs === Number.POSITIVE_INFINITY
    if (isConnected && isOut) last.toMs = sinceMs
    if (isConnected || isOut) return
    known.push({ fromMs: sinceMs, toMs: Number.POSITIVE_INFINITY })
    if (known.length > OUTAGES_LIMIT) known.shift()
    this.#bySource.set(source, known)
  }

  /** Tells whether a peer was not there for all of this time. */
  covers(source: string, fromMs: number, toMs: number): boolean {
    const outages = this.#bySource.get(source)
    return outages?.some((each) => each.fromMs <= fromMs && toMs <= each.toMs) ?? false
  }
}
