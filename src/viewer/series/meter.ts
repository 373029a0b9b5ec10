/**
 * What the meter of a dialect says. One whose senders push each ten seconds has their mean, as
 * their counters do (pace.ts), and is not silent before the next push is late.
 */
import type { DialectStatus } from '../../http/api.ts'
import { pacedRate } from './pace.ts'

interface MeterReading {
  /** Per second; NaN while nothing has come. */
  readonly rate: number
  /** Seconds since the last data. */
  readonly age: number
  /** Whether it is to be said that nothing comes any more. */
  readonly isSilent: boolean
}

/** Seconds of silence from which on it is to be seen. */
const SILENT_S = 3

/**
 * @param rates of the dialect, by second
 * @param second last one that is known
 * @param nowMs of the hub's clock
 */
export function meterReading(
  { lastDataMs, ratePerSecond, role, connections }: DialectStatus,
  rates: { at(second: number): number },
  second: number,
  nowMs: number,
): MeterReading {
  if (lastDataMs === null) return { rate: Number.NaN, age: 0, isSilent: false }
  const paced = pacedRate({ step: 1, at: (_, at) => rates.at(at) }, second)
  const age = Math.max(0, (nowMs - lastDataMs) / 1000)
  // what sends to viewers is not silent while there are none
  const isSilent = !paced && age >= SILENT_S && (role === 'receive' || connections > 0)
  return { rate: paced?.rate ?? ratePerSecond, age, isSilent }
}
