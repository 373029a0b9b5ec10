/** Vectors of Wallaroo's roll-up: compatible and exact numbers, views, and the original's texts. */

import { rollUp, VIEWS, type ViewName } from '../../../../../test/support/wallaroo-views.ts'
import { same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import { exact } from '../../../../model/index.ts'
import type { SeriesNames } from '../../map.ts'
import {
  CHART_GROUPS,
  CompatibleTotals,
  compatibleChart,
  compatiblePercentiles,
} from '../../rollup/compatible.ts'
import { latencyLabel, throughputText, titleCase } from '../../rollup/compatible-text.ts'
import { LatencyTotals } from '../../rollup/latency-totals.ts'
import { WindowSpread } from '../../rollup/spread.ts'
import { withFrame, withRoundedWindow } from '../frames.ts'

type Fields = Readonly<Record<string, unknown>>
type Sparse = Readonly<Record<string, string>>

interface Window {
  readonly end_s: number
  readonly period_s: number
  readonly bins: Sparse
  readonly total: number | string
}

export function checkRollup(testCase: VectorCase): undefined {
  if (testCase.kind === 'latency') checkLatency(testCase)
  else if (testCase.kind === 'throughput') checkThroughput(testCase)
  else if (testCase.kind === 'views') checkViews(testCase)
  else throw new TypeError(`no kind ${testCase.kind}`)
  return undefined
}

/** Read at a moment of a hub whose clock is that of the case. */
function totalsAt(nowS: number): CompatibleTotals {
  const totals = new CompatibleTotals()
  totals.begin({ delayS: 0, firstEndS: Number.NEGATIVE_INFINITY }, nowS)
  return totals
}

function checkLatency({ windows, now_s, expect }: VectorCase): void {
  const totals = totalsAt(now_s as number)
  const used = new Set<number>()
  for (const { end_s, bins } of windows as Window[]) {
    withRoundedWindow(bins, { endS: whole(end_s) }, (window) => {
      totals.add(window)
      if (totals.isShown(window)) used.add(window.roundedEndS)
    })
  }
  const expected = expect as Fields
  same(
    'entries used',
    [...used].sort((a, b) => a - b),
    expected.entries_used_s,
  )
  const { counts } = totals
  same('percentiles', compatiblePercentiles(counts), expected.compat_percentiles)
  for (const name of ['default', 'demo'] as const) {
    const chart = Object.fromEntries(compatibleChart(counts, CHART_GROUPS[name]))
    same(`chart, ${name}`, chart, expected[`chart_${name}`])
  }
}

/** All seconds of every case lie within 5 minutes. */
const AFTER_ALL_S = 100

function checkThroughput({ windows, now_s, expect }: VectorCase): void {
  const now = now_s as number
  const [before, all] = [totalsAt(now), totalsAt(now + AFTER_ALL_S)]
  const own = new Map<number, bigint>()
  let total = 0n
  for (const { end_s, period_s, total: messages } of windows as Window[]) {
    const times = { endS: whole(end_s), periodS: whole(period_s) }
    withRoundedWindow({ 10: `${messages}` }, times, (window) => {
      before.add(window)
      all.add(window)
    })
    total += BigInt(messages)
    for (const [second, part] of spreadOf(BigInt(messages), end_s, period_s)) {
      own.set(second, (own.get(second) ?? 0n) + part)
    }
  }
  const expected = expect as Fields
  const perSecond = Object.fromEntries(all.perSecond())
  same('per second', perSecond, expected.compat_per_second)
  same('statistics', statisticsOf(before), expected.compat_stats_before_now)
  same('all statistics', statisticsOf(all), expected.compat_stats_all)
  const exactly = [...own].sort(([a], [b]) => a - b).map(([key, part]) => [key, exact(part)])
  same('exact per second', Object.fromEntries(exactly), expected.exact_per_second)
  same('exact total', exact(total), expected.exact_total)
  const sum = [...own.values()].reduce((a, b) => a + b, 0n)
  same('sum of the seconds', sum, total)
}

function spreadOf(total: bigint, endS: number, periodS: number): (readonly [number, bigint])[] {
  const parts = new WindowSpread()
  const wholeS = Math.floor(endS)
  const restNs = Math.round((endS - wholeS) * 1e9)
  parts.lay(exact(total), restNs, Math.round(periodS * 1e9))
  const last = restNs === 0 ? wholeS : wholeS + 1
  return Array.from({ length: parts.length }, (_, age) => [last - age, BigInt(parts.at(age))])
}

function statisticsOf(totals: CompatibleTotals): unknown {
  const { min, median, max } = totals.throughput()
  return { min, med: median, max }
}

/** Half a second rounds up, also before the case's zero. */
function whole(seconds: number): number {
  return Math.floor(seconds + 0.5)
}

/** Each message a series of its own, as if every one came from a reporter of its own. */
function checkViews({ messages, expect }: VectorCase): void {
  const series = (messages as (SeriesNames & { bins: Sparse })[]).map(({ bins, ...names }) => {
    const totals = new LatencyTotals()
    withFrame({ ...names, bins }, (frame) => totals.add(frame))
    return { names, totals }
  })
  const { views } = expect as { views: Readonly<Record<string, Fields>> }
  for (const order of [series, series.toReversed()]) {
    for (const name of Object.keys(VIEWS) as ViewName[]) {
      const groups = rollUp(order, VIEWS[name])
      const found = groups.map(({ key, totals }) => [JSON.stringify(key), totals.counts.toSparse()])
      same(name, Object.fromEntries(found), views[name] ?? {})
    }
  }
}

const TEXTS: Readonly<Record<string, (input: unknown) => string>> = {
  latency_bin: (input) => latencyLabel(String(input)),
  throughput: (input) => throughputText(Number(input)),
  name: (input) => titleCase(input as string),
}

export function checkFormat({ kind, pairs }: VectorCase): undefined {
  const textOf = TEXTS[kind as string]
  if (textOf === undefined) throw new TypeError(`no kind ${kind}`)
  for (const [input, text] of pairs as [unknown, string][]) same(`${input}`, textOf(input), text)
}
