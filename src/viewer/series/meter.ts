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

/** Time of a reading, by the hub's clock. */
interface ReadingTime {
  /** Last second that is known. */
  readonly second: number
  readonly nowMs: number
  /** Seconds from one look to the next. */
  readonly interval: number
}

/** An age is to be seen from so many intervals on. */
const SILENT_INTERVALS = 3

/** @param rates of the dialect, by second */
export function meterReading(
  { lastDataMs, ratePerSecond, role, connections }: DialectStatus,
  rates: { at(second: number): number },
  { second, nowMs, interval }: ReadingTime,
): MeterReading {
  if (lastDataMs === null) return { rate: Number.NaN, age: 0, isSilent: false }
  const paced = pacedRate({ step: 1, at: (_, at) => rates.at(at) }, second)
  const age = Math.max(0, (nowMs - lastDataMs) / 1000)
  // what sends to viewers is not silent while there are none
  const isAsked = role === 'receive' || connections > 0
  const isSilent = isAsked && paced === undefined && age >= SILENT_INTERVALS * interval
  return { rate: paced?.rate ?? ratePerSecond, age, isSilent }
}
