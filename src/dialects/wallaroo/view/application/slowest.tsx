/** What is slow in applications that are not open: on the start page, and in the list of them. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type {
  ApplicationAnswer,
  ApplicationSummary,
  ApplicationsAnswer,
} from '../../../../http/api.ts'
import { usePage, useTopics } from '../../../../web/shell/page.ts'
import { useAnswer } from '../../../../web/store/polling.ts'
import { type MatrixRow, matrixOf } from '../latency.ts'
import { APPLICATIONS, applicationAddress } from '../requests.ts'
import { Verdict } from './verdict.tsx'

/** What stays slow will still be slow then. */
const PAUSE_MS = 10_000
/** Larger applications are looked at when they are opened: their answers are megabytes. */
const CELLS_LIMIT = 1000
const APPLICATIONS_LIMIT = 5

/** Those whose computations by worker are few enough to be read beside other things. */
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
  const { answer } = useAnswer<ApplicationAnswer>(address, false, PAUSE_MS)
  const rows = answer?.computationsByWorker
  const matrix = useMemo(() => (rows === undefined ? NO_MATRIX : matrixOf(rows)), [rows])
  return <Verdict {...{ application, matrix, aboveNs }} isApplicationNamed={isNamed} isQuiet />
}

/** On the start page: what is slow stands above all that is unusual, a click away. */
export function SlowestOfAll(): JSX.Element | null {
  const { store } = usePage()
  useTopics('sources')
  const wallaroo = store.sources?.dialects.find(({ name }) => name === 'wallaroo')
  const isHeard = wallaroo !== undefined && wallaroo.lastDataMs !== null
  const { answer } = useAnswer<ApplicationsAnswer>(
    isHeard ? APPLICATIONS : undefined,
    false,
    PAUSE_MS,
  )
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
