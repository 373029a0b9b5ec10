/**
 * The log's account of peers that the hub was told to connect to: a line for every one that is
 * there, is gone, or was not reached, whatever other peers do. Looked at once a second; one that
 * went and came between two looks is told by the time since which it is there.
 *
 * These lines are apart from the limit on repeated ones (log.ts), which many peers share. They have
 * one of their own: beyond it a second's changes are one line that counts them.
 */
import type { Log, LogLevel } from '../log.ts'
import type { Participant } from '../resident.ts'
import { forEachItem, type Task } from '../tasks/task.ts'
import type { PeerStatus } from './status.ts'

/** Changes of one second that have a line each. */
const SECOND_LIMIT = 20
/** The same of one minute. */
const MINUTE_LIMIT = 200
const MINUTE_MS = 60_000
/** Peers that the line of all others names. */
const NAMED_LIMIT = 3

/** Changes of a peer, as the log has them. */
const MESSAGES = {
  connected: 'peer connected',
  listening: 'peers may connect',
  lost: 'peer lost',
  never: 'peer not reached',
  returned: 'peer was lost, and is back',
  relapsed: 'peer was back, and is lost again',
} as const

type Change = keyof typeof MESSAGES

type KnownState = Pick<PeerStatus, 'state' | 'sinceMs'>

export class PeerLog implements Participant {
  readonly #peers: () => readonly PeerStatus[]
  readonly #log: Log
  /** States that the log knows, by peer; those of peers that are listed no more are forgotten. */
  #told: ReadonlyMap<string, KnownState> = new Map()
  #minuteMs = Number.NEGATIVE_INFINITY
  #lines = 0

  constructor(peers: () => readonly PeerStatus[], log: Log) {
    this.#peers = peers
    this.#log = log
  }

  *beforeClose(endMs: number): Task {
    if (Math.abs(endMs - this.#minuteMs) >= MINUTE_MS) {
      this.#minuteMs = endMs
      this.#lines = 0
    }
    let room = Math.min(SECOND_LIMIT, MINUTE_LIMIT - this.#lines)
    const others: { change: Change; name: string }[] = []
    const told = new Map<string, KnownState>()
    const keys = new Set<string>()
    yield* forEachItem(this.#peers(), (peer) => {
      const key = keyOf(peer, keys)
      const known = this.#told.get(key)
      const change = changeOf(known, peer)
      if (known !== undefined) told.set(key, known)
      if (change === undefined) return
      told.set(key, { state: peer.state, sinceMs: peer.sinceMs })
      if (room-- > 0) this.#tell(change, peer)
      else others.push({ change, name: peer.name })
    })
    this.#told = told
    if (others.length > 0) this.#summarise(others)
  }

  #tell(change: Change, { name, dialect, direction, message, nextTryMs }: PeerStatus): void {
    this.#lines++
    const isThere = change === 'connected' || change === 'listening' || change === 'returned'
    this.#write(isThere ? 'info' : 'warn', MESSAGES[change], {
      ...{ peer: name, dialect, direction },
      ...(isThere || message === undefined ? {} : { reason: message }),
      ...(isThere || nextTryMs === undefined ? {} : { nextTry: new Date(nextTryMs).toISOString() }),
    })
  }

  #summarise(others: readonly { readonly change: Change; readonly name: string }[]): void {
    const counts: Partial<Record<Change, number>> = {}
    for (const { change } of others) counts[change] = (counts[change] ?? 0) + 1
    const names = others.slice(0, NAMED_LIMIT).map(({ name }) => name)
    this.#write('warn', 'further peers changed', { count: others.length, ...counts, first: names })
  }

  #write(level: LogLevel, message: string, facts: Record<string, unknown>): void {
    const write = this.#log.unlimited ?? this.#log
    write(level, message, facts)
  }
}

/** Names a peer; of several that have one address each has a number. */
function keyOf({ direction, name }: PeerStatus, keys: Set<string>): string {
  let key = `${direction} ${name}`
  for (let number = 2; keys.has(key); number++) key = `${direction} ${name} ${number}`
  keys.add(key)
  return key
}

/** Tells what of a peer is news; a peer that is still tried for the first time is none. */
function changeOf(told: KnownState | undefined, peer: PeerStatus): Change | undefined {
  const { state, sinceMs, message, isListening = false } = peer
  if (state === 'never') return told === undefined && message !== undefined ? 'never' : undefined
  const isNew = told?.state !== state
  if (!isNew && told.sinceMs === sinceMs) return undefined
  // the hub listens at a place: nothing has connected
  if (isListening && state === 'connected') return 'listening'
  if (isNew) return state
  return state === 'connected' ? 'returned' : 'relapsed'
}
