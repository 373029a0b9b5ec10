/** What a person has to know before all numbers: notices, the worst first. */
import { MEMORY_S, stepOf } from '../chart/time-window.ts'
import type { Store } from '../store/store.ts'
import {
  absentPeers,
  failedListeners,
  limitWords,
  listenersWords,
  overloadWords,
  peersWords,
  reachedSeriesLimits,
} from './status.ts'
import { clockText, durationText, momentText } from './time.ts'

export interface Notice {
  readonly about: 'connection' | 'listener' | 'overload' | 'restart' | 'peer' | 'limit' | 'past'
  /** Key that stays the same for as long as it is the same notice. */
  readonly key: string
  readonly manner: 'bad' | 'warning' | 'plain'
  readonly words: string
  /** Spoken once; without numbers that count down. */
  readonly alert?: string
}

/** Lists what is worse than any news. */
export function worstNotices(store: Store): readonly Notice[] {
  return there(lostNotice(store), listenerNotice(store), overloadNotice(store))
}

/** Lists what is worth knowing where nothing is worse. */
export function lesserNotices(store: Store): readonly Notice[] {
  return there(restartNotice(store), peerNotice(store), limitNotice(store), pastNotice(store))
}

function there(...notices: readonly (Notice | undefined)[]): readonly Notice[] {
  return notices.filter((each) => each !== undefined)
}

function lostNotice({ clock }: Store): Notice | undefined {
  const connection = clock.connection.value
  if (connection.state !== 'lost') return undefined
  const since = `No connection to the hub since ${clockText(connection.sinceMs)}.`
  const wait = durationText(Math.max(1, Math.ceil((connection.retryAtMs - Date.now()) / 1000)))
  const goesOn =
    'What came before stays below; what the hub takes meanwhile is read back from its history.'
  return {
    about: 'connection',
    key: `lost ${connection.sinceMs}`,
    manner: 'bad',
    words: `${since} Trying again in ${wait}. ${goesOn}`,
    alert: `${since} ${goesOn}`,
  }
}

function listenerNotice({ sources, clock }: Store): Notice | undefined {
  const failed = failedListeners(sources.value)
  if (failed.length === 0) return undefined
  const { listeners } = sources.value!
  return {
    about: 'listener',
    key: `listener ${failed.map(({ name, message }) => `${name} ${message}`).join()}`,
    manner: 'bad',
    words: listenersWords(listeners, clock.nowMs()),
    alert: listenersWords(listeners.map(withoutTime), 0),
  }
}

function overloadNotice({ sources }: Store): Notice | undefined {
  const overload = sources.value?.overload
  if (overload === undefined || overload.refuses === 'none') return undefined
  return {
    about: 'overload',
    key: `overload ${overload.refuses}`,
    manner: 'bad',
    words: overloadWords(overload),
    alert: 'The hub is overloaded, and refuses some of what is asked of it.',
  }
}

/** Says that the hub was gone, and that totals are smaller than they were where they are. */
function restartNotice(store: Store): Notice | undefined {
  const restartedMs = store.restartedMs.value
  if (restartedMs === undefined) return undefined
  const startedMs = store.sources.value?.startedMs ?? restartedMs
  const goesOn = (store.sources.value?.history?.restored ?? 0) > 0
  const totals = goesOn ? 'totals go on from what its history kept' : 'totals began at 0 then'
  const what = `The hub was started anew at ${clockText(startedMs)}: ${totals}.`
  return {
    about: 'restart',
    key: `restart ${restartedMs}`,
    manner: 'warning',
    words: `${what} What was drawn before stays; senders go on as they are.`,
    alert: what,
  }
}

function peerNotice({ sources, clock }: Store): Notice | undefined {
  const absent = absentPeers(sources.value)
  if (absent.length === 0) return undefined
  const { listeners, peers = [] } = sources.value!
  return {
    about: 'peer',
    key: `peer ${absent.map(({ name, sinceMs }) => `${name} ${sinceMs}`).join()}`,
    manner: 'warning',
    words: peersWords(peers, listeners, clock.nowMs()),
    alert: peersWords(peers.map(withoutTime), listeners, 0),
  }
}

/** Leaves out the next try, which counts down. */
function withoutTime<T extends { readonly nextTryMs?: number }>(status: T): Omit<T, 'nextTryMs'> {
  const { nextTryMs: _, ...rest } = status
  return rest
}

const STEP_WORDS: Readonly<Record<number, string>> = { 1: 'Seconds', 60: 'Minutes' }

/** Says what is not known of the time that is shown: beyond memory, or narrower than is kept. */
function pastNotice({ clock, sources }: Store): Notice | undefined {
  const history = sources.value?.history
  const window = clock.window.value
  const past = clock.liveEdge() - (clock.pausedAt.value ?? clock.liveEdge()) + window
  const step = clock.step.value
  const manner = 'plain'
  const hasNone = history === undefined || history.state === 'off'
  if (sources.value !== undefined && hasNone && past > MEMORY_S) {
    const words = `This hub has no history: it knows its last ${MEMORY_S / 60} minutes.`
    return { about: 'past', key: 'past', manner, words }
  }
  if (step <= stepOf(window)) return undefined
  const finer = history?.resolutions?.findLast(({ stepS }) => stepS < step)
  if (finer?.fromS === undefined) return undefined
  const since = momentText(finer.fromS * 1000, clock.nowMs())
  const what = `${STEP_WORDS[finer.stepS]} are kept since ${since}`
  const words = `${what}: of this time ${step < 3600 ? 'minutes' : 'hours'} are shown.`
  return { about: 'past', key: `past ${step}`, manner, words }
}

function limitNotice({ sources }: Store): Notice | undefined {
  const limit = reachedSeriesLimits(sources.value)[0]
  if (limit === undefined) return undefined
  return {
    about: 'limit',
    key: `limit ${limit.name}`,
    manner: 'warning',
    words: limitWords(limit),
  }
}
