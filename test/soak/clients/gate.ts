/**
 * A gate that senders pass whose every line must be counted. It is closed while a thread is ended:
 * what a thread has not read is lost with it, and how much that was is not known.
 */
export class Gate {
  #inside = 0
  #closing: Promise<void> | undefined
  #onEmpty: () => void = () => {}
  /** Number of times that it was closed; connections are made anew behind each. */
  epoch = 0

  /** Does a piece of work when the gate is open. */
  async through<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closing !== undefined) await this.#closing
    this.#inside++
    try {
      return await work()
    } finally {
      if (--this.#inside === 0) this.#onEmpty()
    }
  }

  /** Does what needs that no sender is at work. */
  async closed(work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#closing = promise
    if (this.#inside > 0) {
      await new Promise<void>((empty) => {
        this.#onEmpty = empty
      })
    }
    try {
      await work()
    } finally {
      this.epoch++
      this.#onEmpty = () => {}
      this.#closing = undefined
      resolve()
    }
  }
}
