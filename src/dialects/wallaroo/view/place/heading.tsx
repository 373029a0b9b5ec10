/** Above the charts of a place: its name, what it is, its large numbers, links across. */
import type { JSX } from 'preact'
import { shownName } from '../../../../viewer/format/name.ts'
import { text } from '../../../../viewer/format/number.ts'
import { ageText, clockText, spanText } from '../../../../viewer/format/time.ts'
import { usePage } from '../../../../web/shell/page.ts'
import { Link, Name } from '../../../../web/shell/parts.tsx'
import type { ViewAnswer } from '../../http/api.ts'
import { NO_PLACE, type Place, toPlace, WALLAROO } from '../address.ts'
import { numberOf } from '../latency.ts'
import { categoryOf, INGESTION, measuredWords, ON_WORKER, whatWords } from '../place.ts'
import { Amount } from '../rows/ranges.tsx'
import { factsOf } from '../words.ts'
import { valueAt } from './columns.ts'

const FIGURES = [
  ['p50', 'p50Ns'],
  ['p95', 'p95Ns'],
  ['p99', 'p99Ns'],
  ['p99.9', 'p999Ns'],
  ['p99.99', 'p9999Ns'],
] as const
/** Age from which on the one of the last window is amber, ms. */
const SILENT_MS = 30_000

/** Shows large numbers: of the window, or of the second under the cursor. */
function Figures({ view }: { view: ViewAnswer }): JSX.Element {
  const { cursor, navigation } = usePage()
  const second = cursor.second.value
  const { aboveNs } = navigation.state(WALLAROO)
  const read = (key: (typeof FIGURES)[number][1]): number => {
    if (second === null) return numberOf(view.total.latency[key])
    return key === 'p999Ns' || key === 'p9999Ns' ? Number.NaN : valueAt(view, key, second)
  }
  return (
    <div class="figure-row">
      {FIGURES.map(([name, key]) => {
        const value = read(key)
        const isAbove = key === 'p99Ns' && aboveNs !== null && value > aboveNs
        return (
          <div key={name} class="figure">
            <span class="cap">{name}</span>
            <span class={`value ${isAbove ? 'warn' : 'follows'}`}>
              <Amount value={value} unit="ns" />
            </span>
          </div>
        )
      })}
    </div>
  )
}

/** Shows both names of a crossing as links, and what else is measured at the same place. */
function Crossings({ place }: { place: Place }): JSX.Element | null {
  const { application, pipeline, worker, name } = place
  const links: (readonly [words: string, place: Place])[] = []
  const at = (part: Partial<Place>): Place => ({ ...NO_PLACE, application, ...part })
  if (name === null && pipeline !== null && worker !== null) {
    const isOnWorker = categoryOf(place) === ON_WORKER
    const both = at({ pipeline, worker })
    if (isOnWorker) links.push(['From ingestion to completion', both])
    else links.push(['Time on this worker alone', { ...both, category: ON_WORKER }])
  }
  if (pipeline !== null && (worker !== null || name !== null)) {
    links.push([`Pipeline ${shownName(pipeline)}`, at({ pipeline })])
  }
  if (worker !== null && (pipeline !== null || name !== null)) {
    links.push([`Worker ${shownName(worker)}`, at({ worker })])
  }
  if (name !== null && worker !== null && pipeline !== null) {
    links.push([`${shownName(name)} on all workers`, at({ pipeline, name })])
  }
  if (name !== null && pipeline !== null) {
    links.push([`${shownName(name)} of all pipelines`, at({ name })])
  }
  if (links.length === 0) return null
  return (
    <nav class="small crossings" aria-label="Crossings">
      {links.map(([words, to]) => (
        <Link key={words} to={toPlace(to)} class="link">
          {words}
        </Link>
      ))}
    </nav>
  )
}

function Age({ view }: { view: ViewAnswer }): JSX.Element | null {
  const { ageMs } = view.total
  if (ageMs === null) return null
  return (
    <span class={ageMs >= SILENT_MS ? 'warn' : ''}>{` Last window ${ageText(ageMs / 1000)}.`}</span>
  )
}

export function titleOf(place: Place): string {
  return place.name ?? place.worker ?? place.pipeline ?? categoryOf(place)
}

/** @param view undefined before the first answer, and where the original's numbers are shown */
export function Heading({
  place,
  view,
}: {
  place: Place
  view: ViewAnswer | undefined
}): JSX.Element {
  const { cursor } = usePage()
  const words = `${whatWords(place)}. ${measuredWords(categoryOf(place))}.`
  const seconds = view === undefined ? 0 : Math.round((view.toMs - view.fromMs) / 1000)
  const second = cursor.second.value
  return (
    <div class="head-line">
      <div class="beside-figures">
        <div class="grow">
          <h1>
            <Name text={titleOf(place)} />
          </h1>
          <p class="small soft">
            {words}
            {view && <Age view={view} />}
          </p>
          <Crossings place={place} />
        </div>
        {view !== undefined && categoryOf(place) !== INGESTION && <Figures view={view} />}
      </div>
      {view !== undefined && (
        <dl class="fact-line small">
          {second !== null && (
            <div>
              <dt>{`At ${clockText(second * 1000)}`}</dt>
              <dd class="follows">{text(valueAt(view, 'throughput', second), '/s')}</dd>
            </div>
          )}
          <div>
            <dt>Window</dt>
            <dd>{spanText(seconds)}</dd>
          </div>
          {factsOf(view).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
