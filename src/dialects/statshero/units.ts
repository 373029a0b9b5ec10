/**
 * Units of keys by rule: the wire has none (§4.4), but times are milliseconds by custom, and their
 * keys say that they are times. Rules of a user's own come before the usual ones.
 */
import { compileByteGlob, compileGlob } from '../../model/text/glob.ts'
import { TYPE_WORDS } from './spec.ts'

/** Units of keys, by one list of rules. */
export interface Units {
  /** Finds the unit of a key under a type; undefined for none. */
  of(key: string, type: number): string | undefined
  /** Finds the unit of a key in ASCII, which is bytes[start, end). */
  ofBytes(bytes: Uint8Array, start: number, end: number, type: number): string | undefined
}

/** Endings of keys of times, as people write them. */
const TIME_ENDINGS = [
  ...['Time', '_time', '-time', '.time', 'Ms', '_ms', '-ms', '.ms', 'Millis', '_millis'],
  ...['Latency', 'latency', 'Duration', 'duration'],
]
/** Keys under which stats_hero and the middleware of chef/statsd send times. */
const TIME_KEYS = ['*.allRequests', '*.byRequestType.*', '*.upstreamRequests.*']
const USUAL = [...TIME_ENDINGS.map((ending) => `*${ending}`), ...TIME_KEYS]
const USUAL_RULES = USUAL.map((pattern) => [`h:${pattern}`, 'ms'] as const)

/** Patterns of keys, for one type where that stands in front: `h:*.wait`. */
export const UNIT_PATTERN = new RegExp(`^(?:(?:${TYPE_WORDS.join('|')}):)?[^:|\\n]+$`)

/**
 * Compiles rules.
 * @param units by pattern, the first that fits counts; empty for none
 */
export function compileUnits(units: Readonly<Record<string, string>>): Units {
  const rules = [...Object.entries(units), ...USUAL_RULES].map(([pattern, unit]) => {
    const [type, glob] = pattern.includes(':') ? pattern.split(':') : [undefined, pattern]
    return {
      type: type && TYPE_WORDS.indexOf(type as 'm'),
      matches: compileGlob(glob!),
      matchesBytes: compileByteGlob(glob!),
      unit: unit || undefined,
    }
  })
  const byType = TYPE_WORDS.map((_, i) => {
    return rules.filter(({ type }) => type === undefined || type === i)
  })
  return {
    of: (key, type) => byType[type]?.find(({ matches }) => matches(key))?.unit,
    ofBytes(bytes, start, end, type) {
      const of = byType[type]!
      for (let i = 0; i < of.length; i++) {
        if (of[i]!.matchesBytes(bytes, start, end)) return of[i]!.unit
      }
      return undefined
    },
  }
}

/** Tells whether any key of a type may have a unit. */
export function hasUnits(units: Readonly<Record<string, string>>, type: number): boolean {
  const word = TYPE_WORDS[type]!
  return [...Object.keys(units), ...USUAL_RULES.map(([pattern]) => pattern)].some((pattern) => {
    return !pattern.includes(':') || pattern.startsWith(`${word}:`)
  })
}
