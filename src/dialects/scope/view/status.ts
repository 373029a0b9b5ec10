/** What stands in the line above the board: sources, whether they are there, how they measure. */
import type { ConnectionStatus, PeerStatus, SourcesAnswer } from '../../../http/api.ts'
import { exact, text } from '../../../viewer/format/number.ts'
import { reasonWords } from '../../../viewer/format/status.ts'
import { clockText, durationText } from '../../../viewer/format/time.ts'

export interface SourceState {
  readonly name: string
  readonly isOnline: boolean
  /** Facts of the connection: `20 ms, 50 Hz`, `framed`, `0 missed, 0 dropped`. */
  readonly facts: readonly string[]
  /** Reason why it is not there, and what comes next. */
  readonly trouble: string | undefined
}

interface StateQuery {
  readonly sources: SourcesAnswer | undefined
  /** Sources of the lines that are followed. */
  readonly names: readonly string[]
  readonly isHubLost: boolean
  /** Age of the newest sample of a source, seconds; undefined where there is none. */
  readonly ageS: (source: string) => number | undefined
  /** Seconds without a sample after which it is offline. */
  readonly timeoutS: (source: string) => number
  readonly nowMs: number
}

/** Tells of every source of the board how it is, exporters first. */
export function sourceStates(query: StateQuery): readonly SourceState[] {
  const peers = new Map((query.sources?.peers ?? []).map((peer) => [peer.source, peer]))
  return query.names.map((name) => stateOf(name, peers.get(name), query))
}

function stateOf(name: string, peer: PeerStatus | undefined, query: StateQuery): SourceState {
  const { sources, isHubLost, ageS, timeoutS, nowMs } = query
  const connection = sources?.connections.find(
    ({ openedBy, peer: address }) => openedBy === 'hub' && address.endsWith(` ${name}`),
  )
  const facts = connection === undefined ? [] : factsOf(connection.facts)
  if (isHubLost) return { name, isOnline: false, facts, trouble: undefined }
  if (peer === undefined) return { name, isOnline: true, facts, trouble: undefined }
  if (peer.state !== 'connected') {
    return { name, isOnline: false, facts, trouble: absenceWords(peer, nowMs) }
  }
  const age = ageS(name)
  if (age !== undefined && age > timeoutS(name)) {
    return { name, isOnline: false, facts, trouble: `no sample for ${durationText(age)}` }
  }
  return { name, isOnline: true, facts, trouble: undefined }
}

function absenceWords({ state, sinceMs, message, nextTryMs }: PeerStatus, nowMs: number): string {
  const since = state === 'lost' ? `since ${clockText(sinceMs)}` : 'not reached yet'
  const why = message === undefined ? '' : `: ${reasonWords(message)}`
  const stop = /[.?]$/.test(why) ? '' : '.'
  const seconds = Math.max(1, Math.ceil(((nextTryMs ?? nowMs) - nowMs) / 1000))
  const next = nextTryMs === undefined ? '' : ` Next try in ${durationText(seconds)}.`
  return `${since}${why}${stop}${next}`
}

const MS_PER_S = 1000

function factsOf(facts: ConnectionStatus['facts']): readonly string[] {
  const words: string[] = []
  const { intervalMs, framing, missed, dropped, lastError } = facts
  if (typeof intervalMs === 'number' && intervalMs > 0) words.push(intervalWords(intervalMs))
  if (typeof framing === 'string') words.push(framing)
  if (typeof missed === 'number' && typeof dropped === 'number') {
    words.push(`${exact(missed)} missed, ${exact(dropped)} dropped`)
  }
  if (typeof lastError === 'string') words.push(`last error: ${lastError}`)
  return words
}

/** Writes `20 ms, 50 Hz`. */
export function intervalWords(ms: number): string {
  const hertz = MS_PER_S / ms
  const rounded = hertz >= 10 ? Math.round(hertz) : Number(hertz.toPrecision(2))
  return `${text(ms, 'ms').replace(/\.0+(?=\u00a0)/, '')}, ${rounded}\u00a0Hz`
}
