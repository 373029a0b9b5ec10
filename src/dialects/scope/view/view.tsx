/** The scope board at `/scope`: lines of any series, sample by sample, as on an oscilloscope. */
import './scope.css'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { type Page, usePage } from '../../../web/shell/page.ts'
import { to } from '../../../web/shell/route.ts'
import type { Route, View } from '../../../web/shell/view.ts'
import { SCOPE, type ScopeState, STANDARD } from './address.ts'
import { BoardView } from './board-view.tsx'
import { controlsOf, KEYS } from './session/own-keys.ts'
import { DIALECT } from './session/selection.ts'
import { ScopeSession } from './session/session.ts'

/** Makes a session for as long as the component is there. */
function useSession(page: Page, state: ScopeState): ScopeSession | undefined {
  const [session, setSession] = useState<ScopeSession>()
  useEffect(() => {
    const made = new ScopeSession(page, state)
    page.own.value = controlsOf(made)
    setSession(made)
    return () => {
      page.own.value = undefined
      made.close()
    }
    // the state is that of the link as the view is opened; later ones are applied
  }, [page])
  return session
}

function ScopePage({ route }: { route: Route<ScopeState> }): JSX.Element | null {
  const page = usePage()
  const session = useSession(page, route.state)
  useLayoutEffect(() => session?.apply(route.state), [session, route.state])
  return (
    <>
      <h1 class="hidden-text">Scope</h1>
      {session && <BoardView session={session} />}
    </>
  )
}

export const view: View<ScopeState> = {
  dialect: DIALECT,
  seriesLink: ({ text }) => ({
    words: 'Sample by sample, on the scope',
    to: to(SCOPE, { ...STANDARD, series: [text] }),
  }),
  screen: {
    address: SCOPE,
    title: ({ sources, series }) => [...sources, ...series][0] ?? 'Scope',
    tab: 'Scope',
    keys: KEYS,
    key: 's',
    component: ScopePage,
  },
}
