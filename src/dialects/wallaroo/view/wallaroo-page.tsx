/** The pages of Wallaroo: the list of applications, one of them, and every place in it. */
import type { JSX } from 'preact'
import { Icon } from '../../../web/shell/icon.tsx'
import { useAnswer } from '../../../web/shell/page.ts'
import { Link, Name } from '../../../web/shell/parts.tsx'
import type { Route } from '../../../web/shell/view.ts'
import type { ApplicationsAnswer } from '../http/api.ts'
import { type Place, toPlace, type WallarooState } from './address.ts'
import { Application } from './application/application.tsx'
import { Applications } from './application/applications.tsx'
import { PlaceView } from './place/place-view.tsx'
import { crumbsOf, isOverview } from './place.ts'
import { APPLICATIONS } from './requests.ts'

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

export function WallarooPage({ route }: { route: Route<WallarooState> }): JSX.Element {
  return (
    <div class="page wallaroo">
      <Crumbs place={route.state.place} />
      <Shown route={route} />
    </div>
  )
}
