/**
 * How long the connections of one port may keep the event loop. Workers whose windows end together
 * send together, and one turn of the loop reads from all of them; without a bound it would last
 * until the last one is taken in. Past the budget every connection is paused until the next turn,
 * so that a second is closed and a page answered in between; TCP holds back the senders. A
 * connection whose dialect is not known yet is read all the same: its silence means something.
 */
import type { Socket } from 'node:net'
import type { Clock } from '../../time/clock.ts'
import { LOOP_BUDGET_NS, LoopBudget } from '../tasks/loop-budget.ts'

export class ReadBudget {
  /**
   * Budget of reads. When it is over, one more read is under way: at most 256 KiB, some 400
   * windows.
   */
  readonly #budget: LoopBudget
  #hasBegun = false
  /** The one that was read last comes last, and waits longest when the budget is short. */
  readonly #sockets = new Set<Socket>()
  readonly #watched = new WeakSet<Socket>()
  #waiting: Socket[] = []
  /** Arrivals, at most as many as there may be connections. */
  readonly #arrivals: (() => void)[] = []
  /** Whether the turn at hand began with them. */
  #isForArrivals = false

  constructor(clock: Clock) {
    this.#budget = new LoopBudget(clock, { budgetNs: LOOP_BUDGET_NS })
  }

  /** Lets a new connection be taken over, as soon as a turn has time for what it has said first. */
  admit(socket: Socket, takeOver: () => void): void {
    // one that a server has passed on has no reader until then
    this.#sockets.delete(socket)
    this.#arrivals.push(() => {
      if (socket.destroyed) return
      takeOver()
      if (this.#watched.has(socket)) this.#sockets.add(socket)
      else this.#watch(socket)
    })
    if (!this.#isSpent) this.#admitNext()
  }

  #watch(socket: Socket): void {
    this.#watched.add(socket)
    this.#sockets.add(socket)
    socket.prependListener('data', () => this.#begin())
    socket.on('data', () => {
      if (this.#sockets.delete(socket)) this.#sockets.add(socket)
      if (this.#isSpent) this.#pause()
    })
    socket.once('close', () => this.#sockets.delete(socket))
  }

  get #isSpent(): boolean {
    return this.#hasBegun && this.#budget.isSpent
  }

  #begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#budget.renew()
    setImmediate(() => this.#beginNext())
  }

  #admitNext(): void {
    this.#begin()
    while (this.#arrivals.length > 0 && !this.#isSpent) this.#arrivals.shift()!()
    if (this.#isSpent) this.#pause()
  }

  #pause(): void {
    for (const socket of this.#sockets) {
      if (socket.isPaused()) continue
      socket.pause()
      this.#waiting.push(socket)
    }
  }

  /**
   * Begins the next; those that wait have every other turn: however many arrive, they are read on.
   */
  #beginNext(): void {
    this.#hasBegun = false
    const hasArrivals = this.#arrivals.length > 0
    this.#isForArrivals = hasArrivals && (this.#waiting.length === 0 || !this.#isForArrivals)
    if (this.#isForArrivals) this.#admitNext()
    if (this.#isSpent) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const socket of waiting) socket.resume()
    if (this.#arrivals.length > 0) this.#begin()
  }
}
