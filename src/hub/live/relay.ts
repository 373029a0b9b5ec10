/** A sink that says every closed second in another hub's or server's dialect. */
import type { ChosenPeer, Emitter } from '../../dialects/endpoints.ts'
import { type Cell, type Exact, exact, type Identity, KINDS, type Kind } from '../../model/index.ts'
import type { Clock } from '../../time/clock.ts'
import { type CounterRecord, isDecrements, type SeriesRecord } from '../series/record.ts'
import { LOOP_BUDGET_NS, LoopBudget, runSliced } from '../tasks/loop-budget.ts'
import type { Task } from '../tasks/task.ts'
import type { Frame } from './frame.ts'
import type { Sink } from './sinks.ts'

interface RelaySource {
  get(id: number): SeriesRecord | undefined
  /** Gives the record of a series that is the same object as long as it is there. */
  keep<R extends SeriesRecord>(record: R): R
  /** Gives the total of a counter since it began. */
  counterTotal(record: CounterRecord): Exact
}

/** Cells of one step: a distribution takes some microseconds. */
const CELLS_A_STEP = 32

export class RelaySink implements Sink {
  readonly name: string
  readonly #dialect: string
  readonly #emitter: Emitter
  readonly #source: RelaySource
  readonly #clock: Pick<Clock, 'monotonicNs'>
  /** Identities as they are sent: emitters know a series again by this object. */
  readonly #identities = new WeakMap<SeriesRecord, Identity>()

  constructor(
    name: string,
    dialect: string,
    emitter: Emitter,
    source: RelaySource,
    clock: Pick<Clock, 'monotonicNs'>,
  ) {
    this.name = name
    this.#dialect = dialect
    this.#emitter = emitter
    this.#source = source
    this.#clock = clock
  }

  /**
   * Delivers a frame, in shares of the event loop. The hub's own series stay here; decrements are
   * sent as the counter that its name says.
   */
  async deliver(frame: Frame): Promise<void> {
    const budget = new LoopBudget(this.#clock, { budgetNs: LOOP_BUDGET_NS })
    await runSliced(this.#sending(frame), budget)
    await this.#emitter.flush()
  }

  *#sending(frame: Frame): Task {
    let cells = 0
    for (const kind of KINDS) {
      for (const id of frame.ids(kind)) {
        if (++cells % CELLS_A_STEP === 0) yield
        const found = this.#source.get(id)
        if (found === undefined || found.metadata.dialect === 'hub') continue
        const record = this.#source.keep(found)
        const total =
          record.kind === 'counter' ? wholeOf(this.#source.counterTotal(record)) : undefined
        this.#emitter.send(this.#sentIdentity(record), sentCell(frame, id, kind), total)
      }
    }
  }

  #sentIdentity(record: SeriesRecord): Identity {
    let identity = this.#identities.get(record)
    if (identity === undefined) {
      identity = isDecrements(record) ? withoutBytes(record.identity) : record.identity
      this.#identities.set(record, identity)
    }
    return identity
  }

  peer(): (ChosenPeer & { readonly dialect: string }) | undefined {
    const peer = this.#emitter.status()
    return peer && { ...peer, dialect: this.#dialect }
  }

  close(): Promise<void> {
    return this.#emitter.close()
  }
}

/** Leaves out the bytes that keep decrements apart here: they are no name for others. */
function withoutBytes({ nameBytes: _bytes, ...rest }: Identity): Identity {
  return rest
}

/**
 * Makes the cell that is sent. Counters are sent as the growth of their whole part: the protocols
 * count in whole numbers, and fractions rounded second by second would never add up.
 */
function sentCell(frame: Frame, id: number, kind: Kind): Cell {
  if (kind !== 'counter') return frame.cell(id, kind)!
  return { kind, delta: exact(frame.counterDeltas[frame.row(id, kind)]!) }
}

function wholeOf(total: Exact): Exact {
  return typeof total === 'bigint' ? total : Math.floor(total)
}
