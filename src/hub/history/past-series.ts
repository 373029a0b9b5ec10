/**
 * Series that the history alone has, told to clients under ids of their own: a client asks for
 * them as for those of the hub. What was told last is remembered, within a bound.
 */
import { setImmediate } from 'node:timers/promises'
import type { HistoryReader, PastQuery, PastSeries as StoredPast } from '../../history/store.ts'
import { type Identity, identityKey, identityOf, type Metadata } from '../../model/index.ts'
import { DECREMENTS_ENDING, decrementsOf } from '../ingest/definition.ts'
import type { FoundRecords, PastList, PastRecord, PastWords } from './past-list.ts'
import { readOrigin } from './restore-series.ts'

/** Ids from here on: no series of the hub has one as high. */
const FIRST_ID = 2 ** 31
/** Series that are noted between two turns of others. */
const SERIES_PER_STEP = 256
/** Series whose ids are remembered: some 10 MB. */
const REMEMBERED = 20_000

/** Gives a key as a text, by which it is found among others. */
export function keyText(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
}

export class PastSeries implements PastList {
  readonly #reader: Pick<HistoryReader, 'find'>
  /** Records by their keys, those told last at the end. */
  readonly #byKey = new Map<string, PastRecord>()
  readonly #byId = new Map<number, PastRecord>()
  #nextId = FIRST_ID

  /** @param reader finds those that the hub does not have */
  constructor(reader: Pick<HistoryReader, 'find'>) {
    this.#reader = reader
  }

  get(id: number): PastRecord | undefined {
    return this.#byId.get(id)
  }

  async find(query: PastWords): Promise<FoundRecords> {
    const found = await this.#reader.find({ ...query, partEnding: DECREMENTS_ENDING })
    const series: PastRecord[] = []
    for (const [i, each] of found.series.entries()) {
      if (i % SERIES_PER_STEP === SERIES_PER_STEP - 1) await setImmediate()
      const record = this.#remember(each, query)
      if (record !== undefined) series.push(record)
    }
    return { series, total: found.total }
  }

  #remember(
    { key, metadata, origin = '', firstS, lastS }: StoredPast,
    { fromS, toS }: Pick<PastQuery, 'fromS' | 'toS'>,
  ): PastRecord | undefined {
    const identity = identityOf(key)
    if (identity === undefined) return undefined
    const text = keyText(key)
    const known = this.#byKey.get(text)
    const id = known?.id ?? this.#nextId++
    const source = readOrigin(origin)?.source ?? ''
    const { kind } = identity
    const hasPart = kind === 'counter' && lastS !== undefined
    const record: PastRecord = {
      ...{ id, key, kind, identity, metadata, source },
      firstSeenMs: ((firstS ?? fromS + 1) - 1) * 1000,
      lastDataMs: (lastS ?? toS) * 1000,
      ...(lastS === undefined ? {} : { goneMs: lastS * 1000 }),
      ...(hasPart ? { decrements: known?.decrements ?? this.#partOf(identity, metadata) } : {}),
    }
    this.#byKey.delete(text)
    this.#byKey.set(text, record)
    this.#byId.set(id, record)
    if (this.#byKey.size > REMEMBERED) this.#forgetOldest()
    return record
  }

  #partOf(identity: Identity, metadata: Metadata): NonNullable<PastRecord['decrements']> {
    const { identity: part } = decrementsOf(identity, metadata, '')
    return { id: this.#nextId++, key: identityKey(part) }
  }

  #forgetOldest(): void {
    const [oldest] = this.#byKey
    if (oldest === undefined) return
    this.#byKey.delete(oldest[0])
    this.#byId.delete(oldest[1].id)
  }
}
