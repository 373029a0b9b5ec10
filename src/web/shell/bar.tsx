/** The bar: mark, views, state and clock, time window, pause, theme, help. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { exact } from '../format/number.ts'
import { clockText, windowText } from '../format/time.ts'
import { Icon, Mark } from './icon.tsx'
import { type Page, usePage, usePanel } from './page.ts'
import { Link, setText } from './parts.tsx'
import { homeOf, startOf, to, WINDOWS } from './route.ts'
import type { Route } from './view.ts'

/** Windows that a narrow bar has no room for. */
const WIDE_ONLY: ReadonlySet<number> = new Set([30, 120])

type StateWord = 'Live' | 'Paused' | 'Cursor' | 'Reconnecting'

function stateWord({ store, cursor }: Page): StateWord {
  if (store.clock.connection.value.state === 'lost') return 'Reconnecting'
  if (store.clock.pausedAt.value !== undefined) return 'Paused'
  return cursor.second.value === null ? 'Live' : 'Cursor'
}

const DOTS: Readonly<Record<StateWord, string>> = {
  Live: 'dot',
  Cursor: 'dot',
  Paused: 'dot paused',
  Reconnecting: 'dot error',
}

function Clock(): JSX.Element {
  const page = usePage()
  const dot = useRef<HTMLSpanElement>(null)
  const state = useRef<HTMLSpanElement>(null)
  const time = useRef<HTMLSpanElement>(null)
  const box = usePanel<HTMLDivElement>({
    draw: () => {
      const word =
        page.store.clock.connection.value.state === 'connecting' ? 'Connecting' : stateWord(page)
      setText(state.current, word)
      if (dot.current) dot.current.className = DOTS[word as StateWord] ?? 'dot idle'
      setText(time.current, clockText((page.cursor.second.value ?? page.store.clock.edge()) * 1000))
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

function Windows({ route }: { route: Route }): JSX.Element {
  const { navigation } = usePage()
  return (
    <div class="segments" role="radiogroup" aria-label="Time window">
      {WINDOWS.map((seconds) => (
        // biome-ignore lint/a11y/useSemanticElements: drawn as one control with its neighbours
        <button
          key={seconds}
          type="button"
          role="radio"
          class={WIDE_ONLY.has(seconds) ? 'wide' : ''}
          aria-checked={route.window === seconds}
          onClick={() => navigation.span({ window: seconds })}
        >
          {windowText(seconds)}
        </button>
      ))}
    </div>
  )
}

export function Bar({ route }: { route: Route }): JSX.Element {
  const page = usePage()
  const start = startOf(page.screens.map(({ address }) => address))
  const isPaused = route.at !== null
  const themeTitle = `Light or dark: ${page.theme.choice.value} (Shift T)`
  return (
    <header class="bar">
      <Link to={to(start)} class="brand" label="Pentameter, overview">
        <Mark />
        <span>Pentameter</span>
      </Link>
      <Tabs route={route} />
      <span class="grow" />
      <Clock />
      <Windows route={route} />
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
          class="icon wide"
          aria-label="Light or dark"
          title={themeTitle}
          onClick={() => page.switchTheme()}
        >
          <Icon name="theme" />
        </button>
        <button
          type="button"
          class="icon wide"
          aria-label="Keyboard help"
          title="Keyboard (?)"
          onClick={() => {
            page.isHelpShown.value = true
          }}
        >
          <Icon name="help" />
        </button>
      </div>
    </header>
  )
}
