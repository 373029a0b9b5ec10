/**
 * A cursor over the lines of text 0.0.4 and of OpenMetrics:
 *
 *   # HELP name text
 *   # TYPE name counter
 *   # UNIT name seconds
 *   name{label="value"} value [time] [# {label="value"} value [time]]
 *   # EOF
 *
 * Times are milliseconds in the former, seconds in the latter, which alone has UNIT, exemplars and
 * EOF. Bytes are read where they lie: of a line whose series is known only key and value are made.
 */
import type { Exact } from '../../../model/index.ts'
import {
  HELP_LENGTH_LIMIT,
  type MetricType,
  NAME_LENGTH_LIMIT,
  type SampleErrorCode,
  SERIES_BYTES_LIMIT,
  TYPES,
} from '../spec.ts'
import { Families, hasEnding, makeFamily } from './families.ts'
import { readHelp, readLabels, readSeries } from './labels.ts'
import { readNumber, readTime } from './numbers.ts'
import type { Exemplar, Family, SampleScan, SeriesText } from './sample.ts'

const LINE_FEED = 0x0a
const SPACE = 0x20
const TAB = 0x09
const QUOTE = 0x22
const HASH = 0x23
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d
const ZERO = 0x30
/** Digits of an integer that is a double whatever they are. */
const SAFE_DIGITS = 15
const METADATA = /^#[ \t]+(HELP|TYPE|UNIT)[ \t]+("(?:[^"\\]|\\.)*"|[^ \t]+)(?:[ \t]+(.*))?$/s
const EXEMPLAR = String.raw`[ \t]*#[ \t]*(\{.*\})[ \t]+([^ \t]+)(?:[ \t]+([^ \t]+))?`
const REST = new RegExp(`^([^ \\t]+)(?:[ \\t]+([^ \\t#]+))?(?:${EXEMPLAR})?[ \\t]*$`)
const METADATA_BYTES_LIMIT = 65_536
/** Characters that the labels of an exemplar may have, by OpenMetrics. */
const EXEMPLAR_LENGTH_LIMIT = 128

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
const latin1 = new TextDecoder('latin1')
const ascii = new TextEncoder()

export class TextScan implements SampleScan {
  problem: SampleErrorCode | undefined
  from = 0
  to = 0
  family: Family = makeFamily('')
  value: Exact = 0
  timeMs = Number.NaN
  readonly createdMs = Number.NaN
  exemplar: Exemplar | undefined
  readonly histogram = undefined
  failure: 'cut_off' | undefined
  readonly #bytes: Uint8Array
  readonly #isOpenMetrics: boolean
  readonly #families = new Families()
  /** Name of the current family as bytes. */
  #familyName = new Uint8Array(0)
  #at = 0
  #seriesEnd = 0
  #nameEnd = 0
  #hasEnd = false

  constructor(bytes: Uint8Array, isOpenMetrics: boolean) {
    this.#bytes = bytes
    this.#isOpenMetrics = isOpenMetrics
  }

  next(): boolean {
    const bytes = this.#bytes
    this.problem = undefined
    while (this.#at < bytes.length && !this.#hasEnd) {
      const end = bytes.indexOf(LINE_FEED, this.#at)
      if (end < 0) {
        this.failure = 'cut_off'
        this.#at = bytes.length
        return false
      }
      this.from = this.#skipSpace(this.#at, end)
      this.to = end
      this.#at = end + 1
      if (this.from === end) continue
      if (bytes[this.from] === HASH) {
        this.problem = this.#readComment()
        if (this.problem === undefined) continue
        return true
      }
      this.problem = this.#readSample()
      return true
    }
    if (this.#isOpenMetrics && !this.#hasEnd) this.failure = 'cut_off'
    return false
  }

  #skipSpace(from: number, end: number): number {
    let at = from
    while (at < end && (this.#bytes[at] === SPACE || this.#bytes[at] === TAB)) at++
    return at
  }

  /** Reads a line of metadata; any other comment is none. */
  #readComment(): SampleErrorCode | undefined {
    const bytes = this.#bytes
    // the letters that metadata begins with: HELP, TYPE, UNIT, EOF
    const first = bytes[this.#skipSpace(this.from + 1, this.to)] ?? 0
    if (first !== 0x48 && first !== 0x54 && first !== 0x55 && first !== 0x45) return undefined
    if (this.to - this.from > METADATA_BYTES_LIMIT) return 'bad_metadata'
    const line = decoded(bytes, this.from, this.to)
    if (line === undefined) return 'bad_metadata'
    if (/^# EOF\s*$/.test(line)) {
      this.#hasEnd = this.#isOpenMetrics
      return undefined
    }
    const [, word, nameText, text = ''] = METADATA.exec(line) ?? []
    if (nameText === undefined) return undefined
    const name = nameOf(nameText)
    if (name === undefined) return 'bad_metadata'
    const family = this.#families.named(name)
    this.#enter(family)
    if (word === 'HELP') family.help = readHelp(text).slice(0, HELP_LENGTH_LIMIT)
    else if (word === 'TYPE') return this.#takeType(family, text.trim())
    else return this.#takeUnit(family, text.trim())
    return undefined
  }

  #takeUnit(family: Family, text: string): SampleErrorCode | undefined {
    if (/\s/.test(text) || text.length > NAME_LENGTH_LIMIT) return 'bad_metadata'
    family.unit = text
    return undefined
  }

  #takeType(family: Family, text: string): SampleErrorCode | undefined {
    const type = text === 'untyped' ? 'unknown' : text
    if (!(TYPES as readonly string[]).includes(type)) return 'bad_metadata'
    family.type = type as MetricType
    return undefined
  }

  #enter(family: Family): void {
    if (this.family === family) return
    this.family = family
    this.#familyName = ascii.encode(family.name)
  }

