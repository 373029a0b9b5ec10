/** What the hub says of itself, as the page words it: titles, troubles, the one banner. */
import type {
  LimitStatus,
  ListenerStatus,
  OverloadStatus,
  PeerStatus,
  SourcesAnswer,
} from '../../http/api.ts'
import { addressText } from '../../model/text/address.ts'
import { counted, exact, text } from './number.ts'
import { clockText, durationText } from './time.ts'

const messageCount = counted('message')

export function dialectTitle(sources: SourcesAnswer | undefined, name: string): string {
  return sources?.dialects.find((dialect) => dialect.name === name)?.title ?? name
}

/** Titles of the dialects that a listener takes; its name where it is none of this hub. */
export function listenerTitle(sources: SourcesAnswer, name: string): string {
  const listener = sources.listeners.find((each) => each.name === name)
  if (listener === undefined) return name
  return listener.dialects.map((dialect) => dialectTitle(sources, dialect)).join(', ')
}

export function errorCount(sources: SourcesAnswer | undefined): number {
  return sources?.errors.reduce((sum, { count }) => sum + count, 0) ?? 0
}

/** Lists series limits that refuse names, the fullest first. */
export function reachedSeriesLimits(sources: SourcesAnswer | undefined): readonly LimitStatus[] {
  return (sources?.limits ?? []).filter(({ name, refused }) => refused > 0 && /^series/i.test(name))
}

/**
 * Tells whether a series limit refuses what this dialect sends, by the sources of refused names.
 */
export function isLimited(sources: SourcesAnswer | undefined, dialect: string): boolean {
  const addresses = new Set<string>()
  for (const source of sources?.sources ?? []) {
    if (source.dialect === dialect) addresses.add(source.address)
  }
  return reachedSeriesLimits(sources).some(({ name, examples }) => {
    if (examples?.some(({ source }) => addresses.has(source))) return true
    return [...addresses].some((address) => name.includes(address))
  })
}

const OVERLOAD_WORDS = {
  none: 'nothing',
  answers: 'large answers',
  names: 'large answers and new series',
  connections: 'large answers, new series and new connections',
} as const

export function overloadWords({ cause, refuses }: OverloadStatus): string {
  const what = `The hub is overloaded (${cause}) and refuses ${OVERLOAD_WORDS[refuses]}.`
  return `${what} What it knows it goes on counting.`
}

export function failedListeners(sources: SourcesAnswer | undefined): readonly ListenerStatus[] {
  return sources?.listeners.filter(({ state }) => state === 'failed') ?? []
}

/** Says of a listener of several dialects what came there that is of none of them. */
export function unclaimedWords(listener: ListenerStatus): string {
  const { unclaimed = 0, dialects } = listener
  if (dialects.length < 2 || unclaimed === 0) return ''
  const are = unclaimed === 1 ? 'is' : 'are'
  return `${messageCount(unclaimed)} at ${listenerAddress(listener)} ${are} of no dialect.`
}

/** Words for a hub that has no series to show. */
interface EmptyWords {
  readonly title: string
  /** Something arrived, and is not in the numbers: Sources say what it was. */
  readonly isLoss: boolean
}

/** Says why there are no series: nothing has come, or nothing that could be read, taken or kept. */
export function emptyWords(sources: SourcesAnswer | undefined): EmptyWords {
  const errors = errorCount(sources)
  if (errors > 0) {
    return { title: `${messageCount(errors)} arrived and could not be read`, isLoss: true }
  }
  const refused = sources?.refusals.reduce((sum, { count }) => sum + count, 0) ?? 0
  if (refused > 0) {
    const what = counted('measurement')(refused)
    return {
      title: `${what} arrived and ${refused === 1 ? 'was' : 'were'} not taken`,
      isLoss: true,
    }
  }
  const isHeard = sources?.dialects.some((it) => it.role === 'receive' && it.lastDataMs !== null)
  return {
    title: isHeard ? 'There are no series any more' : 'Nothing has arrived yet',
    isLoss: false,
  }
}

/** Lists peers that the hub was told to connect to and has no connection with. */
export function absentPeers(sources: SourcesAnswer | undefined): readonly PeerStatus[] {
  return sources?.peers?.filter(({ state }) => state !== 'connected') ?? []
}

const REASON_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses the connection; is it running?',
  ECONNRESET: 'it broke the connection',
  EPIPE: 'it broke the connection',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
}

/** Says why a peer is not there: codes of the system as words, all else as it is. */
export function reasonWords(message: string): string {
  const code = /\bE[A-Z_]{4,}\b/.exec(message)?.[0] ?? ''
  return (Object.hasOwn(REASON_WORDS, code) ? REASON_WORDS[code] : undefined) ?? message
}

/** Peers and listeners that a notice names; of more it says how many. */
const NAMED_LIMIT = 3

/** Says which of all peers are not there, why, what that means, and what goes on. */
export function peersWords(
  peers: readonly PeerStatus[],
  listeners: readonly ListenerStatus[],
  nowMs: number,
): string {
  const absent = peers.filter(({ state }) => state !== 'connected')
  const [first] = absent
  if (first === undefined) return ''
  const what =
    absent.length === 1
      ? oneAbsentWords(first)
      : `${exact(absent.length)} of ${exact(peers.length)} peers are not there: ` +
        `${listWords(absent.map(shortAbsenceWords))}.`
  const isHeard = listeners.every(({ state }) => state === 'listening')
  const rest = restWords(peers.length - absent.length, 'is connected', 'are connected')
  const goesOn = rest || (isHeard ? 'What is sent to the hub goes on.' : '')
  return [what, meaningWords(absent), goesOn, nextWords(absent, nowMs)].filter(Boolean).join(' ')
}

