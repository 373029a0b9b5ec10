/** The frame around the views: bar, banner, the view of the URL, keys, and words spoken once. */
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { escapeUnseen } from '../../model/text/unseen.ts'
import { setSingles, useKeys } from '../keys/key-actions.ts'
import { Banner } from './banner.tsx'
import { Bar } from './bar.tsx'
import { useFocus } from './focus.ts'
import { DialogNotLoaded, lazy, usePrefetch } from './lazy.tsx'
import { usePage } from './page.ts'

const Help = lazy(async () => (await import('../keys/help.tsx')).Help, DialogNotLoaded)
const Jump = lazy(async () => (await import('../jump/jump.tsx')).Jump, DialogNotLoaded)
const DIALOGS = [Help, Jump]

/** Speaks the state, live, paused, reconnecting, when it changes, never with values. */
function useSpokenState(): void {
  const page = usePage()
  const isLost = page.store.clock.connection.value.state === 'lost'
  const word = isLost
    ? 'Reconnecting'
    : (page.own.value?.state.value.word ?? (page.isStill ? 'Paused' : 'Live'))
  const last = useRef(word)
  useEffect(() => {
    if (last.current !== word) page.announce(word)
    last.current = word
  }, [page, word])
}

export function App(): JSX.Element {
  const page = usePage()
  const route = page.navigation.route.value
  const screen = page.screens.find(({ address }) => address === route.address)
  const keys = useKeys()
  const title = screen?.title(route.state)
  useSpokenState()
  usePrefetch(DIALOGS)
  useFocus()
  useEffect(() => {
    document.title = escapeUnseen(`${title} · Pentameter`)
  }, [title])
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Bar route={route} />
      <Banner />
      <main id="main" tabIndex={-1}>
        {screen !== undefined && <screen.component route={route} />}
      </main>
      <div class="hidden-text" role="status" aria-live="polite">
        {page.spoken.value}
      </div>
      {page.isHelpShown.value && <Help keys={keys} />}
      {page.isJumpShown.value && <Jump setSingles={(isOn) => setSingles(keys, isOn)} />}
    </>
  )
}
