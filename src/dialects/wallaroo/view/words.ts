/** What an application, its views and its connections say in words. */
import type { ListenerStatus } from '../../../http/api.ts'
import { addressText } from '../../../model/text/address.ts'
import { shownName } from '../../../viewer/format/name.ts'
import {
  counted,
  digits,
  exact,
  NO_BREAK_SPACE,
  NO_VALUE,
  text,
} from '../../../viewer/format/number.ts'
import { ageText, durationText, momentText } from '../../../viewer/format/time.ts'
import type { Words } from '../../../web/shell/view.ts'
import type {
  ApplicationAnswer,
  BinJson,
  Completeness,
  CountJson,
  RowJson,
  TableJson,
  ViewAnswer,
  WorkerJson,
} from '../http/api.ts'
import type { Place } from './address.ts'
import { inFlight, numberOf } from './latency.ts'
import { INGESTION } from './place.ts'

const LENGTHS: Readonly<Record<string, string>> = {
  exclusive: 'lengths without their own field',
  inclusive: 'lengths that count their own field',
  undecided: '',
}

/** Words for what the hub tells of workers' connections, and of the limits of what they send. */
export const WORDS: Words = {
  facts: {
    joins: counted('Join'),
    connects: counted('Connect'),
    order: (value) => `min and max: ${value}`,
    binning: (value) => `binning: ${value}`,
    lengths: (value) => LENGTHS[String(value)] ?? String(value),
  },
  limits: {
    'wallaroo.windowBytesLimit': 'Windows of Wallaroo',
    'wallaroo.workersLimit': 'Workers of Wallaroo',
  },
  bitten: {
    'wallaroo.windowBytesLimit': 'windows left early',
    'wallaroo.workersLimit': 'counted together',
    'workers of one Wallaroo connection': 'not shown',
  },
}

/** Words for why windows left, and the option that keeps more of them. */
const MISSING_WORDS = {
  memory: ['were dropped for want of memory', 'wallaroo.windowBytesLimit'],
  retention: ['were past their time', 'wallaroo.retentionMs'],
} as const
/** Names in a sentence. */
const LISTED = 3

/**
 * Writes `Complete since 14:03:08: older windows were past their time. …`; '' of what is complete.
 */
export function completeWords(answer: Completeness, nowMs: number): string {
  const { completeFromMs, missingFor = 'memory' } = answer
  if (completeFromMs === undefined) return ''
  const [why, option] = MISSING_WORDS[missingFor]
  const since = `Complete since ${momentText(completeFromMs, nowMs)}: older windows ${why}`
  return `${since}. Raise ${option} to keep more; totals since the start are not affected.`
}

/**
 * Gives the address that workers send to; of a hub that listens everywhere, the name that the
 * reader has of it.
 */
export function workerAddress(listener: ListenerStatus, pageHost?: string): string {
  const { host, port } = listener
  const isAnywhere = host === '0.0.0.0' || host === '::'
  const name = isAnywhere ? (pageHost ?? location.hostname) : host
  return addressText(name, port)
}

