/** The bar: mark, views, state and clock, time window, pause, theme, help. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { exact } from '../format/number.ts'
import { errorCount } from '../format/status.ts'
import { clockText, windowText } from '../format/time.ts'
import { Icon, Mark } from './icon.tsx'
import { type Page, usePage, usePanel, useTopics } from './page.ts'
import { Link, setText } from './parts.tsx'
import { NO_PLACE, type Route, WINDOWS } from './route.ts'

/** Windows that a narrow bar has no room for. */
const WIDE_ONLY: ReadonlySet<number> = new Set([30, 120])

export type StateWord = 'Live' | 'Paused' | 'Cursor' | 'Reconnecting'

function stateWord({ store, cursor }: Page): StateWord {
  if (store.connection.state === 'lost') return 'Reconnecting'
  if (store.pausedAt !== undefined) return 'Paused'
  return cursor.second === null ? 'Live' : 'Cursor'
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
      const word = page.store.connection.state === 'connecting' ? 'Connecting' : stateWord(page)
      setText(state.current, word)
      if (dot.current) dot.current.className = DOTS[word as StateWord] ?? 'dot idle'
      setText(time.current, clockText((page.cursor.second ?? page.store.edge()) * 1000))
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

function Tabs({ route }: { route: Route }): JSX.Element {
  const { store } = usePage()
  useTopics('sources')
  const errors = errorCount(store.sources)
  const hasWallaroo = store.sources?.dialects.some(({ name }) => name === 'wallaroo') ?? false
  const { view } = route
  return (
    <nav class="tabs" aria-label="Views">
      <Link
        to={{ view: 'overview', series: '' }}
        current={view === 'overview' || view === 'series'}
      >
        Overview
      </Link>
      {(hasWallaroo || view === 'wallaroo') && (
        <Link to={{ view: 'wallaroo', place: NO_PLACE }} current={view === 'wallaroo'}>
          Wallaroo
        </Link>
      )}
      <Link to={{ view: 'sources', series: '' }} current={view === 'sources'}>
        Sources
        {errors > 0 && (
          <span class="count" title="messages that could not be read">
            {exact(errors)}
          </span>
        )}
      </Link>
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
          onClick={() => navigation.go({ window: seconds })}
        >
          {windowText(seconds)}
        </button>
      ))}
    </div>
  )
}

interface BarProps {
  readonly route: Route
  readonly pause: () => void
  readonly switchTheme: () => void
  readonly showHelp: () => void
}

export function Bar({ route, pause, switchTheme, showHelp }: BarProps): JSX.Element {
  const { theme } = usePage()
  const isPaused = route.at !== null
  const themeTitle = `Light or dark: ${theme.choice} (Shift T)`
  return (
    <header class="bar">
      <Link to={{ view: 'overview', series: '' }} class="brand" label="Pentameter, overview">
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
          onClick={pause}
        >
          <Icon name={isPaused ? 'play' : 'pause'} />
        </button>
        <button
          type="button"
          class="icon wide"
          aria-label="Light or dark"
          title={themeTitle}
          onClick={switchTheme}
        >
          <Icon name="theme" />
        </button>
        <button
          type="button"
          class="icon wide"
          aria-label="Keyboard help"
          title="Keyboard (?)"
          onClick={showHelp}
        >
          <Icon name="help" />
        </button>
      </div>
    </header>
  )
}
