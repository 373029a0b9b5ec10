/** Sources and errors: who listens, who talks, what could not be read, what reached a limit. */
import type { JSX } from 'preact'
import type { LimitStatus, ListenerStatus, SourcesAnswer } from '../../http/api.ts'
import { allDigits, exact, format, NO_VALUE, text } from '../format/number.ts'
import { dialectTitle, limitAmount, listenerAddress } from '../format/status.ts'
import { ageText, durationText, spanText } from '../format/time.ts'
import { useRateSpark } from '../overview/meters.tsx'
import { usePage, usePanel } from '../shell/page.ts'
import { Section, Table, useReading } from '../shell/parts.tsx'
import { ErrorList } from './error-list.tsx'
import { Receivers } from './receivers.tsx'
import { bittenWords, factWords, limitOption, limitTitle, summaryWords } from './words.ts'
import { IngestThreads } from './workers.tsx'
import { SharedMemory } from './zone.tsx'

const STATE_WORDS = { listening: 'Open', failed: 'Did not start', stopped: 'Stopped' } as const
const STATE_DOTS = { listening: 'dot', failed: 'dot error', stopped: 'dot idle' } as const
/** Sources and connections shown, the latest first. */
const ROWS_SHOWN = 20

/** The dialect whose rate is this listener's: the only one it speaks, and it alone speaks it. */
function ownDialect(listener: ListenerStatus, all: readonly ListenerStatus[]): string | undefined {
  const [dialect] = listener.dialects
  if (dialect === undefined || listener.dialects.length !== 1) return undefined
  return all.filter(({ dialects }) => dialects.includes(dialect)).length === 1 ? dialect : undefined
}

function Rate({ dialect }: { dialect: string }): JSX.Element {
  const page = usePage()
  const [value, write] = useReading('rate')
  const cell = usePanel<HTMLTableCellElement>({
    draw: () => {
      const rate = page.store.cache.rates(dialect)?.at(page.readingSecond()) ?? Number.NaN
      write({ caption: '', main: format(rate, '/s'), title: allDigits(rate, '/s') })
    },
  })
  return (
    <td class="num" ref={cell}>
      {value}
    </td>
  )
}

function RateSpark({ dialect }: { dialect: string }): JSX.Element {
  return <td class="spark">{useRateSpark(dialect)}</td>
}

function bufferWords({ bufferGranted, bufferAsked }: ListenerStatus): string {
  if (bufferGranted === undefined || bufferAsked === undefined) return NO_VALUE
  return `${text(bufferGranted, 'B')} of ${text(bufferAsked, 'B')}`
}

interface RowProps {
  readonly listener: ListenerStatus
  readonly sources: SourcesAnswer
}

function ListenerRow({ listener, sources }: RowProps): JSX.Element {
  const { store } = usePage()
  const { state, message, nextTryMs, kernelDrops } = listener
  const dialect = ownDialect(listener, sources.listeners)
  const isRated = dialect !== undefined && state === 'listening'
  const wait =
    nextTryMs === undefined
      ? ''
      : `, next try in ${durationText((nextTryMs - store.clock.nowMs()) / 1000)}`
  const drops = kernelDrops === undefined || kernelDrops === null ? NO_VALUE : exact(kernelDrops)
  return (
    <tr>
      <td>
        <code>{listenerAddress(listener)}</code>
      </td>
      <td>{listener.dialects.map((name) => dialectTitle(sources, name)).join(', ')}</td>
      <td>
        <span class={state === 'failed' ? 'badge error' : 'badge'}>
          <span class={STATE_DOTS[state]} aria-hidden="true" />
          {STATE_WORDS[state]}
        </span>
        {message && (
          <span class="small soft">
            {' '}
            {message}
            {wait}
          </span>
        )}
      </td>
      {isRated ? <Rate dialect={dialect} /> : <td class="num">{NO_VALUE}</td>}
      {isRated ? <RateSpark dialect={dialect} /> : <td class="spark" />}
      <td class="num">{bufferWords(listener)}</td>
      <td class={kernelDrops ? 'num error' : 'num'}>{drops}</td>
      <td class="num">{exact(listener.connections)}</td>
    </tr>
  )
}

function Listeners({ sources }: { sources: SourcesAnswer }): JSX.Element {
  const { store } = usePage()
  const heads = [
    'Address',
    'Speaks',
    'State',
    'Rate',
    `Last ${spanText(store.clock.window.value)}`,
    'Buffer',
    'Kernel drops',
    'Peers',
  ]
  return (
    <Section title="Listeners">
      <Table label="Listeners" heads={heads} numeric={[3, 5, 6, 7]}>
        {sources.listeners.map((listener) => (
          <ListenerRow key={listener.name} listener={listener} sources={sources} />
        ))}
      </Table>
    </Section>
  )
}

function shownNote(shown: number, all: number): string {
  return shown < all ? `latest ${exact(shown)} of ${exact(all)}` : exact(all)
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
            <td>{dialectTitle(sources, dialect)}</td>
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
              <td>
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

function LimitRow({ limit }: { limit: LimitStatus }): JSX.Element {
  const { words } = usePage()
  const isFull = limit.refused > 0 || limit.used >= limit.limit
  const share = Math.min(1, limit.limit > 0 ? limit.used / limit.limit : 1)
  const first = limit.examples?.[0]
  const option = limitOption(limit.name)
  return (
    <tr>
      <td class="wrap">
        <span class={isFull ? 'error strong' : ''}>{limitTitle(limit.name, words)}</span>
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
          <LimitRow key={limit.name} limit={limit} />
        ))}
      </Table>
    </Section>
  )
}

/** Measurements that were read and yet are in no series. */
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
          <Receivers sources={sources} />
          <div class="halves">
            <div>
              <ErrorList sources={sources} />
              <Refusals sources={sources} />
              {sources.zone && <SharedMemory zone={sources.zone} />}
            </div>
            <div>
              <Connections sources={sources} />
              <Peers sources={sources} />
              <Limits sources={sources} />
            </div>
          </div>
        </>
      )}
    </div>
  )
}