  #readSample(): SampleErrorCode | undefined {
    this.timeMs = Number.NaN
    this.exemplar = undefined
    this.#seriesEnd = this.#endOfSeries()
    if (this.#seriesEnd < 0) return 'bad_line'
    if (this.#seriesEnd - this.from > SERIES_BYTES_LIMIT) return 'labels_limit'
    if (!this.#isOfFamily()) {
      const series = this.series()
      if (typeof series === 'string') return series
      this.#enter(this.#families.ofSample(series.name))
    }
    const at = this.#skipSpace(this.#seriesEnd, this.to)
    return this.#readInteger(at) ? undefined : this.#readRest(at)
  }

  /** Finds the end of name and labels; -1 for none. */
  #endOfSeries(): number {
    const bytes = this.#bytes
    let at = this.from
    for (; at < this.to; at++) {
      const byte = bytes[at]!
      if (byte === OPEN || byte === SPACE || byte === TAB) break
    }
    this.#nameEnd = at
    const open = this.#skipSpace(at, this.to)
    if (bytes[open] !== OPEN || open === this.to) return at < this.to ? at : -1
    let isQuoted = false
    for (at = open + 1; at < this.to; at++) {
      const byte = bytes[at]!
      if (byte === BACKSLASH && isQuoted) at++
      else if (byte === QUOTE) isQuoted = !isQuoted
      else if (byte === CLOSE && !isQuoted) return at + 1
    }
    return -1
  }

  /** Tells whether the name of the sample is one of the family's; false where that is not plain. */
  #isOfFamily(): boolean {
    const name = this.#familyName
    const size = this.#nameEnd - this.from
    if (name.length === 0 || size < name.length) return false
    for (let i = 0; i < name.length; i++) if (this.#bytes[this.from + i] !== name[i]) return false
    if (size === name.length) return true
    if (size - name.length > 8) return false
    const ending = latin1.decode(this.#bytes.subarray(this.from + name.length, this.#nameEnd))
    return hasEnding(this.family.type, ending)
  }

  /** Reads a value that is a short integer, with nothing behind it. */
  #readInteger(from: number): boolean {
    const size = this.to - from
    if (size === 0 || size > SAFE_DIGITS) return false
    let value = 0
    for (let at = from; at < this.to; at++) {
      const digit = this.#bytes[at]! - ZERO
      if (digit < 0 || digit > 9) return false
      value = value * 10 + digit
    }
    this.value = value
    return true
  }

  #readRest(from: number): SampleErrorCode | undefined {
    if (this.to - from > SERIES_BYTES_LIMIT) return 'bad_line'
    const text = decoded(this.#bytes, from, this.to)
    const [, value, time, labels, ...exemplar] = REST.exec(text ?? '') ?? []
    if (value === undefined) return 'bad_line'
    const number = readNumber(value)
    if (number === undefined) return 'bad_value'
    this.value = number
    const timeMs = time === undefined ? Number.NaN : readTime(time, this.#isOpenMetrics)
    if (timeMs === undefined) return 'bad_time'
    this.timeMs = timeMs
    if (labels === undefined) return undefined
    if (!this.#isOpenMetrics) return 'bad_line'
    this.exemplar = readExemplar(labels, exemplar[0]!, exemplar[1])
    return this.exemplar === undefined ? 'bad_exemplar' : undefined
  }

  key(): string {
    return latin1.decode(this.#bytes.subarray(this.from, this.#seriesEnd))
  }

  series(): SeriesText | SampleErrorCode {
    const text = decoded(this.#bytes, this.from, this.#seriesEnd)
    return text === undefined ? 'bad_labels' : readSeries(text)
  }
}

function nameOf(text: string): string | undefined {
  const series = readSeries(text.startsWith('"') ? `{${text}}` : text)
  return typeof series === 'string' ? undefined : series.name
}

function readExemplar(labels: string, valueText: string, time?: string): Exemplar | undefined {
  const read = readLabels(labels)
  const value = readNumber(valueText)
  const timeMs = time === undefined ? undefined : readTime(time, true)
  if (typeof read === 'string' || read.name !== undefined || value === undefined) return undefined
  if (time !== undefined && timeMs === undefined) return undefined
  let length = 0
  for (const pair of read.pairs) for (const part of pair) length += part.length
  if (length > EXEMPLAR_LENGTH_LIMIT) return undefined
  const of = { labels: read.pairs, value: Number(value) }
  return timeMs === undefined ? of : { ...of, timeMs }
}

/** Reads UTF-8; undefined for bytes that are none. */
function decoded(bytes: Uint8Array, from: number, to: number): string | undefined {
  try {
    return utf8.decode(bytes.subarray(from, to))
  } catch {
    return undefined // no UTF-8
  }
}
