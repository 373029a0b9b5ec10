/** Sources and errors: what listens, what sends, what could not be read, what reached a limit. */
import type { JSX } from 'preact'
import type { LimitStatus, SourcesAnswer } from '../../http/api.ts'
import { exact, NO_VALUE } from '../../viewer/format/number.ts'
import {
  dialectTitle,
  limitAmount,
  listenerTitle,
  reasonWords,
} from '../../viewer/format/status.ts'
import { ageText, durationText } from '../../viewer/format/time.ts'
import { usePage } from '../shell/page.ts'
import { Badge, Section, Table } from '../shell/parts.tsx'
import { ErrorList } from './error-list.tsx'
import { Listeners } from './listeners.tsx'
import { Receivers } from './receivers.tsx'
import { bittenWords, factWords, limitOption, limitTitle, summaryWords } from './words.ts'
import { IngestThreads } from './workers.tsx'
import { SharedMemory } from './zone.tsx'

/** Sources and connections shown, the latest first. */
const ROWS_SHOWN = 20

function shownNote(shown: number, all: number): string {
  return shown < all ? `latest ${exact(shown)} of ${exact(all)}` : exact(all)
}

/** Names what a peer speaks: a dialect, or none of those at the listener that it came to. */
function sourceTitle(sources: SourcesAnswer, name: string): string {
  const isKnown = sources.dialects.some((dialect) => dialect.name === name)
  return isKnown ? dialectTitle(sources, name) : `none of ${listenerTitle(sources, name)}`
}

