/**
 * The stream of one session (§4, §7): windows of counters as events, each kind described once for
 * each provider, all of one thread whose numbers show what was left out. Times never fall: they are
 * those of a clock that does not go back.
 */
import type { Clock } from '../../../time/clock.ts'
import { EncodeError } from '../../../wire/encode-error.ts'
import type { CounterEvent, CounterEvents } from '../../snapshot-source.ts'
import { ByteWriter } from '../codec/byte-writer.ts'
import type { Provider } from '../codec/ipc/messages.ts'
import { counterLayout, MEAN_FIELDS, SUM_FIELDS } from '../codec/layouts.ts'
import { writePayload } from '../codec/payload.ts'
import { StreamWriter, type WrittenEvent } from '../codec/stream/writer.ts'
import type { EventMetadata, Payload, Trace } from '../spec.ts'

/** Process that the stream is of. */
export type StreamProcess = Pick<Trace, 'pid' | 'cpus' | 'pointerSize'>

/** Reason for which something of an event is missing. */
export type EventLoss = 'cut_text' | 'not_sayable'

/** Ticks of 100 ns: sessions of years stay below 2^53 of them. */
const FREQUENCY = 10_000_000n
const NS_PER_TICK = 100n
const TICKS_PER_MS = 10_000
/** Runtime's word for the time between samples, ns; there are none. */
const SAMPLING_RATE = 1_000_000
/** The one thread that all events are of. */
const THREAD = 1
/** Ids of the two kinds, the same for every provider. */
const MEAN_ID = 1
const SUM_ID = 2
/** Size at which the usual reader of .NET gives up the stream, and what texts are cut to then. */
const PAYLOAD_BYTES_BELOW = 65_536
const CUT_UNITS = 4096
/** Windows that ended longer ago say nothing of when: the wall clock was set. */
const AGE_MS_MAX = 60_000

const MEAN = counterLayout(MEAN_FIELDS, MEAN_ID)
const SUM = counterLayout(SUM_FIELDS, SUM_ID)

export class SessionStream {
  readonly #clock: Clock
  readonly #beganNs: bigint
  readonly #writer: StreamWriter
  readonly #payload = new ByteWriter()
  readonly #metadata = new Map<string, EventMetadata>()
  readonly #filters: ReadonlyMap<string, Provider['filter']>
  readonly #onLoss: (reason: EventLoss) => void
  #ticks = 0
  #sequence = 0

  /** @param providers that were asked for, with the ids that each is limited to */
  constructor(
    process: StreamProcess,
    clock: Clock,
    providers: readonly Pick<Provider, 'name' | 'filter'>[],
    onLoss: (reason: EventLoss) => void = () => {},
  ) {
    this.#clock = clock
    this.#beganNs = clock.monotonicNs()
    this.#onLoss = onLoss
    this.#filters = new Map(providers.map(({ name, filter }) => [name.toLowerCase(), filter]))
    this.#writer = new StreamWriter({
      ...process,
      syncTimeMs: clock.wallMs(),
      syncTicks: this.#beganNs / NS_PER_TICK,
      frequency: FREQUENCY,
      samplingRate: SAMPLING_RATE,
    })
  }

  /** Gives what was written since the last call; the first time, the begin of the stream. */
  take(): Uint8Array {
    return this.#writer.take()
  }

  /** Sets the time of the events to come: windows that ended at this moment, Unix ms. */
  begin(timeMs: number): void {
    const ageMs = this.#clock.wallMs() - timeMs
    const isKnown = ageMs >= 0 && ageMs <= AGE_MS_MAX
    const ticks = this.#now() - (isKnown ? Math.floor(ageMs * TICKS_PER_MS) : 0)
    this.#ticks = Math.max(this.#ticks, ticks)
  }

  /** Adds events, as one block, from one index up to another. */
  events(events: CounterEvents, from: number, to: number): void {
    const written: WrittenEvent[] = []
    for (let i = from; i < to; i++) {
      const event = this.#eventOf(events.event(i))
      if (event !== undefined) written.push(event)
    }
    this.#writer.events(written)
  }

  /** Leaves events out: their numbers are missing, so that a reader counts them as lost. */
  skip(count: number): void {
    this.#sequence = (this.#sequence + count) >>> 0
  }

  /** Adds a sequence point. */
  point(): void {
    this.#ticks = Math.max(this.#ticks, this.#now())
    const threads = this.#sequence === 0 ? [] : [[THREAD, this.#sequence] as const]
    this.#writer.sequencePoint(this.#ticks, threads)
  }

  /** Adds a last sequence point, and the end mark. */
  end(): void {
    this.point()
    this.#writer.end()
  }

  #now(): number {
    return Number((this.#clock.monotonicNs() - this.#beganNs) / NS_PER_TICK)
  }

  #eventOf(event: CounterEvent): WrittenEvent | undefined {
    try {
      const metadata = this.#metadataOf(event)
      if (metadata === undefined) return undefined
      const payload = this.#payloadOf(event.payload, metadata)
      this.skip(1)
      const [ticks, sequence] = [this.#ticks, this.#sequence]
      return { metadata, ticks, thread: THREAD, sequence, isSorted: true, payload }
    } catch (error) {
      if (!(error instanceof EncodeError)) throw error
      this.#payload.take()
      this.#onLoss('not_sayable')
      return undefined
    }
  }

  /** Gives the description of an event; undefined for one that the session does not let through. */
  #metadataOf({ provider, payload }: CounterEvent): EventMetadata | undefined {
    const layout = 'Increment' in payload ? SUM : MEAN
    const filter = this.#filters.get(provider.toLowerCase())
    const isListed = filter?.eventIds.includes(layout.eventId)
    if (filter !== undefined && filter.enable !== isListed) return undefined
    const key = `${layout.eventId} ${provider}`
    let metadata = this.#metadata.get(key)
    if (metadata === undefined) {
      metadata = this.#writer.define(provider, layout)
      this.#metadata.set(key, metadata)
    }
    return metadata
  }

  /** Writes the values of an event, with a name to show: dotnet-counters shows no other. */
  #payloadOf(values: CounterEvent['payload'], metadata: EventMetadata): Uint8Array {
    const { DisplayName, Name } = values
    const payload = DisplayName === '' ? { ...values, DisplayName: Name! } : values
    const bytes = this.#write(payload, metadata)
    if (bytes.length < PAYLOAD_BYTES_BELOW) return bytes
    const cut = Object.entries(payload).map(([name, value]) => {
      return [name, typeof value === 'string' ? value.slice(0, CUT_UNITS) : value] as const
    })
    this.#onLoss('cut_text')
    return this.#write(Object.fromEntries(cut), metadata)
  }

  #write(payload: Payload, { fields }: EventMetadata): Uint8Array {
    writePayload(this.#payload, fields, { '': { Payload: payload } })
    return this.#payload.take()
  }
}
