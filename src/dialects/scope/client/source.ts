/** A server's metrics into the hub: every number of every snapshot is a write to a gauge. */
import {
  type Identity,
  identityKey,
  keyedHash,
  type Metadata,
  sortLabels,
} from '../../../model/index.ts'
import { addressText } from '../../../model/text/address.ts'
import { LinkState, type LinkStatus } from '../../../time/link-state.ts'
import type { Task } from '../../../time/task.ts'
import type { ChosenPeer, Source, SourceContext, Target } from '../../endpoints.ts'
import { type Description, type Ingest, REFUSED } from '../../ingest.ts'
import { ScopeClient, type ScopeClientStatus } from '../client.ts'
import { addressOptions } from './address-options.ts'
import type { Sample } from './mirror.ts'
import type { MirroredSeries } from './name-memory.ts'

/** Identity label that keeps equal names of different servers apart. */
const SOURCE_LABEL = 'scope.source'
/** The dialect has one type of metric. */
const GAUGE_TYPE = 0
/** Values that are written in one part; each may be of a new series. */
const VALUES_PER_PART = 128
/** A place in a row whose slot was not looked up yet. */
const UNKNOWN = -2

/**
 * Slots of one server's series; a name is looked up once, as long as its series stays. A series
 * that the hub refuses is not kept: it is asked for again when the server sends its next Info.
 */
class Slots {
  readonly #ingest: Ingest
  readonly #source: string
  readonly #forget: (series: MirroredSeries) => void
  /** Slots by identities, which are one object for as long as a series is remembered. */
  #slots = new WeakMap<Identity, { readonly slot: number; metadata: Metadata }>()
  #generation = 0
  #row: Sample['series'] | undefined
  #rowSlots = new Int32Array(0)
  /** Numbers of the series by place; negative for what has none, or had no value yet. */
  #rowIds = new Int32Array(0)

  constructor(ingest: Ingest, source: string, forget: (series: MirroredSeries) => void) {
    this.#ingest = ingest
    this.#source = source
    this.#forget = forget
  }

  /** Makes ready for a sample with this row of series, or for what is left of one. */
  begin(row: Sample['series']): void {
    this.#ingest.begin(this.#source)
    const { generation } = this.#ingest
    if (row === this.#row && generation === this.#generation) return
    if (generation !== this.#generation) this.#slots = new WeakMap()
    this.#generation = generation
    this.#row = row
    this.#rowSlots = new Int32Array(row.length).fill(UNKNOWN)
    this.#rowIds = new Int32Array(row.length).fill(-1)
    // what is there stays of this source while it has no value, so that the hub does not sample it
    for (let i = 0; i < row.length; i++) {
      const series = row[i]
      if (series !== undefined && this.#slots.has(series.identity)) this.at(i)
    }
  }

  get ids(): Int32Array {
    return this.#rowIds
  }

  /** Gives the slot of a place in the row that has, or had, a value: others are not made. */
  at(place: number): number {
    const slot = this.#rowSlots[place]!
    if (slot !== UNKNOWN) return slot
    const series = this.#row![place]
    const found = series === undefined ? REFUSED : this.#slot(series)
    this.#rowSlots[place] = found
    this.#rowIds[place] = this.#ingest.seriesOf(found)
    return found
  }

  /** Ends the values of the last row: with the connection goes what is known of them. */
  end(): void {
    if (this.#row === undefined) return
    this.begin(this.#row)
    for (const slot of this.#rowSlots) if (slot >= 0) this.#ingest.end(slot)
  }

  #slot(series: MirroredSeries): number {
    const { metadata } = series
    const known = this.#slots.get(series.identity)
    if (known !== undefined) {
      if (known.metadata !== metadata) this.#ingest.annotate(known.slot, marked(metadata))
      known.metadata = metadata
      return known.slot
    }
    const identity = this.#identityOf(series)
    const key = identityKey(identity)
    const hash = keyedHash(key, 0, key.length)
    const describe = (): Description => ({ identity, metadata: marked(metadata) })
    const slot = this.#ingest.slot(key, 0, key.length, GAUGE_TYPE, hash, describe)
    if (slot === REFUSED) this.#forget(series)
    else this.#slots.set(series.identity, { slot, metadata })
    return slot
  }

  /**
   * Makes the identity; a name that another hub has marked already keeps its marks inside the name.
   */
  #identityOf({ identity, wireName }: MirroredSeries): Identity {
    const isMarked = identity.labels.some(([key]) => key === SOURCE_LABEL)
    const name = isMarked ? wireName : identity.name
    const labels = isMarked ? [] : identity.labels
    return { kind: 'gauge', name, labels: sortLabels([...labels, [SOURCE_LABEL, this.#source]]) }
  }
}

/** Says of metadata which label tells whose the series is. */
function marked(metadata: Metadata): Metadata {
  return { ...metadata, sourceLabel: SOURCE_LABEL }
}

/**
 * Connects to a server and keeps at it until closed. NaN is no value; ±Infinity is one.
 * @throws {TypeError} for options of the address that mean nothing
 */
export function connectSource(target: Target, context: SourceContext): Source {
  const { ingest, clock, reports } = context
  const { host, port } = target
  const source = addressText(host, port)
  const slots = new Slots(ingest, source, (series) => client.forget(series))
  const link = new LinkState(clock)
  const asked = addressOptions(target.query ?? '')
  const settings = { ...asked, host, port, clock, reports, maxSeriesBytes: context.bytesLimit }
  const onStatus = (status: ScopeClientStatus): void => {
    if (status.state === 'offline' && link.status.isConnected) slots.end()
    noteStatus(status, link)
  }
  const client = new ScopeClient(
    { ...(context.options.client ?? {}), ...settings, onStatus },
    {
      reads: context.reads,
      *takeSample(sample) {
        yield* setGauges(sample, ingest, slots)
        const { timeMs, values, isRepeat } = sample
        context.samples.add(timeMs, slots.ids, values, isRepeat)
      },
    },
  )
  void client.start()
  return {
    status: () => ({ ...statusOf(client, link.status), source }),
    close: () => client.close(),
  }
}

/** Writes a sample to its gauges. Between two parts slots may be given back. */
function* setGauges({ series, values }: Sample, ingest: Ingest, slots: Slots): Task {
  for (let i = 0; i < series.length; i++) {
    if (i % VALUES_PER_PART === 0) {
      if (i > 0) yield
      slots.begin(series)
    }
    const value = values[i]!
    if (Number.isNaN(value)) continue
    const slot = slots.at(i)
    if (slot !== REFUSED) ingest.set(slot, value)
  }
}

function noteStatus({ state, lastError, retryMs }: ScopeClientStatus, link: LinkState): void {
  if (state === 'online') link.connected()
  else if (state === 'offline') link.failed(lastError ?? state, retryMs)
  else link.trying()
}

function statusOf(client: ScopeClient, link: LinkStatus): ChosenPeer {
  const { counts, settings, status } = client
  const { state, framing, intervalMs, ticksMissed, series, lastError, seriesRefused } = status
  const facts: Record<string, string | number | boolean> = { state }
  if (framing !== undefined) facts.framing = framing
  if (intervalMs !== undefined) facts.intervalMs = intervalMs
  facts.series = series
  if (seriesRefused > 0) facts.refused = seriesRefused
  facts.snapshots = counts.snapshots
  facts.missed = ticksMissed
  facts.dropped = counts.entriesDropped
  facts.bad = counts.packetsBad
  if (lastError !== undefined) facts.lastError = lastError
  const { host: address, port } = settings
  return { peer: { transport: 'tcp', address, port }, sinceMs: link.sinceMs, facts, link }
}
