/**
 * The hub's names for facts and limits in plain words. What is not in the tables is shown as it is
 * named, so that nothing a newer hub says is lost.
 */
import type {
  ConnectionStatus,
  ExportStatus,
  SourcesAnswer,
  WorkerStatus,
  ZoneStatus,
} from '../../http/api.ts'
import { counted, exact, NO_VALUE, text } from '../../viewer/format/number.ts'
import { errorCount } from '../../viewer/format/status.ts'
import type { View, Words } from '../shell/view.ts'

type Fact = string | number | boolean
type FactWords = (value: Fact) => string

const bytes =
  (words: string): FactWords =>
  (value) =>
    `${text(Number(value), 'B')} ${words}`
const asItIs: FactWords = (value) => String(value)

/** An empty text leaves the fact out. */
const FACT_WORDS: Readonly<Record<string, FactWords>> = {
  state: asItIs,
  phase: asItIs,
  framing: (value) => (value === 'bare' ? 'without frames' : String(value)),
  intervalMs: (value) => `every ${text(Number(value), 'ms')}`,
  isClamped: (value) => (value === true ? 'slower than asked for' : ''),
  tMs: (value) => `sampling for ${text(Number(value), 'ms')}`,
  series: counted('series', 'series'),
  snapshots: counted('snapshot'),
  infos: counted('description'),
  skipped: counted('snapshot skipped', 'snapshots skipped'),
  overBudget: counted(
    'snapshot beyond its bytes per second',
    'snapshots beyond its bytes per second',
  ),
  overShare: counted(
    'snapshot beyond the bytes per second of all viewers',
    'snapshots beyond the bytes per second of all viewers',
  ),
  missed: counted('snapshot missed', 'snapshots missed'),
  dropped: counted('value dropped', 'values dropped'),
  bad: counted('unreadable packet'),
  refused: counted('series refused', 'series refused'),
  frames: counted('frame'),
  url: asItIs,
  interval: asItIs,
  windows: counted('window'),
  rejected: counted('frame refused', 'frames refused'),
  reconnects: counted('reconnect'),
  lastError: (value) => `last error: ${value}`,
  bytesHeld: bytes('of an unfinished frame'),
  bufferedBytes: bytes('waiting to be sent'),
  ignoredBytes: bytes('ignored'),
}

/**
 * Writes what is to be said of a connection: nothing of what it has none of.
 * @param words of the dialects
 */
export function factWords(facts: ConnectionStatus['facts'], words: Words = {}): string {
  const known = { ...FACT_WORDS, ...words.facts }
  const texts = Object.entries(facts).map(([name, value]) => {
    if (value === 0 || value === false) return ''
    if (Object.hasOwn(known, name)) return known[name]?.(value) ?? ''
    if (value === true) return name
    return `${name} ${typeof value === 'number' ? digitsOf(value) : value}`
  })
  return texts.filter((each) => each !== '').join(', ')
}

function digitsOf(value: number): string {
  return Number.isInteger(value) ? exact(value) : String(value)
}

const LIMIT_TITLES: Readonly<Record<string, string>> = {
  seriesLimit: 'Series',
  seriesLimitPerSource: 'Series of one source',
  zoneBytesLimit: 'Shared memory',
  zonePercentPerSource: 'Shared memory of one source',
  liveBytesLimit: 'Live window',
  samplesBytesLimit: 'Samples below a second',
  'http.answersLimit': 'Large HTTP answers',
  sessionsLimit: 'Live viewers',
  connectionsLimit: 'Connections',
  connectionsLimitPerAddress: 'Connections of one address',
  unfinishedBytesLimit: 'Unfinished messages',
  unfinishedBytesLimitPerAddress: 'Unfinished messages of one address',
  workers: 'Workers',
}

/**
 * Names a limit; `connectionsLimit of stream` is the one of a listener: `Connections of stream`.
 * One that no table has is named by its own words, `eggs.basketLimit` as `Basket of Eggs`.
 */
export function limitTitle(
  name: string,
  words: Words = {},
  sources?: Pick<SourcesAnswer, 'dialects'>,
): string {
  const [word = name] = name.split(' ', 1)
  const rest = name.slice(word.length)
  return wordsOf({ ...LIMIT_TITLES, ...words.limits }, word, ownWords(word, sources)) + rest
}

function ownWords(name: string, sources: Pick<SourcesAnswer, 'dialects'> | undefined): string {
  const dot = name.indexOf('.')
  const owner = sources?.dialects.find((each) => each.name === name.slice(0, Math.max(0, dot)))
  const ownName = owner === undefined ? name : name.slice(dot + 1)
  const text = ownName
    .replace(/Limit(?=$|Per[A-Z])/, '')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const title = text.charAt(0).toUpperCase() + text.slice(1)
  return owner === undefined ? title : `${title} of ${owner.title}`
}

/**
 * Gives the option that sets a limit, under the name that it has in the configuration; '' without.
 */
export function limitOption(name: string): string {
  return /^[\w.]*Limit(Per(Source|Address))?(?= |$)/.exec(name)?.[0] ?? ''
}

/** Limits that refuse nothing: they let the oldest go, or count what they don't show. */
const BITTEN_WORDS: Readonly<Record<string, string>> = {
  liveBytesLimit: 'left early',
  unfinishedBytesLimit: 'closed',
  unfinishedBytesLimitPerAddress: 'closed',
}

