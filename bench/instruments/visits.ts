/**
 * What in-process instruments are asked to record: which of them, in a random order that no cache
 * or branch predictor can learn, and with what value.
 */
import { strict as assert } from 'node:assert'
import type { Contender } from '../measure/question.ts'
import { seededRandom } from '../measure/statistics.ts'

export const INSTRUMENT_COUNT = 1024
export const SEED = 6
/** Updates in one pass; the order repeats after it. */
export const PASS = 65_536
/** Observed values are whole, evenly spread over the magnitudes from 1 to this. */
export const VALUE_MAX = 65_536

const random = seededRandom(SEED)
const ORDER = Array.from({ length: PASS }, () => Math.floor(random() * INSTRUMENT_COUNT))
export const VALUES = Array.from({ length: PASS }, () => Math.floor(VALUE_MAX ** random()))

/** Two labels per instrument, as a server counts its requests. */
export const LABELS = Array.from({ length: INSTRUMENT_COUNT }, (_, i) => ({
  route: `/route/${i >> 2}`,
  status: String(200 + (i & 3)),
}))

/** The instruments as they are visited in one pass. */
export function inOrder<T>(instruments: readonly T[]): T[] {
  return ORDER.map((index) => instruments[index]!)
}

/** One way to record; its loop is its own, so that no call in it is shared with another way. */
export interface Instrument {
  readonly title: string
  /** Passes of one round: about a tenth of a processor second. */
  readonly passes: number
  /** One update of each instrument in the order of visits. */
  pass(): void
  /** Updates that its own library knows of. */
  recorded(): Promise<number> | number
}

/** Nanoseconds of processor time per update. */
export function contender(instrument: Instrument): Contender {
  const { title, passes } = instrument
  return {
    title,
    round() {
      const start = process.cpuUsage()
      for (let i = 0; i < passes; i++) instrument.pass()
      const { user, system } = process.cpuUsage(start)
      return ((user + system) * 1000) / (passes * PASS)
    },
  }
}

/** Every update of every round must have arrived. */
export async function verify(instrument: Instrument, rounds: number): Promise<void> {
  const recorded = await instrument.recorded()
  assert.equal(recorded, rounds * instrument.passes * PASS, `updates of ${instrument.title}`)
}
