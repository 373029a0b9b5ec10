/** Where the hub listens: what each listener speaks, whether it is open, how much arrives. */
import type { JSX } from 'preact'
import type { ListenerStatus, SourcesAnswer } from '../../http/api.ts'
import { allDigits, counted, exact, format, NO_VALUE, text } from '../../viewer/format/number.ts'
import {
  dialectTitle,
  listenerAddress,
  overloadWords,
  ownDialects,
} from '../../viewer/format/status.ts'
import { durationText, spanText } from '../../viewer/format/time.ts'
import { useRateSpark } from '../overview/meters.tsx'
import { usePage, usePanel } from '../shell/page.ts'
import { Badge, Section, Table, useReading } from '../shell/parts.tsx'

const STATE_WORDS = { listening: 'Open', failed: 'Did not start', stopped: 'Stopped' } as const
const STATE_DOTS = { listening: 'dot', failed: 'dot error', stopped: 'dot idle' } as const
interface RateProps {
  /** Dialects whose rates are added up. */
  readonly of: readonly string[]
  /** Names them, where the listener speaks others besides. */
  readonly caption: string
}

function Rate({ of, caption }: RateProps): JSX.Element {
  const page = usePage()
  const [value, write] = useReading('rate')
  const cell = usePanel<HTMLTableCellElement>({
    draw: () => {
      const rate = page.store.cache.rates(...of).at(page.readingSecond())
      write({ caption, main: format(rate, '/s'), title: allDigits(rate, '/s') })
    },
  })
  return (
    <td class="num" ref={cell}>
      {value}
    </td>
  )
}

function RateSpark({ of }: Pick<RateProps, 'of'>): JSX.Element {
  return <td class="spark">{useRateSpark(...of)}</td>
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
  const { state, message, nextTryMs, kernelDrops, unclaimed = 0 } = listener
  const titleOf = (name: string): string => dialectTitle(sources, name)
  const of = state === 'listening' ? ownDialects(sources, listener) : []
  const caption = of.length < listener.dialects.length ? of.map(titleOf).join(', ') : ''
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
      <td>{listener.dialects.map(titleOf).join(', ')}</td>
      <td>
        <Badge words={STATE_WORDS[state]} dot={STATE_DOTS[state]} />
        {message && (
          <span class="small soft">
            {' '}
            {message}
            {wait}
          </span>
        )}
        {unclaimed > 0 && (
          <span class="small error"> {counted('message')(unclaimed)} of no dialect</span>
        )}
      </td>
      {of.length > 0 ? <Rate {...{ of, caption }} /> : <td class="num">{NO_VALUE}</td>}
      {of.length > 0 ? <RateSpark of={of} /> : <td class="spark" />}
      <td class="num">{bufferWords(listener)}</td>
      <td class={kernelDrops ? 'num error' : 'num'}>{drops}</td>
      <td class="num">{exact(listener.connections)}</td>
    </tr>
  )
}

export function Listeners({ sources }: { sources: SourcesAnswer }): JSX.Element {
  const { store } = usePage()
  const up = durationText((store.clock.nowMs() - sources.startedMs) / 1000)
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
    <Section title="Listeners" note={`up for ${up}`}>
      {sources.overload !== undefined && <p class="error">{overloadWords(sources.overload)}</p>}
      {sources.openTo !== undefined && (
        <p class="warn">
          The hub listens on {sources.openTo}, beyond this machine, and asks nobody who they are:
          everyone who reaches its ports may send and read.
        </p>
      )}
      <Table label="Listeners" heads={heads} numeric={[3, 5, 6, 7]}>
        {sources.listeners.map((listener) => (
          <ListenerRow key={listener.name} listener={listener} sources={sources} />
        ))}
      </Table>
    </Section>
  )
}
