/**
 * Windows to payloads, in both spellings (eventcounters.md §3.2); pure. The members stand in the
 * order of the wire:
 *
 *   document  Mean  [DisplayName][DisplayRateTimeScale "1"][Name][Mean][StandardDeviation][Count]
 *                   [Min][Max][IntervalSec][Series s][CounterType "Mean"][MetaData k=v]
 *             Sum   [DisplayName][DisplayRateTimeScale s][Name][Increment][IntervalSec][Series s]
 *                   [CounterType "Sum"][MetaData k=v]
 *   peer      Mean  [Name][DisplayName][Mean][StandardDeviation][Count i32][Min][Max]
 *                   [IntervalSec f32][Series ms][CounterType "Mean"][Metadata k:v][DisplayUnits]
 *             Sum   [Name][DisplayName][DisplayRateTimeScale TimeSpan][Increment][IntervalSec f32]
 *                   [Metadata k:v][Series ms][CounterType "Sum"][DisplayUnits]
 */
import type { Profile } from '../../decoder.ts'
import { EVENT_NAME, INT32_MAX, MARKS, type Mark } from '../spec.ts'
import type { CounterDescription, CounterWindow, Statistics } from '../window.ts'
import { bucketsMember } from './buckets.ts'
import { seriesText } from './interval.ts'
import { buildMetaData } from './metadata.ts'
import { rateScaleText } from './rate-scale.ts'

/** Members in wire order; infinities and NaN are still numbers. */
export type PayloadObject = Record<string, string | number>

export function toPayload(window: CounterWindow, profile: Profile): PayloadObject {
  const { counter, statistics } = window
  return profile === 'document'
    ? documentPayload(window, counter, statistics)
    : peerPayload(window, counter, statistics)
}

function documentPayload(
  window: CounterWindow,
  counter: CounterDescription,
  statistics: Statistics,
): PayloadObject {
  const isSum = statistics.kind === 'sum'
  return {
    DisplayName: counter.displayName,
    DisplayRateTimeScale: isSum ? rateScaleText(counter.rateScaleSec, 'document') : '1',
    Name: counter.name,
    ...numbersOf(statistics, 'document'),
    IntervalSec: window.intervalSec,
    Series: seriesText(window.seriesMs, 'document'),
    CounterType: isSum ? 'Sum' : 'Mean',
    MetaData: buildMetaData(counter.metaData, counter.units, 'document'),
  }
}

function peerPayload(
  window: CounterWindow,
  counter: CounterDescription,
  statistics: Statistics,
): PayloadObject {
  const names = { Name: counter.name, DisplayName: counter.displayName }
  const numbers = numbersOf(statistics, 'peer')
  const IntervalSec = Math.fround(window.intervalSec)
  const Series = seriesText(window.seriesMs, 'peer')
  const Metadata = buildMetaData(counter.metaData, counter.units, 'peer')
  const DisplayUnits = counter.units
  if (statistics.kind === 'mean') {
    const CounterType = 'Mean'
    return { ...names, ...numbers, IntervalSec, Series, CounterType, Metadata, DisplayUnits }
  }
  const DisplayRateTimeScale = rateScaleText(counter.rateScaleSec, 'peer')
  return {
    ...names,
    DisplayRateTimeScale,
    ...numbers,
    IntervalSec,
    Metadata,
    Series,
    CounterType: 'Sum',
    DisplayUnits,
  }
}

function numbersOf(statistics: Statistics, profile: Profile): Record<string, number> {
  if (statistics.kind === 'sum') return { Increment: statistics.increment }
  const { mean, deviation, count, min, max } = statistics
  return {
    Mean: mean,
    StandardDeviation: deviation,
    Count: profile === 'peer' ? Math.min(count, INT32_MAX) : count,
    Min: min,
    Max: max,
  }
}

/** End of a line behind its payload, and its marks. */
export const LINE_END = '}\n'

/** Lists what the payload of a counter can't say. */
function marksOf(counter: CounterDescription, kind: Statistics['kind'], profile: Profile): Mark[] {
  const isChosen = kind === 'sum' && counter.rateScaleSec === 1 && profile === 'document'
  const hasTags = counter.hasTags === true && counter.metaData.length > 0
  return MARKS.filter((mark) => (mark === 'scale' ? isChosen : hasTags))
}

/** Tells how windows of this window's counter are spelled. */
export function spellingOf({ counter, statistics }: CounterWindow, profile: Profile): Spelling {
  let known = spellings.get(counter)
  if (known === undefined) {
    known = { document: {}, peer: {} }
    spellings.set(counter, known)
  }
  const { kind } = statistics
  known[profile][kind] ??= new Spelling(counter, kind, profile)
  return known[profile][kind]
}

type Spellings = Record<Profile, { [kind in Statistics['kind']]?: Spelling }>

/** Spellings by description, which is the same object for as long as nothing of it changes. */
const spellings = new WeakMap<CounterDescription, Spellings>()

