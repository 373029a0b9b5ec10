/** The page of the board: a session for as long as it is shown. */
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { type Page, usePage } from '../../../web/shell/page.ts'
import type { Route } from '../../../web/shell/view.ts'
import type { ScopeState } from './address.ts'
import { BoardView } from './board-view.tsx'
import { controlsOf } from './session/controls.ts'
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

export function ScopePage({ route }: { route: Route<ScopeState> }): JSX.Element | null {
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
