/**
 * Metadata text: `k=v,k=v` (document) or `k:v,k:v` (peer), without any escaping
 * (eventcounters.md §4.7); pure. Reading is linear in the text's length.
 */
import type { Profile } from '../../decoder.ts'
import { LIMITS, UNITS_KEY } from '../spec.ts'
import type { MetaData } from '../window.ts'

function separatorOf(profile: Profile): '=' | ':' {
  return profile === 'document' ? '=' : ':'
}

/**
 * Writes the metadata text. The document's spelling carries the unit as its last pair, the peer's
 * in a field of its own.
 */
export function buildMetaData(pairs: MetaData, units: string, profile: Profile): string {
  const separator = separatorOf(profile)
  const texts = pairs.map(([key, value]) => `${key}${separator}${value}`)
  if (profile === 'document' && units !== '') texts.push(`${UNITS_KEY}${separator}${units}`)
  return texts.join(',')
}

/**
 * Gives the pair as a counter takes it; a null value is the empty text.
 * @param pairs the counter's so far
 * @throws {TypeError} for a key or value that is no text, or that this profile refuses
 * @throws {RangeError} for a text beyond the limits
 */
export function checkPair(
  pairs: MetaData,
  key: string,
  value: string | null | undefined,
  profile: Profile,
): readonly [key: string, value: string] {
  const text = value ?? ''
  if (typeof key !== 'string') throw new TypeError('a metadata key is a text')
  if (typeof text !== 'string') throw new TypeError(`the value of metadata key ${key} is no text`)
  if (pairs.some(([known]) => known === key)) throw new TypeError(`metadata key ${key} repeated`)
  if (profile === 'document') checkSayable(key, text)
  checkText('metadata key', key)
  checkText(`value of metadata key ${key}`, text)
  const pair = [key, text] as const
  const size = encoder.encode(buildMetaData([...pairs, pair], '', profile)).length
  if (size <= LIMITS.metaDataBytes) return pair
  throw new RangeError(`metadata of ${size} bytes, limit ${LIMITS.metaDataBytes}`)
}

const encoder = new TextEncoder()

/** Refuses what the document's spelling could not give back, and the key that it needs itself. */
function checkSayable(key: string, value: string): void {
  if (key === '') throw new TypeError('empty metadata key')
  if (key === UNITS_KEY) throw new TypeError(`metadata key ${UNITS_KEY} is reserved for the unit`)
  if (/[,=:]/.test(key)) throw new TypeError(`"," "=" or ":" in metadata key ${key}`)
  if (/[,=]/.test(value)) throw new TypeError(`"," or "=" in the value of metadata key ${key}`)
}

/** Replacement for what can't be spelled, and for a text that would be empty. */
export const PLACEHOLDER = '_'

/**
 * Rewrites a value of any origin as both spellings give it back: a comma is fine as long as no
 * piece behind it looks like a pair of its own, since readers join the pieces again; else it
 * becomes `_`.
 */
export function sayableValue(value: string): string {
  const comma = value.indexOf(',')
  const isAmbiguous = comma >= 0 && /[=:]/.test(value.slice(comma))
  return isAmbiguous ? value.replaceAll(',', PLACEHOLDER) : value
}

/** @throws {RangeError} for a name, unit, key or value that is too long or holds U+0000 (§2) */
export function checkText(what: string, text: string): void {
  const { textUnits } = LIMITS
  if (text.length > textUnits) throw new RangeError(`${what} of ${text.length}, limit ${textUnits}`)
  if (text.includes('\0')) throw new RangeError(`${what} holds U+0000`)
}

/** Tells whether {@link checkText} lets a text pass. */
export function isTextSayable(text: string): boolean {
  return text.length <= LIMITS.textUnits && !text.includes('\0')
}

interface ParsedMetaData {
  /** Pairs in the order of their keys' first occurrence. */
  readonly pairs: MetaData
  /** Units; undefined where the text states none. */
  readonly units: string | undefined
  /** Pieces that are lost: without a key, too long, with U+0000, or their key comes again. */
  readonly malformed: number
}

const NOTHING: ParsedMetaData = { pairs: [], units: undefined, malformed: 0 }

/**
 * Reads a metadata text. Every pair carries its separator, so that a piece without one belongs to
 * the value before it, its comma included.
 */
export function parseMetaData(text: string, profile: Profile): ParsedMetaData {
  if (text === '') return NOTHING
  const found = new Map<string, string>()
  let malformed = 0
  forEachPair(text, separatorOf(profile), (key, value) => {
    const isGood = key !== '' && isTextSayable(key) && isTextSayable(value)
    // of a repeated key the last value stays, and the one before is the lost piece
    if (!isGood || found.has(key)) malformed++
    if (isGood) found.set(key, value)
  })
  const units = profile === 'document' ? found.get(UNITS_KEY) : undefined
  if (units !== undefined) found.delete(UNITS_KEY)
  return { pairs: [...found], units, malformed }
}

/** Visits each pair; pieces at the front that have no separator come as one pair without a key. */
function forEachPair(
  text: string,
  separator: string,
  take: (key: string, value: string) => void,
): void {
  /** Start of the pair in hand, which ends where the next piece with a separator begins. */
  let start = 0
  let split = -1
  let separatorAt = text.indexOf(separator)
  for (let piece = 0, end = 0; piece <= text.length; piece = end + 1) {
    const comma = text.indexOf(',', piece)
    end = comma === -1 ? text.length : comma
    if (separatorAt !== -1 && separatorAt < piece) separatorAt = text.indexOf(separator, piece)
    if (separatorAt === -1 || separatorAt >= end) continue
    if (piece > 0) take(text.slice(start, Math.max(start, split)), text.slice(split + 1, piece - 1))
    start = piece
    split = separatorAt
  }
  take(text.slice(start, Math.max(start, split)), text.slice(split + 1))
}
