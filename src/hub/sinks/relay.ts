/** A sink that says every closed second in another hub's or server's dialect. */
import type { ChosenPeer, Emitter } from '../../dialects/endpoints.ts'
import { type Cell, exact, KINDS, type Kind } from '../../model/index.ts'
import type { Frame } from '../live/frame.ts'
import type { Task } from '../tasks/task.ts'
import type { RelayedSecond, RelayedSeconds } from './relayed-seconds.ts'
import type { Sink } from './sinks.ts'

/** Cells of one step: a distribution takes some microseconds, one of all buckets 300. */
const CELLS_A_STEP = 8

export class RelaySink implements Sink {
  readonly name: string
  readonly #dialect: string
  readonly #emitter: Emitter
  readonly #seconds: RelayedSeconds
  /** Series of the frames that wait. */
  readonly #noted = new WeakMap<Frame, RelayedSecond>()

  /** @param seconds shared by all relays of a hub */
  constructor(name: string, dialect: string, emitter: Emitter, seconds: RelayedSeconds) {
    this.name = name
    this.#dialect = dialect
    this.#emitter = emitter
    this.#seconds = seconds
  }

  *take(frame: Frame): Task {
    this.#noted.set(frame, yield* this.#seconds.noted(frame))
  }

  *deliver(frame: Frame): Task {
    const second = this.#noted.get(frame)!
    let cells = 0
    for (const kind of KINDS) {
      const identities = second.identities[kind]
      for (let row = 0; row < identities.length; row++) {
        if (++cells % CELLS_A_STEP === 0) yield
        const identity = identities[row]
        if (identity === undefined) continue
        const total = kind === 'counter' ? second.totals[row] : undefined
        this.#emitter.send(identity, sentCell(frame, row, kind), total, frame.endMs)
      }
    }
    yield* this.#emitter.flush()
  }

  late(frame: Frame): Task {
    return this.deliver(frame)
  }

  peer(): ChosenPeer & { readonly dialect: string } {
    return { ...this.#emitter.status(), dialect: this.#dialect }
  }

  close(): Promise<void> {
    return this.#emitter.close()
  }
}

/**
 * Makes the cell that is sent. Counters are sent as the growth of their whole part: the protocols
 * count in whole numbers, and fractions rounded second by second would never add up.
 */
function sentCell(frame: Frame, row: number, kind: Kind): Cell {
  return kind === 'counter'
    ? { kind, delta: exact(frame.counterDeltas[row]!) }
    : frame.cellAt(row, kind)
}
