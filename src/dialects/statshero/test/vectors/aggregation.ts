/** Runs the aggregation vectors of Stats Hero: meters and snapshots. */

import assert from 'node:assert/strict'
import { near } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import {
  forwardWeight,
  Meter,
  uniformSnapshot,
  weightedSnapshot,
} from '../../../../instrument/index.ts'
import { tickWeight } from '../../../../model/averages.ts'
import { acceleration, MovingAverages } from '../../../../model/ewma.ts'
import { graphiteKey, meterFields, timerFields } from '../../graphite/flush.ts'

const TOLERANCE = 1e-9
const MINUTES = { m1: 1, m5: 5, m15: 15 } as const

/** The original's count of lines, where the hub knows sums (docs/formats/statshero.md, 4.8). */
const NO_LINES = 'compared without stats_counts: the hub counts no lines'

/** The shape of a case says what it is about; see `layout` in the file. */
export function checkAggregation(testCase: VectorCase): string | undefined {
  if (testCase.layout !== undefined) return checkEstatsd(testCase)
  const check = SHAPES.find(([field]) => testCase[field] !== undefined)?.[1] ?? checkTickWeights
  check(testCase)
  return undefined
}

const SHAPES: readonly (readonly [field: string, check: (testCase: VectorCase) => void])[] = [
  ['reservoir', checkSnapshot],
  ['script', checkScript],
  ['alphaPerSecond', checkForwardDecay],
  ['window', checkSteadyTicks],
  ['marks', checkIdle],
  ['m1', checkAcceleration],
]

/** What the real server writes to Graphite. */
function checkEstatsd({
  values,
  key,
  marks,
  flushSeconds,
  expect,
}: VectorCase): string | undefined {
  if (values !== undefined) {
    const sorted = values as number[]
    const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length
    const runs = sorted.map((value) => [value, 1n] as const)
    const fields = timerFields(runs, mean, 'zero').map(([name, value]) => [name, Number(value)])
    near('fields', Object.fromEntries(fields), expect, TOLERANCE)
    return undefined
  }
  if (key !== undefined) {
    assert.equal(graphiteKey(key as string), expect)
    return undefined
  }
  const sum = (marks as number[]).reduce((total, mark) => total + mark, 0)
  const [[, rate]] = meterFields('KEY', sum, flushSeconds as number)
  near('rate', rate, (expect as Record<string, number>)['stats.KEY'], TOLERANCE)
  return NO_LINES
}

function checkTickWeights(testCase: VectorCase): void {
  const weights = Object.entries(MINUTES).map(([name, minutes]) => [name, tickWeight(minutes)])
  near('weights', Object.fromEntries(weights), testCase.expect, TOLERANCE)
}

interface Step {
  readonly atNs: number
  readonly mark?: number
  readonly read?: object
}

/** A meter under a clock that stands where each step says. */
function checkScript({ script }: VectorCase): void {
  let nowNs = 0n
  const meter = new Meter({ monotonicNs: () => nowNs })
  for (const step of script as Step[]) {
    nowNs = BigInt(step.atNs)
    if (step.mark !== undefined) meter.mark(step.mark)
    if (step.read !== undefined) near(`at ${step.atNs} ns`, fieldsOf(meter), step.read, TOLERANCE)
  }
}

function fieldsOf({ count, meanRate, m1Rate, m5Rate, m15Rate }: Meter): object {
  return { count, mean: meanRate, m1: m1Rate, m5: m5Rate, m15: m15Rate }
}

/** Marks, one tick, then silence: `after_first_tick`, `after_1_min` and so on. */
function checkIdle({ marks, tickSeconds, expect }: VectorCase): void {
  const tickNs = Number(tickSeconds) * 1e9
  for (const [name, rates] of Object.entries(expect as object)) {
    const minutes = /^after_(\d+)_min$/.exec(name)?.[1]
    const averages = new MovingAverages(0)
    for (const mark of marks as number[]) averages.add(mark)
    // A tick is due once its five seconds have been exceeded, hence the one nanosecond.
    averages.advance(tickNs + (minutes === undefined ? 0 : Number(minutes) * 60e9) + 1)
    const { m1, m5, m15 } = averages
    near(name, { m1, m5, m15 }, rates, TOLERANCE)
  }
}

/** So much before each tick: the average after each. */
function checkSteadyTicks({ window, perTick, expect }: VectorCase): void {
  const averages = new MovingAverages(0)
  const after = (perTick as number[]).map((count, i) => {
    averages.add(count)
    averages.advance((i + 1) * 5e9 + 1)
    return averages[window as keyof typeof MINUTES]
  })
  near(`${window} after each tick`, after, expect, TOLERANCE)
}

function checkForwardDecay({ alphaPerSecond, expect }: VectorCase): void {
  const weights = Object.keys(expect as object).map((seconds) => [
    seconds,
    forwardWeight(Number(seconds), alphaPerSecond as number),
  ])
  near('weights', Object.fromEntries(weights), expect, TOLERANCE)
}

function checkSnapshot(testCase: VectorCase): void {
  const values = valuesOf(testCase)
  const weights = testCase.weights as number[] | undefined
  const snapshot =
    testCase.reservoir === 'weighted'
      ? weightedSnapshot(values.map((value, i) => ({ value, weight: weights?.[i] ?? 1 })))
      : uniformSnapshot(values)
  near('snapshot', snapshot, testCase.expect, TOLERANCE)
}

function valuesOf({ values, valuesFromTo }: VectorCase): number[] {
  if (valuesFromTo === undefined) return values as number[]
  const [from, to] = valuesFromTo as [number, number]
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}

function checkAcceleration({ m1, m5, m15, expect }: VectorCase): void {
  const actual = acceleration(m1 as number, m5 as number, m15 as number)
  near('acceleration', actual, expect, TOLERANCE)
}
