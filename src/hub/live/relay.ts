/** A sink that says every closed second in another hub's or server's dialect. */
import type { ChosenPeer, Emitter } from '../../dialects/endpoints.ts'
import { type Cell, type Exact, exact, type Identity, KINDS, type Kind } from '../../model/index.ts'
import { type CounterRecord, isDecrements, type SeriesRecord } from '../series/record.ts'
import type { Frame } from './frame.ts'
import type { Sink } from './sinks.ts'

interface RelaySource {
  get(id: number): SeriesRecord | undefined
  /** Gives the record of a series that is the same object as long as it is there. */
  keep<R extends SeriesRecord>(record: R): R
  /** Gives the total of a counter since it began. */
  counterTotal(record: CounterRecord): Exact
}

export class RelaySink implements Sink {
  readonly name: string
  readonly #dialect: string
  readonly #emitter: Emitter
  readonly #source: RelaySource
  /** Identities as they are sent: emitters know a series again by this object. */
  readonly #identities = new WeakMap<SeriesRecord, Identity>()

  constructor(name: string, dialect: string, emitter: Emitter, source: RelaySource) {
    this.name = name
    this.#dialect = dialect
    this.#emitter = emitter
    this.#source = source
  }

  /**
   * Delivers a frame. The hub's own series stay here; decrements are sent as the counter that its
   * name says.
   */
  async deliver(frame: Frame): Promise<void> {
    for (const kind of KINDS) {
      for (const id of frame.ids(kind)) {
        const found = this.#source.get(id)
        if (found === undefined || found.metadata.dialect === 'hub') continue
        const record = this.#source.keep(found)
        const total =
          record.kind === 'counter' ? wholeOf(this.#source.counterTotal(record)) : undefined
        this.#emitter.send(this.#sentIdentity(record), sentCell(frame, id, kind), total)
      }
    }
    await this.#emitter.flush()
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