function oneAbsentWords({ name, state, sinceMs, message }: PeerStatus): string {
  const what = state === 'lost' ? `is gone since ${clockText(sinceMs)}` : 'was not reached yet'
  const why = message === undefined ? '' : `: ${reasonWords(message)}`
  return `${name} ${what}${why}${/[.?]$/.test(why) ? '' : '.'}`
}

/** Says the same of one among several, without what may be asked about the reason. */
function shortAbsenceWords({ name, state, sinceMs, message }: PeerStatus): string {
  const what = state === 'lost' ? `gone since ${clockText(sinceMs)}` : 'not reached yet'
  const why = message === undefined ? '' : `: ${reasonWords(message).split(';')[0]}`
  return `${name} (${what}${why})`
}

/** Says what it means that these are not there, for what is read from them and sent to them. */
function meaningWords(absent: readonly PeerStatus[]): string {
  const relays = absent.filter(({ direction }) => direction === 'relay').length
  const isOne = absent.length === 1
  if (relays === absent.length) {
    return `What waits for ${isOne ? 'it' : 'them'} is kept within its limit.`
  }
  if (relays > 0) {
    return (
      'What those have that are read from is missing meanwhile; ' +
      'what waits for the others is kept within its limit.'
    )
  }
  if (!isOne) return 'What they have is missing meanwhile.'
  return absent[0]!.state === 'never'
    ? 'What it has is missing.'
    : 'Its series have a gap from then on.'
}

/** Says when the first of these is tried again; nothing where none has a time. */
function nextWords(failed: readonly { readonly nextTryMs?: number }[], nowMs: number): string {
  const times = failed.flatMap(({ nextTryMs }) => nextTryMs ?? [])
  if (times.length === 0) return ''
  const seconds = Math.max(1, Math.ceil((Math.min(...times) - nowMs) / 1000))
  return `Next try in ${durationText(seconds)}.`
}

/** Says of all others that they are well; nothing where there are none. */
function restWords(count: number, one: string, many: string): string {
  if (count === 0) return ''
  return count === 1 ? `The other one ${one}.` : `The other ${exact(count)} ${many}.`
}

/** Writes `a, b and c`, or `a, b, c and 7 more`. */
function listWords(words: readonly string[]): string {
  const rest = words.length - NAMED_LIMIT
  const named = rest > 0 ? [...words.slice(0, NAMED_LIMIT), `${exact(rest)} more`] : words
  return `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`
}

export function listenerAddress({ transports, host, port }: ListenerStatus): string {
  return `${transports.join('+')} ${addressText(host, port)}`
}

/**
 * Finds the dialects whose rates are this listener's: what they count comes there alone. One that
 * another listener takes as well, that peers are read from, or that sends, may come elsewhere.
 */
export function ownDialects(sources: SourcesAnswer, { dialects }: ListenerStatus): string[] {
  const { listeners, peers = [] } = sources
  return dialects.filter((name) => {
    const role = sources.dialects.find((dialect) => dialect.name === name)?.role
    const places = listeners.filter((each) => each.dialects.includes(name)).length
    const isRead = peers.some((it) => it.direction === 'attach' && it.dialect === name)
    return role === 'receive' && places === 1 && !isRead
  })
}

/** Writes used and limit as they are counted: bytes as KiB, all else exactly. */
export function limitAmount(name: string, amount: number): string {
  return /bytes|^zone/i.test(name) ? text(amount, 'B') : exact(amount)
}

/** Writes `Series limit of 127.0.0.1:8125 reached: 2 000 of 2 000. …` */
export function limitWords(limit: LimitStatus): string {
  const first = limit.examples?.[0]
  const isPerSource = /source$/i.test(limit.name)
  const of = isPerSource && first !== undefined ? first.source : 'all sources'
  const reached = `Series limit of ${of} reached: ${exact(limit.used)} of ${exact(limit.limit)}.`
  const goesOn = 'New names are refused, known ones go on.'
  return [reached, goesOn, first && `First refused: ${first.key}.`].filter(Boolean).join(' ')
}

/** Says which listeners did not start, why, that the others are not affected, and the next try. */
export function listenersWords(listeners: readonly ListenerStatus[], nowMs: number): string {
  const failed = listeners.filter(({ state }) => state === 'failed')
  const [first] = failed
  if (first === undefined) return ''
  const next = nextWords(failed, nowMs)
  const nameOf = ({ dialects, host, port }: ListenerStatus): string => {
    return `${dialects.join(', ')} on ${addressText(host, port)}`
  }
  const whyOf = ({ message }: ListenerStatus): string => message?.replace(/\.$/, '') ?? ''
  if (failed.length === 1) {
    const why = whyOf(first) && `: ${whyOf(first)}`
    const what = `Listener ${nameOf(first)} did not start${why}.`
    return [what, 'The other sources are not affected.', next].filter(Boolean).join(' ')
  }
  const each = failed.map((it) => nameOf(it) + (whyOf(it) && ` (${whyOf(it)})`))
  const count = `${exact(failed.length)} of ${exact(listeners.length)}`
  const what = `${count} listeners did not start: ${listWords(each)}.`
  const listening = listeners.filter(({ state }) => state === 'listening').length
  return [what, restWords(listening, 'listens', 'listen'), next].filter(Boolean).join(' ')
}
