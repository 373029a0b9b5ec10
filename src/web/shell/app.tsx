/** The frame around the views: bar, banner, the view of the URL, keys, and words spoken once. */
import type { JSX } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { WallarooPage } from '../../dialects/wallaroo/view/wallaroo-page.tsx'
import { Overview } from '../overview/overview.tsx'
import { SeriesPage } from '../series/series-page.tsx'
import { SourcesPage } from '../sources/sources-page.tsx'
import { Banner } from './banner.tsx'
import { Bar } from './bar.tsx'
import { Help } from './help.tsx'
import { useKeys } from './key-actions.ts'
import { usePage, useRoute, useTopics } from './page.ts'
import type { Route } from './route.ts'

function ViewOf({ route }: { route: Route }): JSX.Element {
  if (route.view === 'sources') return <SourcesPage />
  if (route.view === 'wallaroo') return <WallarooPage route={route} />
  if (route.view === 'series') return <SeriesPage route={route} />
  return <Overview route={route} />
}

function titleOf(route: Route): string {
  if (route.view === 'series') return route.series
  if (route.view === 'wallaroo') {
    const { application, pipeline, worker, name } = route.place
    return name ?? worker ?? pipeline ?? application ?? 'Wallaroo'
  }
  return route.view === 'sources' ? 'Sources and errors' : 'Overview'
}

/** Live, paused, reconnecting: said when it changes, never with values. */
function useSpokenState(route: Route): void {
  const page = usePage()
  useTopics('connection')
  const isLost = page.store.connection.state === 'lost'
  const word = isLost ? 'Reconnecting' : route.at === null ? 'Live' : 'Paused'
  const last = useRef(word)
  useEffect(() => {
    if (last.current !== word) page.announce(word)
    last.current = word
  }, [page, word])
}

export function App(): JSX.Element {
  const page = usePage()
  const route = useRoute()
  const [isHelpShown, setHelpShown] = useState(false)
  const [, setTheme] = useState(page.theme.choice)
  const [words, setWords] = useState('')
  page.announce = setWords
  useSpokenState(route)
  const switchTheme = useCallback(() => {
    const choice = page.theme.next()
    setTheme(choice)
    page.announce(`Colours: ${choice}`)
  }, [page])
  const pause = useCallback(() => {
    const isPaused = page.navigation.route.at !== null
    page.navigation.go({ at: isPaused ? null : page.store.edge() })
  }, [page])
  const showHelp = useCallback(() => setHelpShown(true), [])
  const keys = useKeys({ pause, switchTheme, showHelp, isHelpShown })
  useEffect(() => {
    document.title = `${titleOf(route)} · Pentameter`
  }, [route])
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Bar route={route} pause={pause} switchTheme={switchTheme} showHelp={showHelp} />
      <Banner />
      <main id="main" tabIndex={-1}>
        <ViewOf route={route} />
      </main>
      <div class="hidden-text" role="status" aria-live="polite">
        {words}
      </div>
      {isHelpShown && (
        <Help
          areSinglesOn={keys.areSinglesOn}
          setSingles={keys.setSingles}
          close={() => setHelpShown(false)}
        />
      )}
    </>
  )
}
