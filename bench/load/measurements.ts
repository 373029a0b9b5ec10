/**
 * The load of the text questions: the same measurements in two syntaxes. Counters, because every
 * receiver has them, with names of 33 bytes in the syntax of statsd.
 *
 *   statsd       [name][":42|c"][LF]…
 *   Stats Hero   ["1|"][length][LF] [name][":42|m"][LF]…
 */
import { seededRandom, shuffled } from '../measure/statistics.ts'

export type Syntax = 'statsd' | 'statshero'

export const NAME_COUNT = 1000
export const VALUE = 42
export const SEED = 1
/** Lines of a packet that fills an Ethernet frame. */
export const LINES_PER_PACKET = 40

export const DATA = `${NAME_COUNT} counters, app.service.m000123.requests, order of seed ${SEED}`

/** Passes over all names that are prepared; the sender repeats them. */
const PASSES = 4

/**
 * Packets that together hold every name PASSES times.
 * @param first number of the first name
 */
export function packets(
  syntax: Syntax,
  linesPerPacket: number,
  names = NAME_COUNT,
  first = 0,
): Buffer[] {
  const lines = allLines(syntax === 'statsd' ? 'c' : 'm', names, first)
  const bodies: string[] = []
  for (let at = 0; at < lines.length; at += linesPerPacket) {
    bodies.push(lines.slice(at, at + linesPerPacket).join(''))
  }
  return bodies.map((body) => Buffer.from(syntax === 'statsd' ? body : `1|${body.length}\n${body}`))
}

/** Measurements in one pass through `packets`. */
export const MEASUREMENTS = PASSES * NAME_COUNT

/** The same of so many names. */
export function measurementsOf(names: number): number {
  return PASSES * names
}

/** Measurements in so many passes, for people. */
export function count(passes: number): string {
  return (passes * MEASUREMENTS).toLocaleString('en-US')
}

function allLines(type: string, length: number, first: number): string[] {
  const random = seededRandom(SEED)
  const names = Array.from(
    { length },
    (_, i) => `app.service.m${String(first + i).padStart(6, '0')}.requests`,
  )
  const visits = Array.from({ length: PASSES }, () => shuffled(names, random)).flat()
  return visits.map((name) => `${name}:${VALUE}|${type}\n`)
}
