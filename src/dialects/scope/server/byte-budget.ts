/**
 * Bytes per second, as times until which what was sent lasts. All viewers of a server have a budget
 * together; where that is spent, each has at least its share, by address.
 */

/** Time whose bytes may be sent at once, ns. */
const AT_ONCE_NS = 1e9

export class ByteBudget {
  readonly #bytesPerSecond: number
  #paidUntilNs = 0

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond
  }

  /** Gives the time from which on more may be sent, ns. */
  get opensNs(): number {
    return this.#paidUntilNs - AT_ONCE_NS
  }

  pay(bytes: number, nowNs: number): void {
    const lastsNs = (bytes / this.#bytesPerSecond) * 1e9
    this.#paidUntilNs = Math.max(this.#paidUntilNs, nowNs) + lastsNs
  }
}

/**
 * Share of a viewer in what all may have. It counts from now on: a viewer that has had more while
 * there was more owes no more for that than what was sent last.
 */
export class ByteShare {
  #paidUntilNs = 0

  get opensNs(): number {
    return this.#paidUntilNs
  }

  /** @param bytesPerSecond share at this time */
  pay(bytes: number, nowNs: number, bytesPerSecond: number): void {
    this.#paidUntilNs = Math.max(this.#paidUntilNs, nowNs + (bytes / bytesPerSecond) * 1e9)
  }
}
