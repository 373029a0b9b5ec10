/** The applications that workers have named; a lone one is shown at once by the page. */
import type { JSX } from 'preact'
import { exact } from '../../../../viewer/format/number.ts'
import { ageText } from '../../../../viewer/format/time.ts'
import { usePage } from '../../../../web/shell/page.ts'
import { CopyButton, Link, Name } from '../../../../web/shell/parts.tsx'
import type { ApplicationSummary, ApplicationsAnswer } from '../../http/api.ts'
import { NO_PLACE, toPlace } from '../address.ts'
import { LongTable } from '../rows/lazy-rows.tsx'
import { workerAddress } from '../words.ts'
import { Slowest, smallOnes } from './slowest.tsx'

/** Age from which on the one of the last window is amber, ms. */
const SILENT_MS = 30_000

const HEADS = [
  'Application',
  'Last window',
  'Pipelines',
  'Workers',
  'Connected',
  'Computations',
] as const

function Row({ each, nowMs }: { each: ApplicationSummary; nowMs: number }): JSX.Element {
  const { application, lastWindowMs, workers, workersConnected } = each
  const ageMs = lastWindowMs === null ? null : nowMs - lastWindowMs
  return (
    <tr>
      <td>
        <Link to={toPlace({ ...NO_PLACE, application })} class="link row-link">
          <Name text={application} />
        </Link>
      </td>
      <td class={ageMs !== null && ageMs >= SILENT_MS ? 'warn' : ''}>
        {ageMs === null ? '–' : ageText(ageMs / 1000)}
      </td>
      <td class="num">{exact(each.pipelines)}</td>
      <td class="num">{exact(workers)}</td>
      <td class={workersConnected < workers ? 'num error' : 'num'}>{exact(workersConnected)}</td>
      <td class="num">{exact(each.computations)}</td>
    </tr>
  )
}

/** Shows what to do for the first worker to appear: the address that workers are to be given. */
function NoWorkers(): JSX.Element {
  const { store } = usePage()
  const listener = store.sources.value?.listeners.find(({ dialects }) =>
    dialects.includes('wallaroo'),
  )
  const address = listener === undefined ? undefined : workerAddress(listener)
  return (
    <>
      <p class="soft">
        No worker has connected yet. The first one that does appears here within a second.
      </p>
      {address !== undefined && (
        <div class="controls small soft">
          <span>
            Start a worker with <code>{`--metrics ${address}`}</code>
          </span>
          <CopyButton text={`--metrics ${address}`} what="option of a worker" />
        </div>
      )}
    </>
  )
}

interface ApplicationsProps {
  readonly answer: ApplicationsAnswer
  readonly aboveNs: number | null
}

export function Applications({ answer, aboveNs }: ApplicationsProps): JSX.Element {
  const { applications, nowMs } = answer
  if (applications.length === 0) {
    return <NoWorkers />
  }
  return (
    <>
      {smallOnes(applications).map(({ application }) => (
        <Slowest key={application} application={application} aboveNs={aboveNs} isNamed />
      ))}
      <section class="panel" aria-label="Applications">
        <LongTable
          label="Applications"
          heads={HEADS}
          numeric={[2, 3, 4, 5]}
          rows={applications}
          row={(each) => <Row key={each.application} each={each} nowMs={nowMs} />}
        />
      </section>
    </>
  )
}
