/** The bar: mark, views, state and clock, time window, pause, theme, help. */

import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { exact } from '../../viewer/format/number.ts'
import { instantText } from '../../viewer/format/time.ts'
import { WindowChoice } from '../zoom/window-choice.tsx'
import { Icon, Mark } from './icon.tsx'
import { type Page, usePage, usePanel } from './page.ts'
import { Link, setText } from './parts.tsx'
import { homeOf, startOf, to } from './route.ts'
import type { Route } from './view.ts'

/** Says in one word and a mark what the picture does. */
function stateOf({ store, cursor, own }: Page): { readonly word: string; readonly dot: string } {
  const { connection, pausedAt } = store.clock
  if (connection.value.state === 'lost') return { word: 'Reconnecting', dot: 'dot error' }
  if (connection.value.state === 'connecting') return { word: 'Connecting', dot: 'dot idle' }
  if (own.value !== undefined) return own.value.state.value
  if (pausedAt.value !== undefined) return { word: 'Paused', dot: 'dot paused' }
  return { word: cursor.second.value === null ? 'Live' : 'Cursor', dot: 'dot' }
}

function instantMs({ store, cursor, own }: Page): number {
  return own.value?.instantMs() ?? (cursor.second.value ?? store.clock.edge()) * 1000
}

function Clock(): JSX.Element {
  const page = usePage()
  const dot = useRef<HTMLSpanElement>(null)
  const state = useRef<HTMLSpanElement>(null)
  const time = useRef<HTMLSpanElement>(null)
  const box = usePanel<HTMLDivElement>({
    draw: () => {
      const { word, dot: mark } = stateOf(page)
      setText(state.current, word)
      if (dot.current) dot.current.className = mark
      setText(time.current, instantText(instantMs(page), page.store.clock.nowMs()))
    },
  })
  return (
    <div class="clock" ref={box}>
      <span class="dot idle" ref={dot} aria-hidden="true" />
      <span class="state" ref={state} />
      <span class="follows" ref={time} />
    </div>
  )
}

/**
 * Shows the tabs; that of a dialect's view is there while the hub speaks it, or the view is shown.
 */
function Tabs({ route }: { route: Route }): JSX.Element {
  const { views, store } = usePage()
  const sources = store.sources.value
  const shown = views.find(({ screen }) => screen?.address === route.address)?.screen
  const marked = shown?.tabOf ?? route.address
  const isSpoken = (dialect: string | undefined): boolean =>
    dialect === undefined || (sources?.dialects.some(({ name }) => name === dialect) ?? false)
  return (
    <nav class="tabs" aria-label="Views">
      {views.map(({ dialect, screen }) => {
        if (screen?.tab === undefined) return null
        if (!isSpoken(dialect) && screen.address !== marked) return null
        const troubles = screen.troubles?.(sources) ?? 0
        return (
          <Link key={screen.address.path} to={homeOf(screen)} current={screen.address === marked}>
            {screen.tab}
            {troubles > 0 && (
              <span class="count" title="messages that could not be read">
                {exact(troubles)}
              </span>
            )}
          </Link>
        )
      })}
    </nav>
  )
}

/** Shows what looks like a field, and opens the one that is. */
function JumpButton(): JSX.Element {
  const { isJumpShown } = usePage()
  return (
    <button
      type="button"
      class="jump-button"
      title="Jump to a series, source, view or action (Ctrl K)"
      aria-haspopup="dialog"
      onClick={() => {
        isJumpShown.value = true
      }}
    >
      <Icon name="search" />
      <span class="grow">Jump to</span>
      <span class="keycap" aria-hidden="true">
        Ctrl K
      </span>
    </button>
  )
}

export function Bar({ route }: { route: Route }): JSX.Element {
  const page = usePage()
  const start = startOf(page.screens.map(({ address }) => address))
  const isPaused = page.isStill
  const themeTitle = `Light or dark: ${page.theme.choice.value} (Shift T)`
  return (
    <header class="bar">
      <Link to={to(start)} class="brand" label="Pentameter, overview">
        <Mark />
        <span>Pentameter</span>
      </Link>
      <Tabs route={route} />
      <JumpButton />
      <span class="grow" />
      <Clock />
      {page.whyFixedWindow === undefined && <WindowChoice window={page.window} />}
      <div class="buttons">
        <button
          type="button"
          class="icon"
          aria-label={isPaused ? 'Resume' : 'Pause'}
          title={isPaused ? 'Resume (P)' : 'Pause (P)'}
          onClick={() => page.togglePause()}
        >
          <Icon name={isPaused ? 'play' : 'pause'} />
        </button>
        <button
          type="button"
          class="icon"
          aria-label="Light or dark"
          title={themeTitle}
          onClick={() => page.switchTheme()}
        >
          <Icon name="theme" />
        </button>
        <button
          type="button"
          class="icon"
          aria-label="Keyboard help"
          title="Keyboard (?)"
          onClick={() => page.showHelp()}
        >
          <Icon name="help" />
        </button>
      </div>
    </header>
  )
}
