/**
 * Names and label keys that the text formats write without quotes; pure.
 */
import type { Kind, Labels } from '../model/index.ts'

/** `utf8` keeps names and label keys as they are, for scrapers that negotiate it. */
export type NameStyle = 'legacy' | 'utf8'

/** Part of a dialect's rules for names. */
interface CleaningRule {
  /** Colons are legal in names; most dialects leave them to recording rules all the same. */
  readonly keepsColons?: boolean
  /** A name that had to be cleaned stays readable in a label `metric`. */
  readonly keepsRawName?: boolean
}

/** Ending that a family's name gets, by its type, where another family has that name. */
export const KIND_SUFFIXES: Readonly<Record<Kind, string>> = {
  counter: '_counter',
  gauge: '_gauge',
  histogram: '_hist',
  summary: '_summary',
}

/**
 * Endings of the sample names that a family may have in OpenMetrics, of which none may be another
 * one's.
 */
export const SAMPLE_SUFFIXES: Readonly<Record<Kind, readonly string[]>> = {
  counter: ['', '_total', '_created'],
  gauge: [''],
  histogram: ['', '_bucket', '_sum', '_count', '_created'],
  summary: ['', '_sum', '_count', '_created'],
}

const LEGACY_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const NOT_IN_NAME = /[^A-Za-z0-9_]/gu
const NOT_IN_NAME_BUT_COLON = /[^A-Za-z0-9_:]/gu

/** Tells whether the formats write names and label keys without quotes. */
export function isLegacyName(name: string): boolean {
  return LEGACY_NAME.test(name)
}

/** Replaces every other code point by `_`; `_` goes in front of a digit (scope: in its place). */
export function cleanName(name: string, rule: CleaningRule): string {
  if (isLegacyName(name)) return name
  const clean = name.replace(rule.keepsColons ? NOT_IN_NAME_BUT_COLON : NOT_IN_NAME, '_')
  if (clean === '') return '_'
  if (!isDigit(clean)) return clean
  return rule.keepsRawName ? `_${clean.slice(1)}` : `_${clean}`
}

function isDigit(text: string): boolean {
  return text >= '0' && text < ':'
}

/** Cleans the keys, joins the values of keys that become equal (`;`, as OTLP translators do). */
export function cleanLabels(pairs: Labels, kind: Kind, style: NameStyle): Labels {
  const labels = new Map<string, string>()
  for (const [key, value] of pairs) {
    // To Prometheus an empty value is the same as no label.
    if (value === '') continue
    const clean = cleanKey(key.toWellFormed(), kind, style)
    const text = value.toWellFormed()
    const held = labels.get(clean)
    labels.set(clean, held === undefined ? text : `${held};${text}`)
  }
  return sortLabelPairs(labels)
}

function sortLabelPairs(pairs: Iterable<readonly [string, string]>): Labels {
  return [...pairs].sort((a, b) => (a[0] < b[0] ? -1 : 1))
}

/** Adds a label beside those there are; one of that key stays and moves the new one. */
export function withLabel(labels: Labels, key: string, value: string): Labels {
  let free = key
  while (labels.some(([taken]) => taken === free)) free += '_'
  return sortLabelPairs([...labels, [free, value.toWellFormed()]])
}

/** Label that says which hub wrote a series to a store. */
export const HUB_LABEL = 'hub'

/** Gives the labels of a series without that name: one that it has itself is told beside it. */
export function labelsBesideHub(labels: Labels): Labels {
  const own = labels.find(([key]) => key === HUB_LABEL)
  if (own === undefined) return labels
  const rest = labels.filter((pair) => pair !== own)
  return withLabel(rest, `exported_${HUB_LABEL}`, own[1])
}

function cleanKey(key: string, kind: Kind, style: NameStyle): string {
  let clean = style === 'utf8' ? key : key.replace(NOT_IN_NAME, '_')
  if (clean === '') return '_'
  if (style === 'legacy' && isDigit(clean)) clean = `_${clean}`
  // Two leading underscores are the scraper's own (`__name__`); these two are the formats'.
  clean = clean.replace(/^__+/, '_')
  const isDistribution = kind === 'histogram' || kind === 'summary'
  const isTaken = isDistribution && (clean === 'le' || clean === 'quantile')
  return isTaken ? `exported_${clean}` : clean
}

/** Word for the unit of times that were divided into it. */
export const SECONDS = 'seconds'
/** Words for smaller units of time, by decimal places below the second. */
const TIME_WORDS: Readonly<Record<number, string>> = {
  3: 'milliseconds',
  6: 'microseconds',
  9: 'nanoseconds',
}

/**
 * Names the family of a distribution's native form, where that can't be the same as the classic
 * one's: bounds that are powers of two do not survive a division by a power of ten. Undefined where
 * one family takes both, and for units that are not of time.
 */
export function nativeFamily({
  family,
  shift,
}: {
  readonly family: string
  readonly shift: number
}): { readonly family: string; readonly unit: string } | undefined {
  const unit = TIME_WORDS[shift]
  if (unit === undefined || !family.endsWith(`_${SECONDS}`)) return undefined
  return { family: family.slice(0, -SECONDS.length) + unit, unit }
}
