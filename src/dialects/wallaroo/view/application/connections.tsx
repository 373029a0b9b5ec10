/** Who is connected, what their frames give away of the sender, what was odd, what was refused. */
import type { ComponentChildren, JSX } from 'preact'
import { addressText } from '../../../../model/text/address.ts'
import { shownName } from '../../../../viewer/format/name.ts'
import { exact, text } from '../../../../viewer/format/number.ts'
import { ageText, momentText } from '../../../../viewer/format/time.ts'
import { useAnswer, usePage } from '../../../../web/shell/page.ts'
import { Badge, Link, Name, Section } from '../../../../web/shell/parts.tsx'
import type { ConnectionsAnswer, WorkerConnectionJson, WorkerJson } from '../../http/api.ts'
import { NO_PLACE, toPlace } from '../address.ts'
import { connectionsAddress } from '../requests.ts'
import { LongTable } from '../rows/lazy-rows.tsx'
import { clockWords, countedWords, listWords } from '../words.ts'

const LENGTH_WORDS = {
  exclusive: 'counts what follows',
  inclusive: 'counts itself',
  undecided: '–',
} as const

function evidence(word: string): ComponentChildren {
  return word === 'unknown' ? <span class="muted">unknown</span> : word
}

function ConnectionRow({ connection }: { connection: WorkerConnectionJson }): JSX.Element {
  const { store } = usePage()
  const { address, port, workers, sinceMs, order, binning, lengths, frames } = connection
  const { notes, rejects, bytesHeld } = connection
  return (
    <tr>
      <td>
        <code>{addressText(address, port)}</code>
      </td>
      <td class="wrap">
        {workers.length === 0
          ? '–'
          : listWords(
              workers.map(({ worker }) => (worker === null ? 'no worker' : shownName(worker))),
            )}
      </td>
      <td>{momentText(sinceMs, store.clock.nowMs())}</td>
      <td>{evidence(order)}</td>
      <td>{evidence(binning)}</td>
      <td>{LENGTH_WORDS[lengths]}</td>
      <td class="num" title={`${frames.connect} Connect, ${frames.join} Join`}>
        {exact(frames.metrics)}
      </td>
      <td class="wrap">{countedWords(notes)}</td>
      <td class={rejects.length === 0 ? 'wrap' : 'wrap error'}>{countedWords(rejects)}</td>
      <td class="num">{bytesHeld === 0 ? '–' : text(bytesHeld, 'B')}</td>
    </tr>
  )
}

const STATES = {
  true: { words: 'Connected', dot: 'dot' },
  false: { words: 'Disconnected', dot: 'dot error' },
  null: { words: 'Not heard of', dot: 'dot unusual' },
} as const

function WorkerRow({ worker, nowMs }: { worker: WorkerJson; nowMs: number }): JSX.Element {
  const { application, isConnected, lastSeenMs, isClockOff } = worker
  return (
    <tr>
      <td>
        <Link
          to={toPlace({ ...NO_PLACE, application, worker: worker.worker })}
          class="link row-link"
        >
          <Name text={worker.worker} />
        </Link>
      </td>
      <td>
        <Badge {...STATES[`${isConnected}`]} />
      </td>
      <td>{ageText((nowMs - lastSeenMs) / 1000)}</td>
      <td class={isClockOff ? 'warn' : ''}>{clockWords(worker)}</td>
    </tr>
  )
}

function troubleOf({ isConnected, isClockOff }: WorkerJson): number {
  return (isConnected === true ? 0 : 2) + (isClockOff ? 1 : 0)
}

export function WorkerStates({
  workers,
  nowMs,
}: {
  workers: readonly WorkerJson[]
  nowMs: number
}): JSX.Element {
  // who is away or off comes first: of a thousand workers those are looked for
  const rows = [...workers].sort((a, b) => troubleOf(b) - troubleOf(a))
  return (
    <LongTable
      label="Worker states"
      heads={['Worker', 'State', 'Last seen', 'Clock']}
      numeric={[]}
      rows={rows}
      row={(worker) => <WorkerRow key={worker.worker} worker={worker} nowMs={nowMs} />}
    />
  )
}

const HEADS = [
  'Address',
  'Workers',
  'Since',
  'Min, max order',
  'Binning',
  'Length field',
  'Windows',
  'Notes',
  'Rejected',
  'Bytes held',
] as const

/** Shows connections, which are those of now, also while the picture is held. */
export function Connections({ application }: { application: string }): JSX.Element {
  const { answer } = useAnswer<ConnectionsAnswer>(connectionsAddress(application))
  const { connections = [], workers = [], nowMs = 0 } = answer ?? {}
  const rejected = connections.reduce((sum, { frames }) => sum + frames.rejected, 0)
  const notes = [
    'peer or document, as far as frames give it away',
    ...(rejected === 0 ? [] : [`${exact(rejected)} frames refused, the others count`]),
  ]
  return (
    <>
      <Section title="Connections" note={notes.join('; ')}>
        {answer && connections.length === 0 && <p class="small soft">No worker is connected.</p>}
        {connections.length > 0 && (
          <LongTable
            label="Connections"
            heads={HEADS}
            numeric={[6, 9]}
            rows={connections}
            row={(connection) => (
              <ConnectionRow
                key={`${connection.address} ${connection.port}`}
                connection={connection}
              />
            )}
          />
        )}
      </Section>
      {workers.length > 0 && (
        <Section title="Worker states" note="every worker that joined or sent">
          <WorkerStates workers={workers} nowMs={nowMs} />
        </Section>
      )}
    </>
  )
}