/** Says what a limit did so far. */
export function bittenWords(name: string, refused: number, words: Words = {}): string {
  const known = { ...BITTEN_WORDS, ...words.bitten }
  return `${exact(refused)} ${wordsOf(known, name, 'refused')}.`
}

/** Says what fails of an export, what to do, and what goes on. */
export function receiverWords({ state, message }: ExportStatus): string {
  if (message === undefined) return ''
  const goesOn = state === 'failing' ? ' Totals go on: the next export has newer ones.' : ''
  return `${message}${/[.?]$/.test(message) ? '' : '.'}${goesOn}`
}

/** Counts listeners and connections, and what of that which arrived is not in the numbers. */
export function summaryWords(sources: SourcesAnswer): string {
  const count = (number: number, word: string): string => counted(word)(number)
  const listeners = count(sources.listeners.length, 'listener')
  return `${listeners}, ${count(sources.connections.length, 'connection')}. ${lossWords(sources)}`
}

/**
 * Says what of that which arrived is not in the numbers: that all of it is, only where nothing is
 * known to be missing, and the system would have said so.
 */
function lossWords(sources: SourcesAnswer): string {
  const errors = errorCount(sources)
  const measurements = sources.refusals.reduce((sum, { count }) => sum + count, 0)
  const others = sources.limits
    .filter(({ name }) => name.startsWith('connectionsLimit'))
    .reduce((sum, { refused }) => sum + refused, 0)
  const datagrams = sources.listeners.reduce((sum, { kernelDrops, datagramsDropped }) => {
    return sum + (kernelDrops ?? 0) + (datagramsDropped ?? 0)
  }, 0)
  const unfinished = sources.limits
    .filter(({ name }) => name.startsWith('unfinishedBytesLimit'))
    .reduce((sum, { refused }) => sum + refused, 0)
  const threads = sources.workers?.reduce((sum, { restarts }) => sum + restarts, 0) ?? 0
  const parts: string[] = []
  if (errors > 0) parts.push(`${counted('message')(errors)} could not be read`)
  if (measurements > 0) parts.push(`${counted('measurement')(measurements)} not taken`)
  if (others > 0) parts.push(`${counted('connection')(others)} refused`)
  if (datagrams > 0) parts.push(`${counted('datagram')(datagrams)} dropped`)
  if (unfinished > 0) parts.push(`${counted('unfinished message')(unfinished)} cut off`)
  if (threads > 0) parts.push(`${counted('ingest thread')(threads)} ended and replaced`)
  if (parts.length > 0) {
    const isRest = measurements + others + datagrams + unfinished + threads > 0
    return `${parts.join(', ')} since the start${isRest ? '.' : '; nothing beside them was lost.'}`
  }
  if (sources.dialects.every(({ lastDataMs }) => lastDataMs === null)) {
    return 'Nothing has arrived yet.'
  }
  const isUnknown = sources.listeners.some(({ kernelDrops }) => kernelDrops === null)
  const beside = isUnknown ? ' What the system dropped before is not known here.' : ''
  return `Everything that arrived could be read.${beside}`
}

/** Says how an ingest thread takes datagrams out of its socket. */
export function receiveWords({ udpReceive }: Pick<WorkerStatus, 'udpReceive'>): string {
  if (udpReceive === undefined) return NO_VALUE
  return udpReceive === 'recvmmsg' ? 'many per system call' : 'one per system call'
}

const PART_WORDS: Readonly<Record<string, string>> = {
  fixed: 'header',
  tables: 'tables of segments',
  segments: 'totals',
  blocks: 'negative observations',
  free: 'free again',
}

/** Lists parts of the zone, the largest first; those that take nothing are left out. */
export function partWords({ bytes }: Pick<ZoneStatus, 'bytes'>): string {
  return Object.entries(bytes)
    .filter(([, size]) => size > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([part, size]) => `${wordsOf(PART_WORDS, part)} ${text(size, 'B')}`)
    .join(', ')
}

const ZONE_REFUSAL_WORDS: Readonly<Record<string, string>> = {
  type_mismatch: 'known as another type',
  key_too_long: 'name too long',
  metrics_limit: 'too many metrics',
  zone_full: 'no memory left',
  lock_timeout: 'lock not free in time',
}

/** Says why definitions and slots were refused; empty where none was. */
export function zoneRefusalWords({ refusals }: Pick<ZoneStatus, 'refusals'>): string {
  return Object.entries(refusals)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `${exact(count)} ${wordsOf(ZONE_REFUSAL_WORDS, reason)}`)
    .join(', ')
}

function wordsOf(known: Readonly<Record<string, string>>, name: string, otherwise = name): string {
  return (Object.hasOwn(known, name) ? known[name] : undefined) ?? otherwise
}

/** Merges the words of all dialects. */
export function mergeWords(views: readonly View[]): Required<Words> {
  const all = views.map(({ words }) => words)
  return {
    facts: Object.assign({}, ...all.map((words) => words?.facts)),
    limits: Object.assign({}, ...all.map((words) => words?.limits)),
    bitten: Object.assign({}, ...all.map((words) => words?.bitten)),
  }
}
