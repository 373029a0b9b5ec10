/**
 * Names and labels of the text formats, as they stand in front of a value:
 *
 *   name  name{label="value",…}  {"name",label="value","quoted label"="value"}
 *
 * Quoted names are those of text 1.0.0 and OpenMetrics with `escaping=allow-utf-8`. In quotes a
 * backslash stands before a backslash, a quote, or an n that is a line feed.
 */
import { LABELS_LIMIT, NAME_LABEL, NAME_LENGTH_LIMIT, type SampleErrorCode } from '../spec.ts'
import type { Pairs, SeriesText } from './sample.ts'

const NAME_TEXT = /^[A-Za-z_:][A-Za-z0-9_:]*$/
const LABEL_TEXT = /^[A-Za-z_][A-Za-z0-9_]*$/
const SPACE = /[ \t]/

/** Reads all of a text. */
export function readSeries(text: string): SeriesText | SampleErrorCode {
  const open = text.indexOf('{')
  const name = (open < 0 ? text : text.slice(0, open)).replace(/[ \t]+$/, '')
  if (name !== '' && !NAME_TEXT.test(name)) return 'bad_name'
  if (open < 0) return named(name, [])
  const read = readLabels(text.slice(open))
  if (typeof read === 'string') return read
  if (name !== '' && read.name !== undefined) return 'bad_name'
  return named(name === '' ? (read.name ?? '') : name, read.pairs)
}

function named(name: string, pairs: Pairs): SeriesText | SampleErrorCode {
  if (name === '' || name.length > NAME_LENGTH_LIMIT) return 'bad_name'
  // an empty value is the same as no label
  return { name, labels: pairs.filter(([, value]) => value !== '') }
}

interface ReadLabels {
  /** Quoted name that stands among the labels. */
  readonly name?: string
  readonly pairs: Pairs
}

/** Reads `{…}`. */
export function readLabels(text: string): ReadLabels | SampleErrorCode {
  const cursor = new Cursor(text)
  const pairs: [string, string][] = []
  const keys = new Set<string>([NAME_LABEL])
  let name: string | undefined
  if (!cursor.take('{')) return 'bad_labels'
  while (!cursor.take('}')) {
    const isQuoted = cursor.isAt('"')
    const key = isQuoted ? cursor.quoted() : cursor.word()
    if (key === undefined || key === '' || key.length > NAME_LENGTH_LIMIT) return 'bad_labels'
    if (cursor.take('=')) {
      const value = cursor.quoted()
      if (value === undefined || keys.has(key)) return 'bad_labels'
      if (!isQuoted && !LABEL_TEXT.test(key)) return 'bad_labels'
      if (pairs.length === LABELS_LIMIT) return 'labels_limit'
      keys.add(key)
      pairs.push([key, value])
    } else if (isQuoted && name === undefined) name = key
    else return 'bad_labels'
    if (!cursor.take(',') && !cursor.isAt('}')) return 'bad_labels'
  }
  if (!cursor.isAtEnd) return 'bad_labels'
  return name === undefined ? { pairs } : { name, pairs }
}

class Cursor {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    this.#skipSpace()
    return this.#at === this.#text.length
  }

  isAt(character: string): boolean {
    this.#skipSpace()
    return this.#text[this.#at] === character
  }

  take(character: string): boolean {
    const isThere = this.isAt(character)
    if (isThere) this.#at++
    return isThere
  }

  word(): string {
    this.#skipSpace()
    const from = this.#at
    while (/\w/.test(this.#text[this.#at] ?? '')) this.#at++
    return this.#text.slice(from, this.#at)
  }

  /** Reads a text in quotes; undefined where there is none. */
  quoted(): string | undefined {
    if (!this.take('"')) return undefined
    let text = ''
    for (let from = this.#at; ; this.#at++) {
      const character = this.#text[this.#at]
      if (character === undefined) return undefined
      if (character === '"') {
        text += this.#text.slice(from, this.#at++)
        return text
      }
      if (character !== '\\') continue
      text += this.#text.slice(from, this.#at++)
      const escaped = this.#text[this.#at]
      // a backslash before anything else stays, as Prometheus reads it
      if (escaped === 'n') text += '\n'
      else if (escaped === '"' || escaped === '\\') text += escaped
      else text += `\\${escaped ?? ''}`
      from = this.#at + 1
    }
  }

  #skipSpace(): void {
    while (SPACE.test(this.#text[this.#at] ?? '')) this.#at++
  }
}

/** Reads what stands behind HELP: a quote is escaped in OpenMetrics alone. */
export function readHelp(text: string): string {
  return text.replace(/\\([\\n"])/g, (_, character: string) => {
    return character === 'n' ? '\n' : character
  })
}

export function writeHelp(text: string): string {
  return text.replace(/[\\\n"]/g, escaped)
}

/** Writes a name, in quotes where it has to be. */
export function writeName(name: string): string {
  return NAME_TEXT.test(name) ? name : writeQuoted(name)
}

/** Writes name and labels as they stand in front of a value. */
export function writeSeries({ name, labels }: SeriesText): string {
  const isPlain = NAME_TEXT.test(name)
  const parts = isPlain ? [] : [writeQuoted(name)]
  for (const [key, value] of labels) {
    parts.push(`${LABEL_TEXT.test(key) ? key : writeQuoted(key)}=${writeQuoted(value)}`)
  }
  return (isPlain ? name : '') + (parts.length === 0 ? '' : `{${parts.join(',')}}`)
}

function writeQuoted(text: string): string {
  return `"${text.replace(/[\\\n"]/g, escaped)}"`
}

function escaped(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`
}
