/**
 * What chef/estatsd writes to Graphite for a flush (§4.8): names, fields and ranks are those of its
 * `estatsd_server.erl`; pure arithmetic. Where it has less than five values of a timer it writes
 * zeros, the count too; `underFive` chooses between that and the truth.
 */
import type { Exact, Summary } from '../../../model/index.ts'

/** Treatment of a timer with fewer than five values: its statistics, or zeros as there. */
type UnderFive = 'real' | 'zero'

type Field = readonly [name: string, value: Exact]
/** Named numbers of a series, in the order of the original. */
export type Fields = readonly Field[]

/** Values ascending, each with how often it was observed. */
type Runs = readonly (readonly [value: Exact, count: bigint])[]

const UNDER_FIVE = 5n
const NAMES = 'mean median upper lower count upper_90 upper_95 upper_99'.split(' ')
const ZEROS: Fields = NAMES.map((name) => [name, 0])

/**
 * Computes the fields of a timer, at least one value of which was observed.
 * @param mean of all of them, exact where the runs are buckets
 */
export function timerFields(runs: Runs, mean: number, underFive: UnderFive): Fields {
  const count = runs.reduce((sum, [, times]) => sum + times, 0n)
  if (underFive === 'zero' && count < UNDER_FIVE) return ZEROS
  const rank = (share: number) => element(runs, Math.round(share * Number(count)))
  const values = [rank(0.5), runs.at(-1)![0], runs[0]![0], count, rank(0.9), rank(0.95), rank(0.99)]
  return NAMES.map((name, i) => [name, i === 0 ? mean : values[i - 1]!])
}

/**
 * Computes the rate of a meter and its sum. The second number is the count of lines there, which no
 * sum of a second tells: it is the same where each line counts one.
 */
export function meterFields(
  key: string,
  sum: Exact,
  seconds: number,
): readonly [rate: Field, sum: Field] {
  return [
    [`stats.${key}`, Number(sum) / seconds],
    [`stats_counts.${key}`, sum],
  ]
}

/** Finds the value at a rank from 1; rank 0 is the first, where the real server would fail. */
function element(runs: Runs, rank: number): Exact {
  let seen = 0n
  for (const [value, times] of runs) {
    seen += times
    if (Number(seen) >= rank) return value
  }
  return runs.at(-1)![0]
}

/** Computes what is known of a summary: it has no ranks. */
export function summaryFields({ mean, max, min, count }: Summary, underFive: UnderFive): Fields {
  const isZero = underFive === 'zero' && count < UNDER_FIVE
  const fields: Fields = [
    ['mean', mean],
    ['upper', max],
    ['lower', min],
    ['count', count],
  ]
  return isZero ? fields.map(([name]) => [name, 0]) : fields
}

/** Cleans a key: white space to `_`, `/` to `-`, all but `[A-Za-z0-9_.-]` left out. */
export function graphiteKey(key: string): string {
  return key
    .replace(/\s+/g, '_')
    .replace(/\//g, '-')
    .replace(/[^A-Za-z0-9_.-]/g, '')
}
