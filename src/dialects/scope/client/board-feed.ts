/**
 * A client's samples on a board: the server's own times, so that skipped snapshots bend nothing and
 * thresholds meet the true moment; a new connection goes on behind what is there.
 */
import type { BoardInput } from '../../../model/board/board.ts'
import type { Sample } from './mirror.ts'

const NS_PER_MS = 1e6
/** Least distance between the last sample of a connection and the first of the next, ms. */
const APART_MS = 1

/**
 * Feeds a board from a client. Make one for each board, and hand it every sample.
 *
 * @example
 * import { Board, BoardFeed, ScopeClient } from 'pentameter/scope'
 *
 * const board = new Board({ windowS: 10 })
 * const feed = new BoardFeed(board)
 * const client = new ScopeClient({ port: 5001, onSample: (sample) => feed.take(sample) })
 * await client.start()
 * setTimeout(() => client.close(), 1000)
 */
export class BoardFeed {
  readonly #board: BoardInput
  #epoch: number | undefined
  /** Wall time of the server's 0, ms; it stays for as long as the connection. */
  #baseMs = 0
  #lastMs = Number.NEGATIVE_INFINITY
  #series: Sample['series'] | undefined
  #names: readonly (string | undefined)[] = []

  constructor(board: BoardInput) {
    this.#board = board
  }

  take({ timeMs, t, epoch, series, values }: Sample): void {
    const tMs = Number(t) / NS_PER_MS
    if (epoch !== this.#epoch) this.#begin(epoch, timeMs, tMs)
    if (series !== this.#series) this.#describe(series)
    this.#lastMs = this.#baseMs + tMs
    this.#board.feed([{ timesMs: [this.#lastMs], names: this.#names, values }])
  }

  #begin(epoch: number, timeMs: number, tMs: number): void {
    const isFirst = this.#epoch === undefined
    this.#epoch = epoch
    this.#baseMs = Math.round(Math.max(timeMs, this.#lastMs + APART_MS) - tMs)
    if (!isFirst) this.#board.restart()
  }

  /** Takes over the names and what Info says of them; what was left out ends there. */
  #describe(series: Sample['series']): void {
    const names = series.map((each) => each?.wireName)
    const present = new Set(names)
    for (const name of this.#names) {
      if (name !== undefined && !present.has(name)) this.#board.break(name)
    }
    for (const each of series) {
      if (each === undefined) continue
      const { plot, color, unit, displayName } = each.metadata
      this.#board.describe(each.wireName, { plot, color, unit, displayName })
    }
    this.#series = series
    this.#names = names
  }
}