/**
 * The texts of one counter that stay the same from window to window, and the last window's: the
 * sessions of one interval are told the same one after the other.
 */
class Spelling {
  readonly #profile: Profile
  /** Text before the numbers, before and after Series. */
  readonly #head: string
  readonly #middle: string
  readonly #tail: string
  /** Head of a line, up to its time. */
  readonly #lineHead: string
  /** The counter's marks, if there are any. */
  readonly #marks: string
  #seriesMs = -1
  #seriesText = ''
  #window: CounterWindow | undefined
  #timeMs = -1
  #line = ''

  constructor(counter: CounterDescription, kind: Statistics['kind'], profile: Profile) {
    const texts = profile === 'document' ? documentTexts(counter, kind) : peerTexts(counter, kind)
    this.#profile = profile
    this.#head = texts.head
    this.#middle = `${texts.middle}"Series":"`
    this.#tail = `"${texts.tail}`
    const provider = JSON.stringify(counter.provider)
    this.#lineHead = `{"event":"${EVENT_NAME}","provider":${provider},"time":"`
    const marks = marksOf(counter, kind, profile)
    this.#marks = marks.length === 0 ? '' : `,"marks":${JSON.stringify(marks)}`
  }

  /** Writes the end of a line with its marks and buckets, if there are any. */
  markedEnd({ histogram }: CounterWindow): string {
    const buckets = histogram && bucketsMember(histogram)
    if (buckets === undefined) return this.#marks + LINE_END
    return `${this.#marks},"buckets":${JSON.stringify(buckets)}${LINE_END}`
  }

  /** Writes the exact JSON text of {@link toPayload}; what is not finite is `null`. */
  #payload({ seriesMs, intervalSec, statistics }: CounterWindow): string {
    if (seriesMs !== this.#seriesMs) {
      this.#seriesText = seriesText(seriesMs, this.#profile)
      this.#seriesMs = seriesMs
    }
    const numbers = numbersText(statistics, intervalSec, this.#profile)
    return `${this.#head}${numbers}${this.#middle}${this.#seriesText}${this.#tail}`
  }

  /**
   * Writes a line up to its end; its text is kept from the second time on: most windows are one
   * session's.
   * @param time `timeMs` as text
   */
  line(window: CounterWindow, timeMs: number, time: string): string {
    const isSame = window === this.#window && timeMs === this.#timeMs
    if (isSame && this.#line !== '') return this.#line
    const line = `${this.#lineHead}${time}","Payload":${this.#payload(window)}`
    this.#line = isSame ? line : ''
    this.#window = window
    this.#timeMs = timeMs
    return line
  }
}

/**
 * Writes numbers by JSON.stringify, which spells them faster than they become texts, and NaN as
 * `null`.
 */
function numbersText(statistics: Statistics, seconds: number, profile: Profile): string {
  const isPeer = profile === 'peer'
  const IntervalSec = isPeer ? Math.fround(seconds) : seconds
  if (statistics.kind === 'sum') {
    return JSON.stringify({ Increment: statistics.increment, IntervalSec }).slice(1, -1)
  }
  const { mean: Mean, deviation: StandardDeviation, min: Min, max: Max } = statistics
  const Count = isPeer ? Math.min(statistics.count, INT32_MAX) : statistics.count
  return JSON.stringify({ Mean, StandardDeviation, Count, Min, Max, IntervalSec }).slice(1, -1)
}

interface FixedTexts {
  readonly head: string
  readonly middle: string
  readonly tail: string
}

function documentTexts(counter: CounterDescription, kind: Statistics['kind']): FixedTexts {
  const scale = kind === 'sum' ? rateScaleText(counter.rateScaleSec, 'document') : '1'
  const head =
    `{"DisplayName":${JSON.stringify(counter.displayName)},"DisplayRateTimeScale":"${scale}"` +
    `,"Name":${JSON.stringify(counter.name)},`
  const metaData = buildMetaData(counter.metaData, counter.units, 'document')
  const type = kind === 'sum' ? 'Sum' : 'Mean'
  const tail = `,"CounterType":"${type}","MetaData":${JSON.stringify(metaData)}}`
  return { head, middle: ',', tail }
}

function peerTexts(counter: CounterDescription, kind: Statistics['kind']): FixedTexts {
  const { name, displayName, units } = counter
  const names = `{"Name":${JSON.stringify(name)},"DisplayName":${JSON.stringify(displayName)},`
  const metadata = JSON.stringify(buildMetaData(counter.metaData, units, 'peer'))
  const last = `,"DisplayUnits":${JSON.stringify(units)}}`
  if (kind === 'mean') {
    const tail = `,"CounterType":"Mean","Metadata":${metadata}${last}`
    return { head: names, middle: ',', tail }
  }
  const head = `${names}"DisplayRateTimeScale":"${rateScaleText(counter.rateScaleSec, 'peer')}",`
  return { head, middle: `,"Metadata":${metadata},`, tail: `,"CounterType":"Sum"${last}` }
}
