/**
 * Runs the vectors of EventCounters: texts in the file beside, displays, names and merging here,
 * what needs counters and sessions in `eventcounters-sessions.ts`.
 */

import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { near, same } from '../../../../test/vectors/expect.ts'
import type { Runners } from '../../../../test/vectors/run.ts'
import type { VectorCase } from '../../../../test/vectors/vector-file.ts'
import { mergeSummaries } from '../../../model/index.ts'
import type { Profile } from '../../decoder.ts'
import { ReceivedCounters } from '../client/received-counters.ts'
import { readLine } from '../codec/read.ts'
import { type DisplayedWindow, dotnetCountersDisplay, rateOf, simpleDisplay } from '../display.ts'
import { fromSummary, toSummary } from '../summary.ts'
import { type NamedCounter, prometheusName } from './prometheus-name.ts'
import { checkPollTimes, checkSequence, checkSession } from './vectors/sessions.ts'
import {
  checkConsoleNumber,
  checkFilter,
  checkInterval,
  checkMetaDataBuild,
  checkMetaDataParse,
  checkPayloadRead,
  checkPayloadText,
  checkRateScale,
  fieldsOf,
  jsonOf,
  statisticsOf,
  TOLERANCE,
} from './vectors/texts.ts'

export const runners: Runners = {
  sequence: checkSequence,
  session: checkSession,
  'poll-times': checkPollTimes,
  'interval-string': checkInterval,
  'metadata-build': checkMetaDataBuild,
  'metadata-parse': checkMetaDataParse,
  'rate-scale': checkRateScale,
  'payload-text': checkPayloadText,
  'payload-read': checkPayloadRead,
  'counter-filter': checkFilter,
  'console-number': checkConsoleNumber,
  canonical: checkCanonical,
  'prometheus-name': checkPrometheusName,
  merge: checkMerge,
  'running-total': checkRunningTotal,
}

interface Canonical {
  readonly simple: {
    readonly label: string
    readonly value: number | null
    readonly oneDecimal: string | null
  }
  readonly dotnetCounters: { readonly label: string; readonly value: number }
  readonly rate?: { readonly scaleSec: number; readonly value: number | null }
}

function checkCanonical(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const { simple, dotnetCounters, rate } = expect as unknown as Canonical
  const window = displayed(input)
  const { label, value } = simpleDisplay(window)
  near('simple', { label, value: value ?? null }, pick(simple), TOLERANCE)
  same('one decimal', value === undefined ? null : value.toFixed(1), simple.oneDecimal)
  same('dotnet-counters', dotnetCountersDisplay(window), dotnetCounters)
  const found = rateOf(window)
  same('has a rate', found !== undefined, rate !== undefined)
  const shown = found === undefined ? undefined : { ...found, value: found.value ?? null }
  if (rate !== undefined) near('rate', shown, rate, TOLERANCE)
}

function pick({ label, value }: Canonical['simple']): object {
  return { label, value }
}

/** The payloads of these cases are shortened: none has a name, some no count. */
function displayed({ profile, payload }: Readonly<Record<string, unknown>>): DisplayedWindow {
  const whole = { Name: 'c', ...(payload as Record<string, unknown>) }
  const result = readLine(jsonOf(whole), profile as Profile)
  if (result.kind !== 'window') throw new TypeError(JSON.stringify(result))
  same('profile', result.window.profile, profile)
  return result.window
}

function checkPrometheusName(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const { value, ...counter } = input as unknown as { value: number } & NamedCounter
  for (const [naming, expected] of [
    ['standard', expect.standard],
    ['dotnet-monitor', expect.dotnetMonitor],
  ] as const) {
    const { name, factor, type } = prometheusName(counter, naming)
    near(naming, { name, value: value * factor, type }, expected, TOLERANCE)
  }
}

type Window = Readonly<Record<string, unknown>> & { readonly IntervalSec: number }

/** In the given order and in the opposite one; each window also there and back alone. */
function checkMerge(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const windows = (input.windows as Window[]).map((window) => {
    const statistics = statisticsOf(window)
    if (statistics.kind !== 'mean') throw new TypeError('a case with windows of another kind')
    return { summary: toSummary(statistics), statistics, intervalSec: window.IntervalSec }
  })
  const { IntervalSec, ...numbers } = expect.merged as Window
  const expected = statisticsOf(numbers)
  for (const order of [windows, windows.toReversed()]) {
    const statistics = fromSummary(order.map(({ summary }) => summary).reduce(mergeSummaries))
    const intervalSec = order.reduce((sum, window) => sum + window.intervalSec, 0)
    near('interval', intervalSec, IntervalSec, TOLERANCE)
    near('merged', statistics, expected, TOLERANCE)
    if (expected.kind !== 'mean') throw new TypeError('a case that expects another kind')
    same(
      'exact',
      [statistics.count, statistics.min, statistics.max],
      [expected.count, expected.min, expected.max],
    )
    if (expected.deviation === 0) same('deviation', statistics.deviation, 0)
  }
  for (const { summary, statistics } of windows) {
    near('in the model', fromSummary(summary), statistics, TOLERANCE)
  }
}

function checkRunningTotal(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const ingest = new ModelIngest()
  const texts = { provider: 'App', name: 'c', displayName: '', units: '' }
  const counter = { ...texts, rateScaleSec: 0, metaData: [] }
  const received = new ReceivedCounters(ingest, '127.0.0.1:4000', 1e6)
  for (const increment of input.increments as unknown[]) {
    const statistics = { kind: 'sum', increment: Number(increment) } as const
    received.take({ counter, statistics, intervalSec: 1 })
  }
  const { negative_increments: negative = 0, nonfinite_increments: ignored = 0 } = ingest.counted
  same('running total', { total: ingest.series[0]?.total, negative, ignored }, expect)
}