function Peers({ sources }: { sources: SourcesAnswer }): JSX.Element {
  const { store } = usePage()
  const latest = [...sources.sources].sort((a, b) => b.lastDataMs - a.lastDataMs)
  const shown = latest.slice(0, ROWS_SHOWN)
  return (
    <Section title="Sources" note={shownNote(shown.length, latest.length)}>
      <Table
        label="Sources"
        heads={['Peer', 'Dialect', 'Series', 'Errors', 'Last data']}
        numeric={[2, 3, 4]}
      >
        {shown.map(({ address, dialect, series, errors, lastDataMs }) => (
          <tr key={`${address} ${dialect}`}>
            <td>
              <code>{address}</code>
            </td>
            <td>{sourceTitle(sources, dialect)}</td>
            <td class="num">{exact(series)}</td>
            <td class={errors > 0 ? 'num error' : 'num'}>{exact(errors)}</td>
            <td class="num">{ageText((store.clock.nowMs() - lastDataMs) / 1000)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}

function Connections({ sources }: { sources: SourcesAnswer }): JSX.Element {
  const { store, words } = usePage()
  const latest = [...sources.connections].sort((a, b) => b.sinceMs - a.sinceMs)
  const shown = latest.slice(0, ROWS_SHOWN)
  return (
    <Section title="Connections" note={shownNote(shown.length, latest.length)}>
      {shown.length > 0 && (
        <Table label="Connections" heads={['Peer', 'Dialect', 'Notes', 'For']} numeric={[3]}>
          {shown.map(({ peer, dialect, openedBy, sinceMs, facts }) => (
            <tr key={`${peer} ${sinceMs}`}>
              <td class="wrap peer">
                <code>{openedBy === 'hub' ? peer.replace(' ', ' to ') : peer}</code>
              </td>
              <td>{dialectTitle(sources, dialect)}</td>
              <td class="soft wrap">{factWords(facts, words)}</td>
              <td class="num">{durationText((store.clock.nowMs() - sinceMs) / 1000)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}

const PEER_STATES = { connected: 'Connected', lost: 'Gone', never: 'Not reached' } as const
const DIRECTIONS = { attach: 'read from', relay: 'sent to' } as const

/** Shows the peers that the hub was told to connect to, there or not. */
function ChosenPeers({ sources }: { sources: SourcesAnswer }): JSX.Element | null {
  const { store } = usePage()
  const { peers = [] } = sources
  if (peers.length === 0) return null
  const nowMs = store.clock.nowMs()
  const heads = ['Address', 'Dialect', 'Data', 'State', 'For']
  return (
    <Section title="Peers" note="that the hub was told to connect to">
      <Table label="Peers" heads={heads} numeric={[4]}>
        {peers.map(
          ({ name, dialect, direction, state, sinceMs, message, nextTryMs, isListening }) => (
            <tr key={`${direction} ${name}`}>
              <td>
                <code>{name}</code>
              </td>
              <td>{dialectTitle(sources, dialect)}</td>
              <td>{DIRECTIONS[direction]}</td>
              <td class="wrap">
                <Badge
                  words={isListening && state === 'connected' ? 'Listening' : PEER_STATES[state]}
                  dot={state === 'connected' ? 'dot' : 'dot unusual'}
                />
                {state !== 'connected' && (
                  <span class="small soft">
                    {message !== undefined && ` ${reasonWords(message)}`}
                    {nextTryMs !== undefined &&
                      ` Next try in ${durationText(Math.max(1, (nextTryMs - nowMs) / 1000))}.`}
                  </span>
                )}
              </td>
              <td class="num">{durationText((nowMs - sinceMs) / 1000)}</td>
            </tr>
          ),
        )}
      </Table>
    </Section>
  )
}

interface LimitRowProps {
  readonly limit: LimitStatus
  readonly sources: SourcesAnswer
}

function LimitRow({ limit, sources }: LimitRowProps): JSX.Element {
  const { words } = usePage()
  const isFull = limit.refused > 0 || limit.used >= limit.limit
  const share = Math.min(1, limit.limit > 0 ? limit.used / limit.limit : 1)
  const first = limit.examples?.[0]
  const option = limitOption(limit.name)
  return (
    <tr>
      <td class="wrap">
        <span class={isFull ? 'error strong' : ''}>{limitTitle(limit.name, words, sources)}</span>
        {option !== '' && (
          <>
            {' '}
            <code class="muted">{option}</code>
          </>
        )}
      </td>
      <td>
        <div class={isFull ? 'usage full' : 'usage'} style={{ '--share': share }}>
          <span />
        </div>
      </td>
      <td class="num">
        {limitAmount(limit.name, limit.used)}{' '}
        <span class="muted">of {limitAmount(limit.name, limit.limit)}</span>
      </td>
      <td class="soft wrap">
        {limit.behaviour}
        {limit.refused > 0 && (
          <span class={isFull ? 'error' : ''}>
            {' '}
            {bittenWords(limit.name, limit.refused, words)}
          </span>
        )}
        {first && (
          <>
            {' '}
            First: <code>{first.key}</code> from {first.source}.
          </>
        )}
      </td>
    </tr>
  )
}

function Limits({ sources }: { sources: SourcesAnswer }): JSX.Element {
  return (
    <Section title="Limits" note="what happens at each is stated">
      <Table label="Limits" heads={['Limit', 'Used', 'Count', 'At the limit']} numeric={[2]}>
        {sources.limits.map((limit) => (
          <LimitRow key={limit.name} limit={limit} sources={sources} />
        ))}
      </Table>
    </Section>
  )
}

/** Shows measurements that were read and yet are in no series. */
function Refusals({ sources }: { sources: SourcesAnswer }): JSX.Element | null {
  if (sources.refusals.length === 0) return null
  return (
    <Section title="Not taken" note="since the start, by reason">
      <Table label="Not taken" heads={['Reason', 'Dialect', 'Count']} numeric={[2]}>
        {sources.refusals.map(({ dialect, code, count }) => (
          <tr key={`${dialect} ${code}`}>
            <td>
              <code>{code}</code>
            </td>
            <td>{dialectTitle(sources, dialect)}</td>
            <td class="num">{exact(count)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}

export function SourcesPage(): JSX.Element {
  const { store, views } = usePage()
  const sources = store.sources.value
  // Ages grow while nothing arrives.
  store.clock.tick.value
  return (
    <div class="page">
      <div class="head-line">
        <h1>Sources and errors</h1>
        <p class="small soft">{sources === undefined ? NO_VALUE : summaryWords(sources)}</p>
      </div>
      {sources && (
        <>
          <Listeners sources={sources} />
          <IngestThreads sources={sources} />
          {views.map(
            (view) =>
              view.sourcesPanel && <view.sourcesPanel key={view.dialect} sources={sources} />,
          )}
          <ChosenPeers sources={sources} />
          <Receivers sources={sources} />
          <div class="balanced">
            <ErrorList sources={sources} />
            <Refusals sources={sources} />
            <Connections sources={sources} />
            <Peers sources={sources} />
            <Limits sources={sources} />
            {sources.zone && <SharedMemory zone={sources.zone} />}
          </div>
        </>
      )}
    </div>
  )
}
