/** What the hub says of itself, as the page words it: titles, troubles, the one banner. */
import type {
  LimitStatus,
  ListenerStatus,
  OverloadStatus,
  PeerStatus,
  SourcesAnswer,
} from '../../http/api.ts'
import { addressText } from '../../model/text/address.ts'
import { exact, text } from './number.ts'
import { clockText, durationText } from './time.ts'

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

/** Says that a peer is not there, why, what that means and when it is tried again. */
export function peerWords(
  { name, direction, state, message, ...times }: PeerStatus,
  nowMs: number,
) {
  const what =
    state === 'lost'
      ? `${name} is gone since ${clockText(times.sinceMs)}`
      : `${name} was not reached yet`
  const why = message === undefined ? '' : `: ${reasonWords(message)}`
  const stop = /[.?]$/.test(why) ? '' : '.'
  const meaning =
    direction === 'relay'
      ? ' What waits for it is kept within its limit.'
      : state === 'never'
        ? ' What it has is missing; all others go on.'
        : ' Its series have a gap from then on; all others go on.'
  const { nextTryMs } = times
  const seconds = Math.max(1, Math.ceil(((nextTryMs ?? nowMs) - nowMs) / 1000))
  const next = nextTryMs === undefined ? '' : ` Next try in ${durationText(seconds)}.`
  return `${what}${why}${stop}${meaning}${next}`
}

export function listenerAddress({ transports, host, port }: ListenerStatus): string {
  return `${transports.join('+')} ${addressText(host, port)}`
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

export function listenerWords(listener: ListenerStatus, nowMs: number): string {
  const { message, nextTryMs } = listener
  const address = addressText(listener.host, listener.port)
  const what = `Listener ${listener.dialects.join(', ')} on ${address} did not start`
  const why = message === undefined ? '' : `: ${message.replace(/\.$/, '')}`
  const next =
    nextTryMs === undefined ? '' : ` Next try in ${durationText((nextTryMs - nowMs) / 1000)}.`
  return `${what}${why}. The other sources are not affected.${next}`
}
