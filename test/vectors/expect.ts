/** How a case says that it does not hold: what was expected, what came. */
import { isDeepStrictEqual } from 'node:util'

export class Mismatch extends Error {
  readonly what: string
  readonly expected: unknown
  readonly actual: unknown

  constructor(what: string, expected: unknown, actual: unknown) {
    super(`${what}: expected ${compact(expected)}, actual ${compact(actual)}`)
    this.what = what
    this.expected = expected
    this.actual = actual
  }
}

/** @throws {Mismatch} unless both are the same; -0 differs from 0, NaN equals NaN */
export function same(what: string, actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) throw new Mismatch(what, expected, actual)
}

/** Same structure, numbers within an absolute or relative tolerance. */
export function near(what: string, actual: unknown, expected: unknown, tolerance: number): void {
  if (typeof expected === 'number' && typeof actual === 'number') {
    const distance = Math.abs(actual - expected)
    const isNear = distance <= tolerance * Math.max(1, Math.abs(expected))
    if (isNear || Object.is(actual, expected)) return
    throw new Mismatch(what, expected, actual)
  }
  if (typeof expected === 'object' && expected !== null) {
    const held = (actual ?? {}) as Readonly<Record<string, unknown>>
    for (const [key, value] of Object.entries(expected)) {
      near(`${what}.${key}`, held[key], value, tolerance)
    }
    return
  }
  same(what, actual, expected)
}

const COMPACT_LIMIT = 300

/** One line of text for any value. */
export function compact(value: unknown): string {
  const text = JSON.stringify(value, plain) ?? String(value)
  return text.length <= COMPACT_LIMIT ? text : `${text.slice(0, COMPACT_LIMIT)}… (${text.length})`
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) {
    return Object.is(value, -0) ? '-0' : String(value)
  }
  if (value instanceof Map) return [...value]
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return value
}
