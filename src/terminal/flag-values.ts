/** Values of flags: parsers for commander, whose errors say what is wanted. */
import { InvalidArgumentError } from 'commander'

interface Range {
  readonly min: number
  readonly max: number
}

interface Limits {
  readonly min: number
  readonly max?: number
  /** Noun for the number in the error: `a port`; a whole number unless stated. */
  readonly noun?: string
}

/** Parses a whole number; one without `max` has 15 digits at most. */
export function wholeNumber({ min, max, noun = 'a whole number' }: Limits) {
  const range = max === undefined ? `from ${min} on` : `from ${min} to ${max}`
  return (text: string): number => {
    const number = Number(text)
    if (isWhole(text) && number >= min && number <= (max ?? number)) return number
    throw new InvalidArgumentError(`want ${noun} ${range}`)
  }
}

/** Parses a whole number, or the word auto. */
export function wholeNumberOrAuto({ min, max }: Range) {
  return (text: string): number | 'auto' => {
    if (text === 'auto') return text
    if (isWhole(text) && Number(text) >= min && Number(text) <= max) return Number(text)
    throw new InvalidArgumentError(`want auto, or a whole number of ${min} to ${max}`)
  }
}

/** Parses a number that may have a fraction. */
export function decimal({ min, max }: Range) {
  return (text: string): number => {
    const number = Number(text)
    if (/\d/.test(text) && number >= min && number <= max) return number
    throw new InvalidArgumentError(`want a number from ${min} to ${max}`)
  }
}

/** Parses the words true and false. */
export function parseBoolean(text: string): boolean {
  const word = text.toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  throw new InvalidArgumentError('want true or false')
}

export const parsePort = wholeNumber({ min: 0, max: 65_535, noun: 'a port' })

function isWhole(text: string): boolean {
  return /^\d{1,15}$/.test(text)
}

const AGO_UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** Parses an instant: ISO 8601, Unix seconds, or `7d`, `3h`, `20m`, `45s` ago. @returns Unix ms */
export function parseInstant(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? []
  const ms =
    count !== undefined
      ? Date.now() - Number(count) * AGO_UNITS[unit!]! * 1000
      : /^\d{9,12}$/.test(text)
        ? Number(text) * 1000
        : Date.parse(text)
  if (!Number.isNaN(ms) && ms >= 0) return ms
  throw new InvalidArgumentError('want 2026-01-31T12:00Z, Unix seconds, or 7d, 3h, 20m, 45s ago')
}

/** Parses an instant that was. @returns Unix ms */
export function parsePast(text: string): number {
  const ms = parseInstant(text)
  if (ms <= Date.now()) return ms
  throw new InvalidArgumentError('that is still to come: want a time before now')
}
