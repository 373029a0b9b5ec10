/**
 * The queues that one host's filter has registered: the filter is called where something waits in
 * them, whichever thread put it there. Several threads that registered a queue are all called, and
 * take turns by chance; who comes late finds it empty.
 */
import { SharedData } from './shared-data.ts'

export class FilterQueues {
  readonly #shared: SharedArrayBuffer | undefined
  readonly #onReady: (queue: number) => void
  #data: SharedData | undefined
  #queues = new Set<number>()
  #isWaiting = false
  #isClosed = false

  /**
   * @param shared data of the filter; none until it asks for some, without it
   * @param onReady called once for each thing that waits, as long as it does
   */
  constructor(shared: SharedArrayBuffer | undefined, onReady: (queue: number) => void) {
    this.#shared = shared
    this.#onReady = onReady
  }

  get data(): SharedData {
    this.#data ??= new SharedData(this.#shared)
    return this.#data
  }

  listenTo(queue: number): void {
    this.#queues.add(queue)
    if (!this.#isWaiting) void this.#wait()
  }

  /** Forgets what an instance that is gone has registered. */
  forget(): void {
    this.#queues = new Set()
  }

  close(): void {
    this.#isClosed = true
    if (this.#isWaiting) this.data.wake()
  }

  async #wait(): Promise<void> {
    this.#isWaiting = true
    let turn = this.data.turn - 1
    for (;;) {
      await this.data.nextTurn(turn)
      // a turn of the event loop between two calls, whatever the filter does in them
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#isClosed || this.#queues.size === 0) break
      turn = this.data.turn
      for (const queue of this.#queues) this.#serve(queue)
    }
    this.#isWaiting = false
  }

  #serve(queue: number): void {
    for (let left = this.data.waiting(queue); left > 0; left--) {
      this.#onReady(queue)
      if (this.#isClosed || !this.#queues.has(queue) || this.data.waiting(queue) === 0) return
    }
  }
}
