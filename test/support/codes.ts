/**
 * The golden vectors spell codes as their documents do (`frame-too-large` with hyphens, or in camel
 * case); what leaves the product is snake_case. A file of vectors is respelled once, when it is
 * read.
 */

import { ENCODE_ERROR_CODES } from '../../src/dialects/scope/spec.ts'
import { NOTES } from '../../src/dialects/wallaroo/spec.ts'
import { DIALECTS } from './dialects.ts'

/** Codes besides those of decode errors: what was left out, assumed or refused. */
const OTHER_CODES = [
  ...[...NOTES, ...ENCODE_ERROR_CODES, 'invalid_latency'],
  ...['name_taken', 'empty_name', 'max_series', 'max_bytes'],
  ...['profile_assumed', 'rate_scale', 'not_sayable', 'other_event', 'closed_early'],
  'keep_alive',
]
const CODES = new Map(
  [...DIALECTS.flatMap(({ errorCodes }) => errorCodes), ...OTHER_CODES].flatMap((code) => [
    [code.replaceAll('_', '-'), code],
    [code.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), code],
  ]),
)
/** Fields whose texts are names of cases, never codes. */
const NAMES: ReadonlySet<string> = new Set(['id', 'name', 'category'])

/** A copy of JSON in which every text and key that is a code has the product's spelling. */
export function respell<T>(json: T): T {
  return respelled(json) as T
}

function respelled(value: unknown): unknown {
  if (typeof value === 'string') return CODES.get(value) ?? value
  if (Array.isArray(value)) return value.map(respelled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      CODES.get(key) ?? key,
      NAMES.has(key) && typeof each === 'string' ? each : respelled(each),
    ]),
  )
}
