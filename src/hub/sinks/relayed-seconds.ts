/**
 * What closed seconds are about, for relays: they say a second some time after it was closed, when
 * a series may have left, and a counter's place in the zone be another one's. Made once for all of
 * them.
 */
import { type Exact, type Identity, KINDS, type Kind } from '../../model/index.ts'
import type { Frame } from '../live/frame.ts'
import { type CounterRecord, isDecrements, type SeriesRecord } from '../series/record.ts'
import type { Task } from '../tasks/task.ts'

interface RelaySource {
  get(id: number): SeriesRecord | undefined
  /** Gives the record of a series that is the same object as long as it is there. */
  keep<R extends SeriesRecord>(record: R): R
  /** Gives the total of a counter since it began. */
  counterTotal(record: CounterRecord): Exact
}

/** The series of a frame, in the rows of its columns. */
export interface RelayedSecond {
  /**
   * Identities as they are sent; undefined for a series that stays here. A series has the same
   * object in all seconds: emitters know it again by that.
   */
  readonly identities: Readonly<Record<Kind, readonly (Identity | undefined)[]>>
  /** Totals of counters since they began, their whole part. */
  readonly totals: readonly Exact[]
}

const ROWS_A_STEP = 256

export class RelayedSeconds {
  readonly #source: RelaySource
  readonly #identities = new WeakMap<SeriesRecord, Identity>()
  readonly #seconds = new WeakMap<Frame, RelayedSecond>()

  constructor(source: RelaySource) {
    this.#source = source
  }

  /** Gives what a frame is about; to be asked for while its second is being closed. */
  *noted(frame: Frame): Task<RelayedSecond> {
    const known = this.#seconds.get(frame)
    if (known !== undefined) return known
    const totals: Exact[] = []
    const identities: Record<Kind, (Identity | undefined)[]> = {
      ...{ counter: [], gauge: [], histogram: [], summary: [] },
    }
    for (const kind of KINDS) {
      for (const id of frame.ids(kind)) {
        const record = this.#sent(id)
        identities[kind].push(record && this.#identityOf(record))
        if (kind === 'counter') totals.push(this.#totalOf(record))
        if (identities[kind].length % ROWS_A_STEP === 0) yield
      }
    }
    const second = { identities, totals }
    this.#seconds.set(frame, second)
    return second
  }

  /** Finds a series; undefined for the hub's own, which stay here. */
  #sent(id: number): SeriesRecord | undefined {
    const found = this.#source.get(id)
    return found === undefined || found.metadata.dialect === 'hub'
      ? undefined
      : this.#source.keep(found)
  }

  /** Gives the identity that is sent: of decrements, that of the counter that their name says. */
  #identityOf(record: SeriesRecord): Identity {
    let identity = this.#identities.get(record)
    if (identity === undefined) {
      identity = isDecrements(record) ? withoutBytes(record.identity) : record.identity
      this.#identities.set(record, identity)
    }
    return identity
  }

  #totalOf(record: SeriesRecord | undefined): Exact {
    if (record?.kind !== 'counter') return 0
    const total = this.#source.counterTotal(record)
    return typeof total === 'bigint' ? total : Math.floor(total)
  }
}

/** Leaves out the bytes that keep decrements apart here: they are no name for others. */
function withoutBytes({ nameBytes: _bytes, ...rest }: Identity): Identity {
  return rest
}
