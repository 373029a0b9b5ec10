/** Vectors of EventCounters: interval texts, metadata, rate scales, payloads, filters, numbers. */

import { near, same } from '../../../../../test/vectors/expect.ts'
import type { VectorCase } from '../../../../../test/vectors/vector-file.ts'
import type { Profile } from '../../../decoder.ts'
import { FilterError, parseFilter } from '../../codec/filter.ts'
import { parseInterval, seriesText } from '../../codec/interval.ts'
import { boundaryText, LineReader } from '../../codec/line.ts'
import { buildMetaData, checkPair, parseMetaData } from '../../codec/metadata.ts'
import { toPayload } from '../../codec/payload.ts'
import { parseRateScale, rateScaleText } from '../../codec/rate-scale.ts'
import { readLine } from '../../codec/read.ts'
import { createDecoder, encodeEventCounters } from '../../codec.ts'
import { consoleNumber } from '../../display.ts'
import type { CounterDescription, CounterWindow, MetaData, Statistics } from '../../window.ts'

export const PROFILES: readonly Profile[] = ['document', 'peer']

/** Of means, deviations, rates and lengths; everything else is compared exactly. */
export const TOLERANCE = 1e-9

/** Fields of a case, by the category's layout. */
export interface Fields {
  readonly input: Readonly<Record<string, unknown>>
  readonly expect: Readonly<Record<string, unknown>>
}

export function fieldsOf(testCase: VectorCase): Fields {
  return testCase as unknown as Fields
}

export function checkInterval(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const text = (input.text as string | null) ?? undefined
  const { seconds, series } = expect.document as { seconds: number; series: string | null }
  const document = parseInterval(text, 'document')
  const documentMs = document.kind === 'run' ? document.intervalMs : 0
  same('seconds', documentMs / 1000, seconds)
  same('series', documentMs === 0 ? null : seriesText(documentMs, 'document'), series)
  const peer = parseInterval(text, 'peer')
  const found =
    peer.kind === 'run'
      ? { action: 'run', pollMs: peer.intervalMs, series: seriesText(peer.intervalMs, 'peer') }
      : { action: peer.kind }
  same('peer', found, expect.peer)
}

interface Built {
  readonly text: string
  readonly errorAt?: number
}

/** As a counter does it: every pair that is refused is left out. */
export function checkMetaDataBuild(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  for (const profile of PROFILES) {
    const expected = expect[profile] as Built
    const pairs: (readonly [string, string])[] = []
    let errorAt: number | undefined
    for (const [i, [key, value]] of (input.pairs as [string, string | null][]).entries()) {
      try {
        pairs.push(checkPair(pairs, key, value, profile))
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        errorAt ??= i
      }
    }
    const text = buildMetaData(pairs, '', profile)
    same(`text, ${profile}`, text, expected.text)
    same(`refused, ${profile}`, errorAt, expected.errorAt)
    if (profile === 'document') same('read back', parseMetaData(text, profile).pairs, pairs)
  }
}

export function checkMetaDataParse(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const profile = input.profile as Profile
  const { pairs, units, malformed } = parseMetaData(input.text as string, profile)
  same('labels', Object.fromEntries(pairs), expect.labels)
  same('malformed', malformed, expect.malformed)
  if (expect.units !== undefined) same('units', units, expect.units)
  const written = buildMetaData(pairs, units ?? '', profile)
  same('written and read again', parseMetaData(written, profile).pairs, pairs)
  if (malformed === 0 && units === undefined) same('text', written, input.text)
}

