/** Wallaroo: applications, one of them, and every place in it; the URL says which. */
import type { JSX } from 'preact'
import type { ApplicationsAnswer } from '../../../http/api.ts'
import { Icon } from '../../../web/shell/icon.tsx'
import { Link, Name } from '../../../web/shell/parts.tsx'
import type { Place, Route } from '../../../web/shell/route.ts'
import { useAnswer } from '../../../web/store/polling.ts'
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
          <Link key={i} to={{ place: crumb.place }} class="link">
            <Name text={crumb.words} />
          </Link>
        ),
      ])}
    </nav>
  )
}

/** The list; with one application alone its overview, so that it is one click away. */
function Start({ route }: { route: Route }): JSX.Element {
  const { answer, refusal } = useAnswer<ApplicationsAnswer>(APPLICATIONS, false)
  const [first, second] = answer?.applications ?? []
  if (first !== undefined && second === undefined) {
    return <Application application={first.application} route={route} />
  }
  return (
    <>
      <div class="head-line">
        <h1>Wallaroo</h1>
      </div>
      {answer && <Applications answer={answer} aboveNs={route.aboveNs} />}
      {answer === undefined && <p class="soft">{refusal ?? '–'}</p>}
    </>
  )
}

function ViewOf({ route }: { route: Route }): JSX.Element {
  const { place } = route
  const { application } = place
  if (application === null) return <Start route={route} />
  if (isOverview(place)) {
    return <Application key={application} application={application} route={route} />
  }
  return <PlaceView key={JSON.stringify(place)} route={route} />
}

export function WallarooPage({ route }: { route: Route }): JSX.Element {
  return (
    <div class="page wallaroo">
      <Crumbs place={route.place} />
      <ViewOf route={route} />
    </div>
  )
}
