/**
 * Names of the families that very many series have: of a counter, a gauge or a histogram of a
 * dialect without rules of its own, in ASCII, without labels but for the qualifier. They are
 * written as bytes, without garbage; what they become is the same as by names.ts.
 */
import { cleanLabels } from '../../../../exposition/names.ts'
import { labelText } from '../../../../exposition/text.ts'
import type { SeriesRecord } from '../../../../hub/series/record.ts'
import type { Identity, Kind } from '../../../../model/index.ts'
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
  readonly key: string
  readonly value: string
  readonly bytes: Uint8Array
}

const NO_LABELS = new Uint8Array(0)
const QUALIFIERS_HELD = 64

export class PlainNames {
  /** The name read last: of a counter without `_total`. */
  readonly bytes = new Uint8Array(2 * LENGTH_LIMIT)
  length = 0
  type: Kind = 'gauge'
  #identity: Identity | undefined
  /** Number of the suffix that the name was given by its dialect; 0 for none. */
  suffix = 0
  readonly #suffixes: string[]
  readonly #options: LayoutOptions
  /** Whether series of a dialect may be plain. */
  readonly #dialects = new Map<string, boolean>()
  /** Labels by kind, key and value of the qualifier. */
  readonly #labels = new Map<string, QualifierLabels>()
  #lastLabels: QualifierLabels | undefined

  /** @param suffixes those of all names of a catalog, by their numbers; it grows */
  constructor(options: LayoutOptions, suffixes: string[]) {
    this.#options = options
    this.#suffixes = suffixes
  }

  /** Reads the name of the family that a series wants; false where it is not plain. */
  read({ identity, metadata }: SeriesRecord): boolean {
    this.#identity = identity
    const { kind, name, nameBytes, labels } = identity
    const { dialect, unit, description, exportSuffix } = metadata
    if (unit !== undefined || description !== undefined || nameBytes !== undefined) return false
    if (labels.length > 0 || !this.#isPlainKind(kind) || !this.#isPlainDialect(dialect))
      return false
    this.length = 0
    this.suffix = 0
    if (!this.#readName(name)) return false
    if (exportSuffix !== undefined && !this.#readSuffix(exportSuffix)) return false
    return kind !== 'counter' || !this.#endsWithTotal()
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

  #readName(name: string): boolean {
    const { bytes } = this
    const { length } = name
    if (length === 0 || length > LENGTH_LIMIT) return false
    const isUtf8 = this.#options.style === 'utf8'
    const first = name.charCodeAt(0)
    const isDigit = first >= ZERO && first <= NINE
    if (isDigit && isUtf8) return false
    if (isDigit) bytes[this.length++] = UNDERSCORE
    for (let i = 0; i < length; i++) {
      const code = name.charCodeAt(i)
      const clean = code < 128 ? CLEANED[code]! : 0
      if (clean === 0 || (isUtf8 && clean !== code)) return false
      bytes[this.length++] = clean
    }
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

  /** Gives the name that the series was sent under. */
  get raw(): string {
    return this.#identity!.name
  }

  /** Gives `{key="value"}` of the series; nothing where it has no qualifier. */
  get labels(): Uint8Array {
    const { qualifier, kind } = this.#identity!
    if (qualifier === undefined) return NO_LABELS
    const last = this.#lastLabels
    const [key, value] = qualifier
    if (last?.key === key && last.value === value && last.kind === kind) return last.bytes
    const held = this.#labels.get(`${kind} ${key} ${value}`) ?? this.#makeLabels(this.#identity!)
    this.#lastLabels = held
    return held.bytes
  }

  #makeLabels({ qualifier, kind }: Identity): QualifierLabels {
    const [key, value] = qualifier!
    const text = labelText(cleanLabels([qualifier!], kind, this.#options.style))
    const made = { kind, key, value, bytes: text === '' ? NO_LABELS : Buffer.from(`{${text}}`) }
    // words of dialects; of anything else there may be too many
    if (this.#labels.size < QUALIFIERS_HELD) this.#labels.set(`${kind} ${key} ${value}`, made)
    return made
  }
}
