/** Where all series are pushed to (OTLP): whether it works, what was taken, what was not. */
import type { JSX } from 'preact'
import type { ExportStatus, SourcesAnswer } from '../../http/api.ts'
import { exact, NO_VALUE, text } from '../../viewer/format/number.ts'
import { ageText } from '../../viewer/format/time.ts'
import { usePage } from '../shell/page.ts'
import { Badge, Section, Table } from '../shell/parts.tsx'
import { receiverWords } from './words.ts'

const STATE_WORDS = { starting: 'Starts', exporting: 'Exports', failing: 'Fails' } as const
const STATE_DOTS = { starting: 'dot idle', exporting: 'dot', failing: 'dot error' } as const
const HEADS = [
  'Receiver',
  'State',
  'Every',
  'Complete to',
  'Taken',
  'Not taken',
  'Waiting',
] as const

function ReceiverRow({ receiver }: { receiver: ExportStatus }): JSX.Element {
  const { store } = usePage()
  const { name, url, state, intervalMs, lastSuccessMs, points, pointsLost, waiting } = receiver
  const isFailing = state === 'failing'
  const words = receiverWords(receiver)
  const ageS = lastSuccessMs === null ? undefined : (store.clock.nowMs() - lastSuccessMs) / 1000
  return (
    <tr>
      <td>
        {name} <code>{url}</code>
      </td>
      <td class="wrap">
        <Badge words={STATE_WORDS[state]} dot={STATE_DOTS[state]} />
        {words !== '' && <span class="small soft"> {words}</span>}
      </td>
      <td class="num">{text(intervalMs, 'ms')}</td>
      <td class={isFailing ? 'num warn' : 'num'}>
        {ageS === undefined ? NO_VALUE : ageText(ageS)}
      </td>
      <td class="num">{exact(points)}</td>
      <td class={pointsLost > 0 ? 'num error' : 'num'}>{exact(pointsLost)}</td>
      <td class="num">{exact(waiting)}</td>
    </tr>
  )
}

export function Receivers({ sources }: { sources: SourcesAnswer }): JSX.Element | null {
  const { exports: receivers = [] } = sources
  if (receivers.length === 0) return null
  return (
    <Section title="Exports" note="all series are pushed there; points since the start">
      <Table label="Exports" heads={HEADS} numeric={[2, 3, 4, 5, 6]}>
        {receivers.map((receiver) => (
          <ReceiverRow key={`${receiver.name} ${receiver.url}`} receiver={receiver} />
        ))}
      </Table>
    </Section>
  )
}
