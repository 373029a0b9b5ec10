/**
 * Instruments that a process tells of (§9): their tags and those of their meters come once, when a
 * session begins or an instrument is made, and belong to each of its values.
 */
import type { NetTraceEvent } from '../../codec/event.ts'
import { METRICS_PROVIDER } from '../../codec/layouts.ts'
import { type Instrument, instrumentOf } from '../../map.ts'
import type { Payload } from '../../spec.ts'

/** Instruments that are remembered; values of further ones have the tags of their own alone. */
const INSTRUMENTS_LIMIT = 65_536
/** Characters of all their texts together. */
const TEXT_LIMIT = 16 * 1024 * 1024
const BEGIN = 'BeginInstrumentReporting'
const END = 'EndInstrumentReporting'

export class Instruments {
  readonly #known = new Map<string, Instrument>()
  #length = 0

  /** Takes note of an instrument that begins or ends; leaves alone all other events. */
  take({ metadata, payload }: NetTraceEvent): void {
    if (metadata.provider !== METRICS_PROVIDER || payload === undefined) return
    if (metadata.name === END) this.#forget(keyOf(payload))
    else if (metadata.name === BEGIN) this.#remember(keyOf(payload), instrumentOf(payload))
  }

  /** Finds the instrument that an event has a value of. */
  of({ metadata, payload }: NetTraceEvent): Instrument | undefined {
    if (metadata.provider !== METRICS_PROVIDER || payload === undefined) return undefined
    return this.#known.get(keyOf(payload))
  }

  #remember(key: string, instrument: Instrument): void {
    this.#forget(key)
    const length = lengthOf(key, instrument)
    if (this.#known.size >= INSTRUMENTS_LIMIT || this.#length + length > TEXT_LIMIT) return
    this.#known.set(key, instrument)
    this.#length += length
  }

  #forget(key: string): void {
    const known = this.#known.get(key)
    if (known === undefined) return
    this.#known.delete(key)
    this.#length -= lengthOf(key, known)
  }
}

/** Makes a key: the number of the instrument, or its names for a runtime before 9 without any. */
function keyOf({ instrumentId, meterName, meterVersion, instrumentName }: Payload): string {
  if (typeof instrumentId === 'number') return String(instrumentId)
  return [meterName, meterVersion, instrumentName].join('\0')
}

function lengthOf(key: string, { description, meterTags, instrumentTags }: Instrument): number {
  const tags = [...meterTags, ...instrumentTags]
  return (
    tags.reduce((sum, [name, value]) => sum + name.length + value.length, key.length) +
    description.length
  )
}
