/**
 * Wallaroo: applications, one of them, and every place in it; the URL says which. The code of its
 * pages comes when one is first shown.
 */
import { shownName } from '../../../viewer/format/name.ts'
import { lazy, ViewNotLoaded } from '../../../web/shell/lazy.tsx'
import type { JumpTarget, View } from '../../../web/shell/view.ts'
import { NO_PLACE, toPlace, WALLAROO, type WallarooState } from './address.ts'
import './wallaroo.css'
import { useAnswer } from '../../../web/shell/page.ts'
import type { ApplicationsAnswer } from '../http/api.ts'
import { SlowestOfAll } from './application/slowest.tsx'
import { FORMER } from './original/former.ts'
import { upFrom, whyFixedWindow } from './place.ts'
import { APPLICATIONS, WINDOW_MOST_S } from './requests.ts'
import { WORDS } from './words.ts'

const WallarooPage = lazy(
  async () => (await import('./wallaroo-page.tsx')).WallarooPage,
  ViewNotLoaded,
)

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
    whyFixedWindow: ({ place }) => whyFixedWindow(place),
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
