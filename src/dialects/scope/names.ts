/**
 * Series names on the wire. The protocol knows a metric by its name alone, so labels are folded in:
 * `base{key:value,key2:value2}`, keys in UTF-8 byte order. No folded part contains `=`: the
 * original viewer cuts the keys of its options at the first one.
 */
import { compareUtf8, type Labels } from '../../model/index.ts'

/** A wire name taken apart. */
interface SplitName {
  readonly base: string
  readonly labels: Labels
}

/**
 * Characters of keys and values that are written as %XX of their UTF-8 bytes: these and control
 * characters.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
const SPECIAL = /[%{}:,=\u0000-\u001f\u007f-\u009f]/g

/**
 * Folds labels, in any order, into a name; lone surrogates become U+FFFD, as they would on the
 * wire.
 */
export function foldName(base: string, labels: Labels): string {
  const head = escapeBase(base.toWellFormed())
  if (labels.length === 0) return head
  const pairs = labels
    .map(([key, value]) => [key.toWellFormed(), value.toWellFormed()] as const)
    .sort((a, b) => compareUtf8(a[0], b[0]))
    .map(([key, value]) => `${escapeText(key)}:${escapeText(value)}`)
  return `${head}{${pairs.join(',')}}`
}

/**
 * Escapes a base name: `{` becomes %7B, and a `%` that would then read as one of the two escapes
 * becomes %25; nothing else changes (`i%100` stays).
 */
function escapeBase(base: string): string {
  return base.replace(/\{|%(?=7B|25)/g, (found) => (found === '{' ? '%7B' : '%25'))
}

function unescapeBase(text: string): string {
  return text.replace(/%7B|%25/g, (found) => (found === '%7B' ? '{' : '%'))
}

function escapeText(text: string): string {
  return text.replace(SPECIAL, percentEncode)
}

/**
 * Writes upper-case hex; every special and control character is one that encodeURIComponent writes
 * so.
 */
function percentEncode(character: string): string {
  return encodeURIComponent(character)
}

/** Unfolds a name, the inverse of foldName; undefined for one that foldName never makes. */
export function unfoldName(wireName: string): SplitName | undefined {
  const open = wireName.indexOf('{')
  if (open < 0) return confirm(wireName, unescapeBase(wireName), [])
  if (!wireName.endsWith('}')) return undefined
  const labels: [string, string][] = []
  for (const pair of wireName.slice(open + 1, -1).split(',')) {
    const parts = pair.split(':')
    const key = unescapeText(parts[0]!)
    const value = unescapeText(parts[1])
    if (parts.length !== 2 || key === undefined || value === undefined) return undefined
    labels.push([key, value])
  }
  return confirm(wireName, unescapeBase(wireName.slice(0, open)), labels)
}

/** Accepts a split only if it folds back to the same name; so no two names unfold to one. */
function confirm(wireName: string, base: string, labels: Labels): SplitName | undefined {
  return foldName(base, labels) === wireName ? { base, labels } : undefined
}

function unescapeText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Takes a name apart if every folded pair is, equal, among the labels that Info gives for the name;
 * otherwise the name is a base of its own.
 */
export function splitName(wireName: string, labels: ReadonlyMap<string, string>): SplitName {
  const split = unfoldName(wireName)
  const isConfirmed = split?.labels.every(([key, value]) => labels.get(key) === value)
  return split !== undefined && isConfirmed ? split : { base: wireName, labels: [] }
}