export function checkRateScale(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const seconds = input.seconds as number
  for (const profile of PROFILES) {
    const expected = expect[profile] as { text?: string; error?: true }
    let text: string | undefined
    try {
      text = rateScaleText(seconds, profile)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
    same(`text, ${profile}`, text, expected.text)
    same(`error, ${profile}`, text === undefined || undefined, expected.error)
    if (text === undefined || seconds <= 0) continue
    // The peer writes units of 100 ns.
    const tolerance = profile === 'peer' ? 0.5e-7 : 0
    near(`read back, ${profile}`, parseRateScale(text, profile), seconds, tolerance)
  }
}

interface CounterInput {
  readonly kind: string
  readonly name: string
  readonly displayName?: string
  readonly displayUnits?: string
  readonly displayRateTimeScaleSec?: number
  readonly metaData?: MetaData
}

export function describe(counter: CounterInput): CounterDescription {
  return {
    provider: 'App',
    name: counter.name,
    displayName: counter.displayName ?? '',
    units: counter.displayUnits ?? '',
    rateScaleSec: counter.displayRateTimeScaleSec ?? 0,
    metaData: counter.metaData ?? [],
  }
}

/** As it would come: what JSON cannot hold is null there and a text in the vectors. */
export function jsonOf(payload: object): string {
  return JSON.stringify(payload, (_field, value: unknown) => {
    return value === 'NaN' || value === 'Infinity' || value === '-Infinity' ? null : value
  })
}

/** Numbers may be the texts `NaN`, `Infinity`, `-Infinity`. */
export function statisticsOf(fields: Readonly<Record<string, unknown>>): Statistics {
  if (fields.Increment !== undefined) return { kind: 'sum', increment: Number(fields.Increment) }
  return {
    kind: 'mean',
    mean: Number(fields.Mean),
    deviation: Number(fields.StandardDeviation),
    count: Number(fields.Count),
    min: Number(fields.Min),
    max: Number(fields.Max),
  }
}

/** Written exactly, in a line, and read back. */
export function checkPayloadText(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const window: CounterWindow = {
    counter: describe(input.counter as CounterInput),
    seriesMs: Math.round((input.intervalSec as number) * 1000),
    intervalSec: input.elapsedSec as number,
    statistics: statisticsOf(input.statistics as Record<string, unknown>),
  }
  for (const profile of PROFILES) {
    const expected = expect[profile] as string
    same(`object, ${profile}`, JSON.stringify(toPayload(window, profile)), expected)
    const timeMs = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
    const head = '{"event":"EventCounters","provider":"App","time":"2026-01-02T03:04:05.006Z"'
    const line = boundaryText({ timeMs, windows: [window] }, profile)
    same(`line, ${profile}`, line, `${head},"Payload":${expected}}\n`)
    checkReadBack(line, window, timeMs, profile)
  }
}

function checkReadBack(
  line: string,
  window: CounterWindow,
  timeMs: number,
  profile: Profile,
): void {
  const read = readLine(line)
  if (read.kind !== 'window') throw new TypeError(`${profile}: ${JSON.stringify(read)}`)
  const { counter, statistics, ...found } = read.window
  same(`statistics, ${profile}`, statistics, asRead(window.statistics, profile))
  const { name, displayName, units, metaData } = window.counter
  same(`name, ${profile}`, [counter.name, counter.displayName], [name, displayName])
  // The peer writes separators inside of values, which nobody can read back.
  const said = parseMetaData(buildMetaData(metaData, units, profile), profile)
  const isSayable = JSON.stringify(said.pairs) === JSON.stringify(metaData)
  if (isSayable) same(`pairs, ${profile}`, [counter.metaData, counter.units], [metaData, units])
  const intervalSec = profile === 'peer' ? Math.fround(window.intervalSec) : window.intervalSec
  if (intervalSec > 0) same(`length, ${profile}`, found.intervalSec, intervalSec)
  const isSeries = profile === 'peer' || window.seriesMs % 1000 === 0
  if (isSeries) same(`series, ${profile}`, found.seriesMs, window.seriesMs)
  same(`envelope, ${profile}`, [found.provider, found.timeMs], ['App', timeMs])
  same(`profile, ${profile}`, found.profile, profile)
}

/** What the spelling keeps: the peer's count stops at an i32, what is not finite is no value. */
function asRead(statistics: Statistics, profile: Profile): Statistics {
  const known = (value: number): number => (Number.isFinite(value) ? value : Number.NaN)
  if (statistics.kind === 'sum') return { kind: 'sum', increment: known(statistics.increment) }
  const { mean, deviation, min, max } = statistics
  const count = profile === 'peer' ? Math.min(statistics.count, 2 ** 31 - 1) : statistics.count
  const bounds = count === 0 ? { min, max } : { min: known(min), max: known(max) }
  return { kind: 'mean', count, mean: known(mean), deviation: known(deviation), ...bounds }
}

/** Through the decoder, whole and byte by byte, and back through the encoder. */
export function checkPayloadRead(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const bytes = Buffer.from(`${input.line}\n`)
  const decoder = createDecoder()
  for (const byte of bytes) decoder.push(Uint8Array.of(byte))
  decoder.end()
  const codes = decoder.errors.map(({ code }) => code)
  same('errors', codes, expect.error === undefined ? [] : [expect.error])
  const isSilent = expect.error !== undefined || expect.ignored === true
  if (isSilent) {
    same('messages', decoder.messages, [])
    return
  }
  same('messages', decoder.messages.map(withSortedWarnings), [withSortedWarnings(expect)])
  const again = createDecoder()
  for (const line of encodeEventCounters(decoder.messages)) again.push(line)
  same('encoded and read', again.messages, decoder.messages)
  const reader = new LineReader({ onWindow: () => {} })
  reader.push(bytes)
  same('windows', reader.counts.windows, 1)
}

/** Nothing is said of their order. */
function withSortedWarnings(message: unknown): unknown {
  const fields = message as Readonly<Record<string, unknown>>
  return { ...fields, warnings: [...(fields.warnings as string[])].sort() }
}

export function checkFilter(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  let error: string | undefined
  try {
    same('groups', parseFilter(input.text as string), expect.groups)
  } catch (thrown) {
    if (!(thrown instanceof FilterError)) throw thrown
    error = thrown.message
  }
  same('error', error, expect.error)
}

export function checkConsoleNumber(testCase: VectorCase): undefined {
  const { input, expect } = fieldsOf(testCase)
  const value = Number(input.value)
  same('abbreviated', consoleNumber(value, true), expect.abbreviated)
  same('full', consoleNumber(value, false), expect.full)
}

/** Same fields; means and lengths within the tolerance, 0 and everything else exactly. */
export function samePayload(what: string, actual: unknown, expected: unknown): void {
  if (typeof expected !== 'object' || expected === null || actual === null) {
    same(what, actual, expected)
    return
  }
  const found = actual as Readonly<Record<string, unknown>>
  same(`${what}: members`, Object.keys(found), Object.keys(expected))
  for (const [field, value] of Object.entries(expected)) {
    const isNear = ['Mean', 'StandardDeviation', 'IntervalSec'].includes(field) && value !== 0
    const check = isNear
      ? (name: string, a: unknown, b: unknown) => near(name, a, b, TOLERANCE)
      : same
    check(`${what}.${field}`, textOfNumber(found[field]), value)
  }
}

function textOfNumber(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}
