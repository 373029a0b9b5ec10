/** Wallaroo: applications, one of them, and every place in it; the URL says which. */
import { shownName } from '../../../viewer/format/name.ts'
import type { JumpTarget, Route, View } from '../../../web/shell/view.ts'
import { NO_PLACE, type Place, toPlace, WALLAROO, type WallarooState } from './address.ts'
import './wallaroo.css'
import type { JSX } from 'preact'
import { Icon } from '../../../web/shell/icon.tsx'
import { useAnswer } from '../../../web/shell/page.ts'
import { Link, Name } from '../../../web/shell/parts.tsx'
import type { ApplicationsAnswer } from '../http/api.ts'
import { Application } from './application/application.tsx'
import { Applications } from './application/applications.tsx'
import { SlowestOfAll } from './application/slowest.tsx'
import { FORMER } from './original/former.ts'
import { PlaceView } from './place/place-view.tsx'
import { crumbsOf, isOverview, upFrom } from './place.ts'
import { APPLICATIONS, WINDOW_MOST_S } from './requests.ts'
import { WORDS } from './words.ts'

function Crumbs({ place }: { place: Place }): JSX.Element {
  return (
    <nav class="crumbs" aria-label="Where">
      {crumbsOf(place).map((crumb, i) => [
        i > 0 && <Icon key={`${i}>`} name="right" />,
        crumb.place === undefined ? (
          <span key={i} aria-current="page">
            <Name text={crumb.words} />
          </span>
        ) : (
          <Link key={i} to={toPlace(crumb.place)} class="link">
            <Name text={crumb.words} />
          </Link>
        ),
      ])}
    </nav>
  )
}

/** Shows the list; with one application alone its overview, so that it is one click away. */
function Start({ route }: { route: Route<WallarooState> }): JSX.Element {
  const { answer, refusal } = useAnswer<ApplicationsAnswer>(APPLICATIONS)
  const [first, second] = answer?.applications ?? []
  if (first !== undefined && second === undefined) {
    return <Application application={first.application} route={route} />
  }
  return (
    <>
      <div class="head-line">
        <h1>Wallaroo</h1>
      </div>
      {answer && <Applications answer={answer} aboveNs={route.state.aboveNs} />}
      {answer === undefined && <p class="soft">{refusal ?? '–'}</p>}
    </>
  )
}

function Shown({ route }: { route: Route<WallarooState> }): JSX.Element {
  const { place } = route.state
  const { application } = place
  if (application === null) return <Start route={route} />
  if (isOverview(place)) {
    return <Application key={application} application={application} route={route} />
  }
  return <PlaceView key={JSON.stringify(place)} route={route} />
}

function WallarooPage({ route }: { route: Route<WallarooState> }): JSX.Element {
  return (
    <div class="page wallaroo">
      <Crumbs place={route.state.place} />
      <Shown route={route} />
    </div>
  )
}

function titleOf({ place }: WallarooState): string {
  const { application, pipeline, worker, name } = place
  return name ?? worker ?? pipeline ?? application ?? 'Wallaroo'
}

/** Gets the applications: those that are open elsewhere, too. */
function useJumpTargets(): readonly JumpTarget[] {
  const { answer } = useAnswer<ApplicationsAnswer>(APPLICATIONS)
  return (answer?.applications ?? []).map(({ application }) => ({
    words: shownName(application),
    note: 'application, Wallaroo',
    destination: toPlace({ ...NO_PLACE, application }),
  }))
}

export const view: View<WallarooState> = {
  dialect: 'wallaroo',
  screen: {
    address: WALLAROO,
    former: FORMER,
    title: titleOf,
    tab: 'Wallaroo',
    home: { place: NO_PLACE },
    key: 'w',
    windowMostS: WINDOW_MOST_S,
    up({ place }) {
      const above = upFrom(place)
      return above && toPlace(above)
    },
    component: WallarooPage,
  },
  overviewPanel: SlowestOfAll,
  useJumpTargets,
  exampleWords: 'Join as a worker, and its application appears under Wallaroo:',
  words: WORDS,
}
