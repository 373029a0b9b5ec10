/**
 * Finds where documents end in a stream of JSON objects, before any of it is parsed: objects follow
 * each other with or without white space between. Byte by byte, so that cuts are no matter; bytes
 * of UTF-8 sequences are never mistaken for marks, as they are all above 0x7f.
 */
import { NESTING_LIMIT } from '../spec.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OBJECT = 0x7b
const OBJECT_END = 0x7d
const LIST = 0x5b
const LIST_END = 0x5d

/** End of a scan. */
export type ScanStop = 'end' | 'malformed' | 'more'

export class DocumentScan {
  #depth = 0
  #isInText = false
  #isEscaped = false
  /**
   * Start of the document of the last scan, or where it went on; -1 when there was only white
   * space.
   */
  from = -1
  /** Place where the last scan stopped. */
  at = 0

  /** Whether nothing but white space has come since the last document. */
  get isBetween(): boolean {
    return this.#depth === 0
  }

  /**
   * Goes on from `start`. After `end` and `malformed`, `at` is the byte that makes it so.
   */
  scan(bytes: Uint8Array, start: number): ScanStop {
    this.from = this.isBetween ? -1 : start
    for (let at = start; at < bytes.length; at++) {
      const stop = this.#step(bytes[at]!)
      if (this.from === -1 && this.#depth > 0) this.from = at
      if (stop === 'more') continue
      this.at = at
      return stop
    }
    this.at = bytes.length
    return 'more'
  }

  #step(byte: number): ScanStop {
    if (this.#isInText) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) this.#isInText = false
      return 'more'
    }
    if (this.#depth === 0 && byte !== OBJECT) return isSpace(byte) ? 'more' : 'malformed'
    if (byte === QUOTE) this.#isInText = true
    else if (byte === OBJECT || byte === LIST) {
      if (++this.#depth > NESTING_LIMIT) return 'malformed'
    } else if (byte === OBJECT_END || byte === LIST_END) {
      if (--this.#depth === 0) return 'end'
    }
    return 'more'
  }
}

/** Tells whether a byte is a space, tab, line feed or carriage return. */
function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
}

const COMMA = 0x2c
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Finds where the members of a well-formed document begin; of a repeated name, the last. */
export function memberOffsets(document: Uint8Array): Map<string, number> {
  const offsets = new Map<string, number>()
  let depth = 0
  let isKeyNext = false
  for (let at = 0; at < document.length; at++) {
    const byte = document[at]!
    if (byte === QUOTE) {
      const end = textEnd(document, at)
      if (isKeyNext) offsets.set(JSON.parse(decoder.decode(document.subarray(at, end))), at)
      isKeyNext = false
      at = end - 1
    } else if (byte === OBJECT || byte === LIST) isKeyNext = ++depth === 1
    else if (byte === OBJECT_END || byte === LIST_END) depth--
    else if (byte === COMMA) isKeyNext = depth === 1
  }
  return offsets
}

/** Finds the place behind the closing quote of the text that begins at `start`. */
function textEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at + 1
}
