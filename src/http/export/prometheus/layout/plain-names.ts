/**
 * Names of the families that very many series have: of a counter, a gauge or a histogram of a
 * dialect without rules of its own, in ASCII, without labels but for the qualifier. They are
 * written as bytes, without garbage; what they become is the same as by names.ts.
 */
import { cleanLabels } from '../../../../exposition/names.ts'
import { labelText } from '../../../../exposition/text.ts'
import { isDecrements, type SeriesRecord } from '../../../../hub/series/record.ts'
import type { SeriesList } from '../../../../hub/view.ts'
import type { Kind } from '../../../../model/index.ts'
import type { LayoutOptions } from './families.ts'

/** Longer names are left to the general way. */
const LENGTH_LIMIT = 256
/** Suffixes of dialects that are told apart. */
const SUFFIXES_LIMIT = 64
const UNDERSCORE = 0x5f
const ZERO = 0x30
const NINE = 0x39
const TOTAL = Buffer.from('_total')

/** Characters in names by their ASCII codes; 0 for those that need an escape in HELP. */
const CLEANED = new Uint8Array(128)
for (let code = 0x20; code < 0x7f; code++) {
  const text = String.fromCharCode(code)
  if (text === '"' || text === '\\') continue
  CLEANED[code] = /[A-Za-z0-9_]/.test(text) ? code : UNDERSCORE
}

interface QualifierLabels {
  readonly kind: Kind
  /** End of the keys of series with this qualifier. */
  readonly end: Uint8Array
  readonly bytes: Uint8Array
}

/** Offsets in keys (identityKey of the model): kind, length of the name, name, flag, texts. */
const NAME_AT = 5
const LENGTH_BYTES = 4
const NO_LABELS = new Uint8Array(0)
const QUALIFIERS_HELD = 64

export class PlainNames {
  /** The name read last: of a counter without `_total`. */
  readonly bytes = new Uint8Array(2 * LENGTH_LIMIT)
  length = 0
  type: Kind = 'gauge'
  /** Series read last, its key, and where in it the qualifier begins. */
  #record: SeriesRecord | undefined
  #key: Uint8Array = NO_LABELS
  #flagAt = 0
  /** Number of the suffix that the name was given by its dialect; 0 for none. */
  suffix = 0
  readonly #suffixes: string[]
  readonly #options: LayoutOptions
  /** Whether series of a dialect may be plain. */
  readonly #dialects = new Map<string, boolean>()
  readonly #series: Pick<SeriesList, 'keyOf'>
  /** Labels by kind and end of the key. */
  readonly #labels = new Map<string, QualifierLabels>()
  #lastLabels: QualifierLabels | undefined

  /** @param suffixes those of all names of a catalog, by their numbers; it grows */
  constructor(series: Pick<SeriesList, 'keyOf'>, options: LayoutOptions, suffixes: string[]) {
    this.#series = series
    this.#options = options
    this.#suffixes = suffixes
  }

