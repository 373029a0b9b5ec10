/** What is slow in applications that are not open: on the start page, and in the list of them. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { shownName } from '../../../../viewer/format/name.ts'
import { exact, text } from '../../../../viewer/format/number.ts'
import { useAnswer, usePage } from '../../../../web/shell/page.ts'
import { Link } from '../../../../web/shell/parts.tsx'
import type { ApplicationAnswer, ApplicationSummary, ApplicationsAnswer } from '../../http/api.ts'
import { NO_PLACE, type Place, toPlace } from '../address.ts'
import { isCompared, type MatrixCell, type MatrixRow, matrixOf, slowCells } from '../latency.ts'
import { APPLICATIONS, applicationAddress } from '../requests.ts'

/** Pause between requests, ms: what stays slow will still be slow then. */
const PAUSE_MS = 10_000
/** Larger applications are looked at when they are opened: their answers are megabytes. */
const CELLS_LIMIT = 1000
const APPLICATIONS_LIMIT = 5

/** Selects those whose computations by worker are few enough to be read beside other things. */
export function smallOnes(
  applications: readonly ApplicationSummary[],
): readonly ApplicationSummary[] {
  return applications
    .filter(
      ({ computations, workers }) => computations > 0 && computations * workers <= CELLS_LIMIT,
    )
    .slice(0, APPLICATIONS_LIMIT)
}

const NO_MATRIX: readonly MatrixRow[] = []

export function Slowest({
  application,
  aboveNs,
  isNamed,
}: {
  application: string
  aboveNs: number | null
  isNamed: boolean
}): JSX.Element | null {
  const address = applicationAddress(application)
  const { answer } = useAnswer<ApplicationAnswer>(address, { leastMs: PAUSE_MS })
  const rows = answer?.computationsByWorker
  const matrix = useMemo(() => (rows === undefined ? NO_MATRIX : matrixOf(rows)), [rows])
  return <Verdict {...{ application, matrix, aboveNs }} isApplicationNamed={isNamed} isQuiet />
}

/** Shows on the start page what is slow, above all that is unusual, a click away. */
export function SlowestOfAll(): JSX.Element | null {
  const { store } = usePage()
  const wallaroo = store.sources.value?.dialects.find(({ name }) => name === 'wallaroo')
  const isHeard = wallaroo !== undefined && wallaroo.lastDataMs !== null
  const pace = { leastMs: PAUSE_MS }
  const { answer } = useAnswer<ApplicationsAnswer>(isHeard ? APPLICATIONS : undefined, pace)
  const small = smallOnes(answer?.applications ?? [])
  if (small.length === 0) return null
  return (
    <section class="overview-verdicts" aria-label="Slow computations">
      {small.map(({ application }) => (
        <Slowest key={application} application={application} aboveNs={null} isNamed />
      ))}
    </section>
  )
}

interface VerdictProps {
  readonly application: string
  readonly matrix: readonly MatrixRow[]
  readonly aboveNs: number | null
  /** Whether it names the application: there are several, and the answer is one line of many. */
  readonly isApplicationNamed?: boolean
  /** Says nothing where nothing is slow. */
  readonly isQuiet?: boolean
}

function placeOfCell(application: string, { row }: MatrixCell): Place {
  const { pipeline = '', worker = '', name = '' } = row.key
  return { ...NO_PLACE, application, pipeline, worker, name }
}

function timesText(times: number): string {
  return `${times >= 1000 ? text(Math.round(times)) : String(Math.round(times))}×`
}

/** Says how far away it is from what it should be. */
function howSlow({ row, times }: MatrixCell, aboveNs: number | null): string {
  const p99 = text(row.latency.p99Ns, 'ns')
  if (aboveNs !== null) return ` is above ${text(aboveNs, 'ns')}: p99 ${p99}.`
  return ` is slow: p99 ${p99}, ${timesText(times)} the same computation on the other workers.`
}

function othersWords(count: number, total: number, aboveNs: number | null): string {
  if (count < 2) return ''
  if (aboveNs !== null) return ` So are ${exact(count - 1)} more of ${exact(total)}.`
  return ` ${exact(count - 1)} more ${count === 2 ? 'is' : 'are'} slow on one worker.`
}

function NothingSlow({ matrix, aboveNs }: VerdictProps): JSX.Element | null {
  if (matrix.length === 0) return null
  const words =
    aboveNs !== null
      ? `No computation has a p99 above ${text(aboveNs, 'ns')} on any worker.`
      : isCompared(matrix)
        ? 'No computation is slower on one worker than on the others.'
        : 'No computation runs on two workers, so that none can be compared.'
  return <p class="small soft verdict-none">{words}</p>
}

export function Verdict(props: VerdictProps): JSX.Element | null {
  const { application, matrix, aboveNs, isApplicationNamed = false, isQuiet = false } = props
  const slow = slowCells(matrix, aboveNs)
  const [worst] = slow
  if (worst === undefined) return isQuiet ? null : <NothingSlow {...props} />
  const { worker = '', name = '' } = worst.row.key
  const total = matrix.reduce((sum, { cells }) => sum + cells.size, 0)
  return (
    <p class="verdict">
      <span class="dot unusual" aria-hidden="true" />
      <span>
        {isApplicationNamed && `${shownName(application)}: `}
        <Link to={toPlace(placeOfCell(application, worst))} class="link strong row-link">
          {`${shownName(name)} on ${shownName(worker)}`}
        </Link>
        {howSlow(worst, aboveNs)}
        {othersWords(slow.length, total, aboveNs)}
      </span>
    </p>
  )
}
