/**
 * What a Stats Hero line means in the model (§4, §7.1), and back (§7.5, in emit.ts): the border of
 * the two vocabularies. A meter is a counter, a meter reader a cumulative counter, a gauge a gauge,
 * a histogram's line one observation.
 */

import type { Exact, Identity } from '../../model/index.ts'
import { compileGlob } from '../../model/text/glob.ts'
import type { Describe, Description, FormOf, LineIngest, SeriesForm } from '../ingest.ts'
import type { ReceiveOptions } from './options.ts'
import { GAUGE, HISTOGRAM, METER, METER_READER, NAME, TYPE_WORDS, WEIGHT_MAX } from './spec.ts'
import { compileUnits, hasUnits, type Units } from './units.ts'

type MapOptions = Pick<ReceiveOptions, 'counterBits' | 'maxKeyBytes' | 'negativeMeter' | 'units'>

/** Decoder that keeps a byte order mark: it is part of the key. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

export { cellLines, type EmitMapping, emitKey } from './emit.ts'

/** The receiving half as a line visitor: every line becomes one operation of the ingest. */
export class LineMapper {
  readonly #ingest: LineIngest
  readonly #keyBytesMax: number
  readonly #refusesNegatives: boolean
  readonly #describe: Describe

  constructor(ingest: LineIngest, options: MapOptions) {
    this.#ingest = ingest
    this.#keyBytesMax = options.maxKeyBytes
    this.#refusesNegatives = options.negativeMeter === 'refuse'
    this.#describe = describeWith(options)
  }

  line(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    hash: number,
    type: number,
    value: number,
    rate: number,
  ): void {
    this.#apply(bytes, keyStart, keyEnd, hash, type, value, rate)
  }

  largeLine(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    hash: number,
    type: number,
    valueStart: number,
    valueEnd: number,
    rate: number,
  ): void {
    const value = BigInt(decoder.decode(bytes.subarray(valueStart, valueEnd)))
    this.#apply(bytes, keyStart, keyEnd, hash, type, value, rate)
  }

  /** Takes a value of a series that has been found, stated for itself alone. */
  known(slot: number, type: number, value: number): void {
    const ingest = this.#ingest
    if (type === METER) ingest.count(slot, value, 1)
    else if (type === HISTOGRAM) ingest.observe(slot, value, 1)
    else if (type === GAUGE) ingest.set(slot, value)
    else ingest.read(slot, value)
  }

  #apply(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    hash: number,
    type: number,
    value: Exact,
    rate: number,
  ): void {
    const ingest = this.#ingest
    if (keyEnd - keyStart > this.#keyBytesMax) {
      ingest.refuse('key_too_long')
    } else if (type === METER_READER && value < 0) {
      ingest.refuse('negative_reading')
    } else if (type === METER && value < 0 && this.#refusesNegatives) {
      ingest.refuse('negative_meter')
    } else {
      const slot = ingest.slot(bytes, keyStart, keyEnd, type, hash, this.#describe)
      if (type === METER) ingest.count(slot, value, this.#weight(rate))
      else if (type === HISTOGRAM) ingest.observe(slot, value, this.#weight(rate))
      else if (type === GAUGE) ingest.set(slot, value)
      else ingest.read(slot, value)
    }
  }

  /**
   * Computes how many lines a line stands for (§4.5); a rate that makes no sense counts as none.
   */
  #weight(rate: number): number {
    if (Number.isNaN(rate) || rate === 1) return 1
    const weight = 1 / rate
    if (rate > 0 && rate <= 1 && weight <= WEIGHT_MAX) return weight
    this.#ingest.note('odd_sample_rate')
    return 1
  }
}

/** Names series from their keys; the type word is part of what a series is. */
function describeWith(options: Pick<MapOptions, 'counterBits' | 'units'>): Describe {
  const widths = Object.entries(options.counterBits).map(
    ([pattern, bits]) => [compileGlob(pattern), bits] as const,
  )
  const units = compileUnits(options.units)
  const formOf = formsWith(options.units, units)
  const withRules = (key: Uint8Array, type: number): Description => {
    const description = withUnit(describe(key, type), type, units)
    if (type !== METER_READER) return description
    const width = widths.find(([pattern]) => pattern(description.identity.name))
    return width === undefined ? description : { ...description, counterBits: width[1] }
  }
  return Object.assign(withRules, {
    // widths are found by the name as text
    formOf: widths.length === 0 ? formOf : withoutReadings(formOf),
  })
}

const withoutReadings = (formOf: FormOf): FormOf => {
  return (bytes, start, end, type) => {
    return type === METER_READER ? undefined : formOf(bytes, start, end, type)
  }
}

function withUnit(description: Description, type: number, units: Units): Description {
  const unit = units.of(description.identity.name, type)
  return unit === undefined ? description : inUnit(description, unit)
}

function inUnit<D extends Pick<Description, 'metadata'>>(description: D, unit: string): D {
  return { ...description, metadata: { ...description.metadata, unit } }
}

/** Makes the finder of forms: by type, and in the unit that a rule gives a key in ASCII. */
function formsWith(rules: MapOptions['units'], units: Units): FormOf {
  const hasRules = TYPE_WORDS.map((_, type) => hasUnits(rules, type))
  /** Forms by unit: no more than there are rules. */
  const inUnits = FORMS.map(() => new Map<string, SeriesForm>())
  return (bytes, start, end, type) => {
    const form = FORMS[type]
    if (form === undefined || !hasRules[type]) return form
    for (let i = start; i < end; i++) if (!isAscii(bytes[i]!)) return undefined
    const unit = units.ofBytes(bytes, start, end, type)
    if (unit === undefined) return form
    let found = inUnits[type]!.get(unit)
    if (found === undefined) {
      found = inUnit(form, unit)
      inUnits[type]!.set(unit, found)
    }
    return found
  }
}

/** Forms of series by their type. */
const FORMS = TYPE_WORDS.map((word, type): SeriesForm => {
  const metadata = { dialect: NAME, type: word }
  if (type === GAUGE) return { kind: 'gauge', metadata }
  if (type === HISTOGRAM) {
    return { kind: 'histogram', metadata: { ...metadata, exportSuffix: 'hist' } }
  }
  const isCumulative = type === METER_READER
  return { kind: 'counter', qualifier: ['shp.type', word], metadata, isCumulative }
})

function describe(key: Uint8Array, type: number): Description {
  const { kind, qualifier, metadata, isCumulative = false } = FORMS[type]!
  const name = decoder.decode(key)
  const identity: Identity = {
    ...{ name, kind, labels: [] },
    ...(qualifier === undefined ? {} : { qualifier }),
    ...(isUtf8Of(key, name) ? {} : { nameBytes: new Uint8Array(key) }),
  }
  return kind === 'counter' ? { identity, metadata, isCumulative } : { identity, metadata }
}

function isAscii(byte: number): boolean {
  return byte < 0x80
}

function isUtf8Of(key: Uint8Array, name: string): boolean {
  if (key.every(isAscii)) return true
  const bytes = encoder.encode(name)
  return bytes.length === key.length && bytes.every((byte, i) => byte === key[i])
}