/** Says what the hub does not know, in its words, and where what it knows is found. */
export function unknownWords(refusal: string): string {
  const words = shownName(refusal)
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}`
  return `${sentence}. It appears when a worker sends it; “Wallaroo” above lists what was sent.`
}

/** Writes `a, b, c and 12 more`. */
export function listWords(names: readonly string[]): string {
  const shown = names.slice(0, LISTED).join(', ')
  const more = names.length - LISTED
  return more > 0 ? `${shown} and ${exact(more)} more` : shown
}

type Counted = readonly (readonly [name: string, count: number])[]

/** Writes `clock_skew 12, empty_window 40`; a dash for none. */
export function countedWords(counted: Counted): string {
  return counted.map(([name, count]) => `${name} ${exact(count)}`).join(', ') || '–'
}

/** Writes the clock's offset, hub less worker: a positive one is a worker whose clock is behind. */
export function clockWords({ clockOffsetMs, isClockOff }: WorkerJson): string {
  if (clockOffsetMs === null) return 'not known yet'
  if (!isClockOff) return `agrees within ${durationText(60)}`
  return `${offWords(clockOffsetMs)}; its charts are shifted`
}

function offWords(clockOffsetMs: number): string {
  const size = durationText(Math.abs(clockOffsetMs) / 1000)
  return `off by ${size}, ${clockOffsetMs > 0 ? 'behind' : 'ahead'}`
}

/** Writes of a worker whose clock is off: `clock off by 2 min, behind`. */
export function clockShortWords({ clockOffsetMs }: WorkerJson): string {
  return `clock ${offWords(clockOffsetMs ?? 0)}`
}

/** Adds up what is known; NaN where nothing is. */
function sumOf(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value))
  return known.length === 0 ? Number.NaN : known.reduce((sum, value) => sum + value, 0)
}

/**
 * Writes `2 pipelines, 3 workers, last window 0.6 s ago. Ingested 15.2 k/s, completed 15.0 k/s.`
 */
export function summaryWords(answer: ApplicationAnswer): string {
  const { pipelines, workers, computations, nowMs } = answer
  const away = workers.filter(({ worker }) => worker.isConnected === false).length
  const rows: readonly RowJson[] = [...pipelines, ...workers, ...computations]
  const last = rows.reduce((latest, { lastWindowMs }) => Math.max(latest, lastWindowMs ?? 0), 0)
  const gone = away === 0 ? '' : ` (${exact(away)} disconnected)`
  const age = last === 0 ? 'no window yet' : `last window ${ageText((nowMs - last) / 1000)}`
  const ingested = sumOf(pipelines.map(({ ingested }) => numberOf(ingested?.median)))
  const completed = sumOf(pipelines.map(({ throughput }) => numberOf(throughput.median)))
  const parts = [counted('pipeline')(pipelines.length), counted('worker')(workers.length)]
  const rates = `Ingested ${text(ingested, '/s')}, completed ${text(completed, '/s')}.`
  return `${parts.join(', ')}${gone}, ${age}. ${rates}`
}

/** Writes `min 1.83 k/s, median 1.97 k/s, max 2.21 k/s`. */
export function throughputWords({ throughput }: RowJson): string {
  const { min, median, max } = throughput
  if (median === null) return 'no window in this time'
  const words = (value: typeof min): string => text(numberOf(value), '/s')
  return `min ${words(min)}, median ${words(median)}, max ${words(max)}`
}

type BinBounds = Pick<BinJson, 'bin' | 'fromNs' | 'toNs'>

/** Writes `above 524 288 to 1 048 576 ns`. */
export function boundsText({ bin, fromNs, toNs }: BinBounds): string {
  if (bin === 0) return `up to ${exact(toNs)}${NO_BREAK_SPACE}ns`
  return `above ${exact(fromNs)} to ${exact(toNs)}${NO_BREAK_SPACE}ns`
}

/** Bin from which on bounds would not fit into the line of a chart. */
const LONG_BIN = 50

/**
 * Writes `bin 20, above 524 288 to 1 048 576 ns: 4 120 messages, 1.80 %`; of long bounds
 * `above 2^63 to 2^64 ns`.
 */
export function binText(each: BinJson): string {
  const percent = `${digits(each.percent)}${NO_BREAK_SPACE}%`
  const messages = counted('message')(each.count)
  const { bin } = each
  const isLong = bin >= LONG_BIN
  const bounds = isLong ? `above 2^${bin - 1} to 2^${bin}${NO_BREAK_SPACE}ns` : boundsText(each)
  return `bin ${bin}, ${bounds}: ${messages}, ${percent}`
}

/** All 65 bins and their bounds, which the protocol fixes. */
export const RANGES: readonly BinBounds[] = Array.from({ length: 65 }, (_, bin) => ({
  bin,
  fromNs: bin === 0 ? 0 : `${1n << BigInt(bin - 1)}`,
  toNs: `${1n << BigInt(bin)}`,
}))

/**
 * Writes `bins 11 to 19, above 1 024 to 524 288 ns: 1.80 %` of a group of the original's chart.
 * @param last bin of the group
 * @param before last bin of the group before it; -1 for the first group
 */
export function groupWords(last: number, before: number, percent: number): string {
  const [low, high] = [RANGES[before + 1]!, RANGES[last]!]
  const bins = low === high ? `bin ${last}` : `bins ${low.bin} to ${last}`
  const bounds = boundsText({ ...high, bin: low.bin, fromNs: low.fromNs })
  return `${bins}, ${bounds}: ${digits(percent)}${NO_BREAK_SPACE}%`
}

/** Says what the messages of bin 64 are, of which no latency is known. */
export function skewWords(skewed: CountJson, isCounted: boolean): string {
  const clocks = 'the clocks of two workers disagreed, or they took more than 292 years'
  const share = isCounted ? 'They count here' : 'As clock skew they count as messages only'
  const rest = 'and have no part in percentiles, min, max and mean.'
  return `${counted('message')(skewed)} in bin 64: ${clocks}. ${share}, ${rest}`
}

/** Names the rows below a place. */
export function tableTitle({ name }: Pick<TableJson, 'name'>, place: Place): string {
  if (name === 'by_worker') {
    return place.worker === null ? 'On each worker' : 'The same on the other workers'
  }
  if (name === 'by_pipeline') return 'In each pipeline'
  if (name === 'sources') return 'Sources'
  return name === 'pipelines' ? 'Pipelines' : 'Computations'
}

/** Writes an estimate: two digits, as of a mean that is estimated, too. */
export function flightText(row: RowJson): string {
  const flying = inFlight(row)
  if (Number.isNaN(flying)) return NO_VALUE
  return flying >= 999.5 ? text(flying) : digits(flying, 2)
}

/** Lists what is known exactly, and what is estimated; in the order of their use. */
export function factsOf(view: ViewAnswer): readonly (readonly [string, string])[] {
  const { total, ids, series } = view
  const { latency, messages } = total
  const { minNs, maxNs, meanNsEstimated, skewed } = latency
  const facts: (readonly [string, string])[] = [['Messages', exact(latency.count)]]
  if (view.key.category !== INGESTION) {
    facts.push(['Min', text(numberOf(minNs), 'ns')], ['Max', text(numberOf(maxNs), 'ns')])
    facts.push(['Mean, estimated', text(meanNsEstimated, 'ns')])
    facts.push(['In flight, estimated', flightText(total)])
    if (Number(skewed) > 0) facts.push(['Clock skew', exact(skewed)])
  }
  facts.push(['Since the start', exact(messages)])
  if (ids.length > 0) facts.push([ids.length === 1 ? 'Place' : 'Places', ids.join(', ')])
  if (series > 1) facts.push(['Added up from', `${exact(series)} series`])
  return facts
}
