/** One application: who is slow, computations by worker, pipelines, workers, connections. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { NO_VALUE, text } from '../../../../viewer/format/number.ts'
import { clockText, spanText } from '../../../../viewer/format/time.ts'
import { useAnswer } from '../../../../web/shell/page.ts'
import { Link, Name, Section } from '../../../../web/shell/parts.tsx'
import type { Route } from '../../../../web/shell/view.ts'
import type { ApplicationAnswer, WorkerJson } from '../../http/api.ts'
import { NO_PLACE, toCompared, type WallarooState } from '../address.ts'
import { Controls } from '../controls.tsx'
import { Exports } from '../exports.tsx'
import { matrixOf, numberOf, slowCells } from '../latency.ts'
import { CompatibleApplication } from '../original/compatible.tsx'
import { Remarks } from '../remarks.tsx'
import { applicationAddress } from '../requests.ts'
import { applicationRows, rowsCsv } from '../rows/csv.ts'
import { namedRows, RowsTable } from '../rows/rows.tsx'
import { clockShortWords, summaryWords, unknownWords } from '../words.ts'
import { Connections } from './connections.tsx'
import { leftOutWords, Matrix } from './matrix.tsx'
import { Verdict } from './slowest.tsx'

function PipelineRemark({ ingested }: { ingested: number }): JSX.Element | null {
  if (Number.isNaN(ingested)) return null
  return <span class="muted"> {text(ingested, '/s')} in</span>
}

function WorkerRemark({ worker }: { worker: WorkerJson }): JSX.Element | null {
  const clock = worker.isClockOff ? clockShortWords(worker) : ''
  if (worker.isConnected === true && clock === '') return null
  return (
    <>
      {worker.isConnected === false && <span class="error"> disconnected</span>}
      {worker.isConnected === null && <span class="warn"> not heard of</span>}
      {clock !== '' && <span class="warn"> {clock}</span>}
    </>
  )
}

interface OverviewProps {
  readonly answer: ApplicationAnswer
  readonly route: Route<WallarooState>
}

function spanWords({ fromMs, toMs }: ApplicationAnswer, isHeld: boolean): string {
  const span = spanText(Math.round((toMs - fromMs) / 1000))
  return isHeld ? `${span} up to ${clockText(toMs)}` : `last ${span}`
}

function Tables({ answer, window }: { answer: ApplicationAnswer; window: string }): JSX.Element {
  const { application, pipelines, workers, others } = answer
  const pipelineRows = namedRows(application, pipelines, 'pipeline').map((named, i) => ({
    ...named,
    remark: <PipelineRemark ingested={numberOf(pipelines[i]!.ingested?.median)} />,
  }))
  const workerRows = namedRows(application, workers, 'worker', true).map((named, i) => ({
    ...named,
    remark: <WorkerRemark worker={workers[i]!.worker} />,
  }))
  const otherRows = namedRows(application, others, 'name').map((named) => ({
    ...named,
    remark: (
      <span class="muted">
        {' '}
        <Name text={named.row.key.category} />
      </span>
    ),
  }))
  return (
    <>
      {pipelines.length > 0 && (
        <Section title="Pipelines" note={`from ingestion to completion on any worker; ${window}`}>
          <RowsTable head="Pipeline" rows={pipelineRows} />
        </Section>
      )}
      {workers.length > 0 && (
        <Section title="Workers" note={`from arrival on the worker to hand-over; ${window}`}>
          <RowsTable head="Worker" rows={workerRows} />
        </Section>
      )}
      {others.length > 0 && (
        <Section title="Other categories" note={window}>
          <RowsTable head="Series" rows={otherRows} />
        </Section>
      )}
    </>
  )
}

function Overview({ answer, route }: OverviewProps): JSX.Element {
  const { application, computationsByWorker, workers } = answer
  const window = spanWords(answer, route.at !== null)
  const matrix = useMemo(() => matrixOf(computationsByWorker), [computationsByWorker])
  const notes = [
    'p50, p95, p99, p99.9 on one axis; the number is p99',
    window,
    leftOutWords(workers.length),
  ]
  return (
    <>
      <Verdict application={application} matrix={matrix} aboveNs={route.state.aboveNs} />
      <Remarks answer={answer} workers={workers.map(({ worker }) => worker)} />
      {matrix.length > 0 && (
        <Section title="Computations by worker" note={notes.filter(Boolean).join('; ')}>
          <Matrix application={application} matrix={matrix} />
        </Section>
      )}
      <Tables answer={answer} window={window} />
      <Connections application={application} />
      <Exports
        json={applicationAddress(application)}
        name={application}
        tables={[['Rows', () => rowsCsv(application, applicationRows(answer))]]}
      />
    </>
  )
}

/** Leads to a comparison of two workers: of the one that is slow, if any is, with another one. */
function CompareLink({ answer }: { answer: ApplicationAnswer }): JSX.Element | null {
  const { application, computationsByWorker, workers } = answer
  if (workers.length < 2) return null
  const names = workers.map(({ worker }) => worker.worker)
  const [slow] = slowCells(matrixOf(computationsByWorker), null)
  const first = slow?.row.key.worker ?? names[0]!
  const second = names.find((name) => name !== first)!
  return (
    <Link
      to={toCompared({ ...NO_PLACE, application, worker: first }, second)}
      class="link small compare-link"
    >
      Compare two workers
    </Link>
  )
}

interface ApplicationProps {
  readonly application: string
  readonly route: Route<WallarooState>
}

/** Shows an application, always of the last five minutes, as far as it was read. */
export function Application({ application, route }: ApplicationProps): JSX.Element {
  const address = applicationAddress(application)
  const isHeld = route.at !== null
  const isOwn = route.state.mode === 'own'
  const { answer, refusal } = useAnswer<ApplicationAnswer>(isOwn ? address : undefined, { isHeld })
  const waiting = refusal === undefined ? NO_VALUE : unknownWords(refusal)
  return (
    <>
      <div class="head-line beside-figures">
        <div class="grow">
          <h1>
            <Name text={application} />
          </h1>
          {isOwn && <p class="small soft">{answer ? summaryWords(answer) : waiting}</p>}
          {isOwn && answer && refusal !== undefined && <p class="small warn">{waiting}</p>}
        </div>
        {isOwn && answer && <CompareLink answer={answer} />}
        <Controls />
      </div>
      {!isOwn && <CompatibleApplication application={application} isHeld={isHeld} />}
      {isOwn && answer && <Overview answer={answer} route={route} />}
    </>
  )
}
