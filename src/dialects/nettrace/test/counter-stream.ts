/** Stream of a process' counters, made up by a test in as many pieces as it likes. */
import { ByteWriter } from '../codec/byte-writer.ts'
import {
  counterLayout,
  layoutOf,
  MEAN_FIELDS,
  METRICS_PROVIDER,
  SUM_FIELDS,
} from '../codec/layouts.ts'
import { writePayload } from '../codec/payload.ts'
import { StreamWriter, type WrittenEvent } from '../codec/stream/writer.ts'
import type { EventMetadata, Field, Payload } from '../spec.ts'

type Values = Readonly<Record<string, string | number>>

const NS_PER_MS = 1e6
export const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
const SUM = {
  ...{ DisplayName: '', DisplayRateTimeScale: '', Increment: 0, IntervalSec: 1, Metadata: '' },
  ...{ Series: 'Interval=1000', CounterType: 'Sum', DisplayUnits: '' },
}
const MEAN = {
  ...{ DisplayName: '', Mean: 0, StandardDeviation: 0, Count: 1, Min: 0, Max: 0, IntervalSec: 1 },
  ...{ Series: 'Interval=1000', CounterType: 'Mean', Metadata: '', DisplayUnits: '' },
}
const SERIES = {
  ...{ sessionId: 'SHARED', meterName: 'App', meterVersion: '', unit: '', tags: '' },
  instrumentId: 1,
}

export class CounterStream {
  readonly #writer = new StreamWriter({
    ...{ syncTimeMs: START_MS, syncTicks: 5n, frequency: 1_000_000_000n, pointerSize: 8 },
    ...{ pid: 4242, cpus: 2, samplingRate: 1_000_000 },
  })
  readonly #kinds = new Map<string, EventMetadata>()
  #sequence = 0
  #events: WrittenEvent[] = []

  /** Adds a Sum of provider `App`, or the one that is given. */
  sum(relMs: number, name: string, increment: number, more: Values = {}): this {
    const { provider = 'App', ...fields } = more
    const payload = { ...SUM, Name: name, Increment: increment, ...fields }
    const metadata = this.#kind(`sum ${provider}`, String(provider), 2, SUM_FIELDS)
    return this.#add(relMs, metadata, { '': { Payload: payload } })
  }

  /** Adds a Mean of one sample, unless other statistics are given. */
  mean(relMs: number, name: string, mean: number, more: Values = {}): this {
    const { provider = 'App', ...fields } = more
    const payload = { ...MEAN, Name: name, Mean: mean, Min: mean, Max: mean, ...fields }
    const metadata = this.#kind(`mean ${provider}`, String(provider), 1, MEAN_FIELDS)
    return this.#add(relMs, metadata, { '': { Payload: payload } })
  }

  /** Adds an event of meters; of meter `App`, instrument 1 unless stated. */
  meter(relMs: number, event: string, instrument: string, values: Values): this {
    const known = this.#kinds.get(event)
    const metadata =
      known ?? this.#writer.define(METRICS_PROVIDER, layoutOf(METRICS_PROVIDER, event)!)
    this.#kinds.set(event, metadata)
    const texts = Object.fromEntries(metadata.fields.map(({ name }) => [name, '']))
    const payload = { ...texts, ...SERIES, instrumentName: instrument, ...values }
    return this.#add(relMs, metadata, payload)
  }

  /** Leaves out numbers, as a process does that drops events. */
  lose(count: number): this {
    this.#sequence += count
    return this
  }

  /** Gives what was added since the last call, as one block. */
  take(): Uint8Array {
    this.#writer.events(this.#events)
    this.#events = []
    return this.#writer.take()
  }

  #kind(key: string, provider: string, id: number, fields: readonly Field[]): EventMetadata {
    const known = this.#kinds.get(key)
    if (known !== undefined) return known
    const metadata = this.#writer.define(provider, counterLayout(fields, id))
    this.#kinds.set(key, metadata)
    return metadata
  }

  #add(relMs: number, metadata: EventMetadata, payload: Payload): this {
    const out = new ByteWriter()
    writePayload(out, metadata.fields, payload)
    const event = { metadata, ticks: relMs * NS_PER_MS, thread: 1, sequence: ++this.#sequence }
    this.#events.push({ ...event, isSorted: true, payload: out.take() })
    return this
  }
}