  /** Reads the name of the family that a series wants; false where it is not plain. */
  read(record: SeriesRecord): boolean {
    const { kind } = record
    const { dialect, unit, description, displayName, exportSuffix } = record.metadata
    const hasHelp = description !== undefined || displayName !== undefined
    if (unit !== undefined || hasHelp || isDecrements(record)) return false
    if (!this.#isPlainKind(kind) || !this.#isPlainDialect(dialect)) return false
    this.#record = record
    this.#key = this.#series.keyOf(record)
    this.length = 0
    this.suffix = 0
    const length = sizeAt(this.#key, NAME_AT - LENGTH_BYTES)
    this.#flagAt = NAME_AT + length
    if (this.#hasLabels() || !this.#readName(length)) return false
    if (exportSuffix !== undefined && !this.#readSuffix(exportSuffix)) return false
    return kind !== 'counter' || !this.#endsWithTotal()
  }

  /** Tells whether there is more behind the name than a qualifier. */
  #hasLabels(): boolean {
    const key = this.#key
    let at = this.#flagAt + 1
    if (key[this.#flagAt] === 1) {
      at += LENGTH_BYTES + sizeAt(key, at)
      at += LENGTH_BYTES + sizeAt(key, at)
    }
    return at !== key.length
  }

  /** Reads the name; false where it isn't that of a series with this suffix any more. */
  isSame(record: SeriesRecord, suffix: number): boolean {
    return this.read(record) && this.suffix === suffix
  }

  #isPlainKind(kind: Kind): boolean {
    const { observer, exportRates } = this.#options
    this.type = kind === 'histogram' ? observer : kind
    return kind !== 'summary' && !(exportRates && kind === 'counter')
  }

  #isPlainDialect(dialect: string): boolean {
    let isPlain = this.#dialects.get(dialect)
    if (isPlain === undefined) {
      const { prometheus } = this.#options.rulesOf(dialect)
      isPlain = prometheus === undefined && /^[\w.-]+$/.test(dialect)
      this.#dialects.set(dialect, isPlain)
    }
    return isPlain
  }

  #readName(length: number): boolean {
    const { bytes } = this
    const key = this.#key
    if (length === 0 || length > LENGTH_LIMIT) return false
    const isUtf8 = this.#options.style === 'utf8'
    const first = key[NAME_AT]!
    const isDigit = first >= ZERO && first <= NINE
    if (isDigit && isUtf8) return false
    let at = 0
    if (isDigit) bytes[at++] = UNDERSCORE
    for (let i = NAME_AT; i < NAME_AT + length; i++) {
      const code = key[i]!
      const clean = code < 128 ? CLEANED[code]! : 0
      if (clean === 0 || (isUtf8 && clean !== code)) return false
      bytes[at++] = clean
    }
    this.length = at
    return true
  }

  #readSuffix(suffix: string): boolean {
    if (this.length + 1 + suffix.length > this.bytes.length) return false
    this.suffix = this.#suffixes.indexOf(suffix)
    if (this.suffix < 0) {
      if (this.#suffixes.length === SUFFIXES_LIMIT) return false
      this.suffix = this.#suffixes.push(suffix) - 1
    }
    this.bytes[this.length++] = UNDERSCORE
    for (let i = 0; i < suffix.length; i++) {
      const code = suffix.charCodeAt(i)
      if (code >= 128 || CLEANED[code] !== code) return false
      this.bytes[this.length++] = code
    }
    return true
  }

  #endsWithTotal(): boolean {
    const from = this.length - TOTAL.length
    if (from < 0) return false
    for (let i = 0; i < TOTAL.length; i++) if (this.bytes[from + i] !== TOTAL[i]) return false
    return true
  }

  /** Gives the name read last as text. */
  get text(): string {
    return Buffer.from(this.bytes.buffer, 0, this.length).toString('latin1')
  }

  /** Gives the name that the series was sent under, in ASCII. */
  get raw(): Uint8Array {
    return this.#key.subarray(NAME_AT, this.#flagAt)
  }

  /** Gives `{key="value"}` of the series; nothing where it has no qualifier. */
  get labels(): Uint8Array {
    if (this.#key[this.#flagAt] === 0) return NO_LABELS
    const { kind } = this.#record!
    const last = this.#lastLabels
    if (last?.kind === kind && this.#endsWith(last.end)) return last.bytes
    const end = this.#key.subarray(this.#flagAt)
    const name = kind + Buffer.from(end).toString('latin1')
    let held = this.#labels.get(name)
    if (held === undefined) {
      held = this.#makeLabels(end)
      // words of dialects; of anything else there may be too many
      if (this.#labels.size < QUALIFIERS_HELD) this.#labels.set(name, held)
    }
    this.#lastLabels = held
    return held.bytes
  }

  #endsWith(end: Uint8Array): boolean {
    const key = this.#key
    const from = this.#flagAt
    if (key.length - from !== end.length) return false
    for (let i = 0; i < end.length; i++) if (key[from + i] !== end[i]) return false
    return true
  }

  #makeLabels(end: Uint8Array): QualifierLabels {
    const { qualifier, kind } = this.#record!.identity
    const labels = qualifier === undefined ? [] : [qualifier]
    const text = labelText(cleanLabels(labels, kind, this.#options.style))
    return { kind, end, bytes: text === '' ? NO_LABELS : Buffer.from(`{${text}}`) }
  }
}

function sizeAt(key: Uint8Array, at: number): number {
  return (key[at]! | (key[at + 1]! << 8) | (key[at + 2]! << 16) | (key[at + 3]! << 24)) >>> 0
}
