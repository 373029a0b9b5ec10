/** At most one banner, the worst; it pushes the page down and never floats. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import {
  absentPeers,
  failedListeners,
  limitWords,
  listenerWords,
  overloadWords,
  peerWords,
  reachedSeriesLimits,
} from '../format/status.ts'
import { clockText, durationText } from '../format/time.ts'
import { SOURCES } from '../sources/address.ts'
import { Icon } from './icon.tsx'
import { type Page, usePage } from './page.ts'
import { Link } from './parts.tsx'
import { to } from './route.ts'

interface Notice {
  /** Dismissing holds for as long as the key stays the same. */
  readonly key: string
  readonly manner: 'bad' | 'warning' | 'plain'
  readonly words: string
  /** Spoken once; without numbers that count down. */
  readonly alert?: string
  readonly action?: JSX.Element
}

function lostNotice({ store }: Page): Notice | undefined {
  const connection = store.clock.connection.value
  if (connection.state !== 'lost') return undefined
  const since = `No connection to the hub since ${clockText(connection.sinceMs)}.`
  const wait = durationText(Math.max(1, Math.ceil((connection.retryAtMs - Date.now()) / 1000)))
  const goesOn =
    'What came before stays below; what the hub takes meanwhile is read back from its history.'
  return {
    key: `lost ${connection.sinceMs}`,
    manner: 'bad',
    words: `${since} Trying again in ${wait}. ${goesOn}`,
    alert: `${since} ${goesOn}`,
    action: (
      <button type="button" class="link small" onClick={() => store.retryNow()}>
        Try now
      </button>
    ),
  }
}

function listenerNotice({ store }: Page): Notice | undefined {
  const listener = failedListeners(store.sources.value)[0]
  if (listener === undefined) return undefined
  const { nextTryMs: _, ...withoutTime } = listener
  return {
    key: `listener ${listener.name} ${listener.message}`,
    manner: 'bad',
    words: listenerWords(listener, store.clock.nowMs()),
    alert: listenerWords(withoutTime, 0),
    action: (
      <Link to={to(SOURCES)} class="link small">
        Show sources
      </Link>
    ),
  }
}

function overloadNotice({ store }: Page): Notice | undefined {
  const overload = store.sources.value?.overload
  if (overload === undefined || overload.refuses === 'none') return undefined
  return {
    key: `overload ${overload.refuses}`,
    manner: 'bad',
    words: overloadWords(overload),
    alert: 'The hub is overloaded, and refuses some of what is asked of it.',
    action: (
      <Link to={to(SOURCES)} class="link small">
        Show limits
      </Link>
    ),
  }
}

/** Says that totals are smaller than they were for a reason. */
function restartNotice({ store }: Page): Notice | undefined {
  const restartedMs = store.restartedMs.value
  if (restartedMs === undefined) return undefined
  const startedMs = store.sources.value?.startedMs ?? restartedMs
  const what = `The hub was started anew at ${clockText(startedMs)}: totals began at 0 then.`
  return {
    key: `restart ${restartedMs}`,
    manner: 'warning',
    words: `${what} What was drawn before stays; senders go on as they are.`,
    alert: what,
  }
}

function peerNotice({ store }: Page): Notice | undefined {
  const peer = absentPeers(store.sources.value)[0]
  if (peer === undefined) return undefined
  const { nextTryMs: _, ...withoutTime } = peer
  return {
    key: `peer ${peer.name} ${peer.sinceMs}`,
    manner: 'warning',
    words: peerWords(peer, store.clock.nowMs()),
    alert: peerWords(withoutTime, 0),
    action: (
      <Link to={to(SOURCES)} class="link small">
        Show sources
      </Link>
    ),
  }
}

function limitNotice({ store }: Page): Notice | undefined {
  const limit = reachedSeriesLimits(store.sources.value)[0]
  if (limit === undefined) return undefined
  return {
    key: `limit ${limit.name}`,
    manner: 'warning',
    words: limitWords(limit),
    action: (
      <Link to={to(SOURCES)} class="link small">
        Show what was refused
      </Link>
    ),
  }
}

function outcomeNotice({ outcome }: Page): Notice | undefined {
  const words = outcome.value
  return words === '' ? undefined : { key: `outcome ${words}`, manner: 'plain', words }
}

export function Banner(): JSX.Element {
  const page = usePage()
  // Waiting times count down.
  page.store.clock.tick.value
  const [dismissed, dismiss] = useState('')
  const notice =
    lostNotice(page) ??
    listenerNotice(page) ??
    overloadNotice(page) ??
    outcomeNotice(page) ??
    restartNotice(page) ??
    peerNotice(page) ??
    limitNotice(page)
  const isShown = notice !== undefined && notice.key !== dismissed
  return (
    <>
      <div class="hidden-text" role="alert">
        {notice?.alert}
      </div>
      {isShown && (
        <section class={`banner ${notice.manner}`} aria-label="Notice">
          {notice.manner !== 'plain' && <Icon name="warn" />}
          <span class="grow words">{notice.words}</span>
          {notice.action}
          <button
            type="button"
            class="icon"
            aria-label="Dismiss"
            onClick={() => dismiss(notice.key)}
          >
            <Icon name="close" />
          </button>
        </section>
      )}
    </>
  )
}
