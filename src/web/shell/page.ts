/** What every component may use: the store, the frame, the cursor, the URL, the theme. */
import { batch, effect, signal, useSignal } from '@preact/signals'
import { createContext, type RefObject } from 'preact'
import { useContext, useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { SeriesInfo } from '../../http/api.ts'
import { ALL_WINDOWS, MEMORY_S } from '../../viewer/chart/time-window.ts'
import { type Per, type Shown, shownAs } from '../../viewer/format/rate.ts'
import { createHubApi } from '../../viewer/store/hub-api.ts'
import type { Answered, Pace } from '../../viewer/store/polling.ts'
import { Store } from '../../viewer/store/store.ts'
import { Cursor } from '../chart/cursor.ts'
import { Frame, type Panel } from '../chart/frame.ts'
import { Painter, type Palette, readPalette } from '../chart/painter.ts'
import { mergeWords } from '../sources/words.ts'
import { Gestures } from '../zoom/gestures.ts'
import type { OwnControls } from '../zoom/own-controls.ts'
import { type Span, WINDOW_LEAST, WINDOW_MOST } from '../zoom/span.ts'
import { Navigation } from './navigation.ts'
import type { Address, Screen, View, Words } from './view.ts'

const THEMES = ['system', 'light', 'dark'] as const
type ThemeChoice = (typeof THEMES)[number]

const THEME_KEY = 'pentameter.theme'

/** Light, dark, or what the system prefers; a choice of this browser, not part of a link. */
class Theme {
  readonly choice = signal<ThemeChoice>(
    THEMES.find((choice) => choice === localStorage.getItem(THEME_KEY)) ?? 'system',
  )
  /** Palette as it is applied now. */
  palette: Palette = readPalette(document.documentElement)
  readonly #system = matchMedia('(prefers-color-scheme: dark)')
  readonly #isSystemDark = signal(this.#system.matches)

  /** @param changed called whenever other colours have been applied */
  constructor(changed: () => void) {
    this.#system.addEventListener('change', () => {
      this.#isSystemDark.value = this.#system.matches
    })
    effect(() => {
      const system = this.#isSystemDark.value ? 'dark' : 'light'
      const choice = this.choice.value
      document.documentElement.dataset.theme = choice === 'system' ? system : choice
      this.palette = readPalette(document.documentElement)
      changed()
    })
  }

  /** Gives the next choice: system, then the other one, then back to the one the system prefers. */
  next(): ThemeChoice {
    const other = this.#isSystemDark.value
      ? (['light', 'dark'] as const)
      : (['dark', 'light'] as const)
    const order: readonly ThemeChoice[] = ['system', ...other]
    const choice = order[order.indexOf(this.choice.value) + 1] ?? 'system'
    if (choice === 'system') localStorage.removeItem(THEME_KEY)
    else localStorage.setItem(THEME_KEY, choice)
    this.choice.value = choice
    return choice
  }
}

export class Page {
  readonly views: readonly View[]
  /** Screens of the views that have one, in the order of their tabs. */
  readonly screens: readonly Screen[]
  /** Words of all dialects. */
  readonly words: Required<Words>
  readonly frame = new Frame()
  readonly cursor = new Cursor()
  readonly store = new Store(createHubApi(), document)
  readonly theme = new Theme(() => this.frame.redraw())
  readonly navigation: Navigation
  /** Words for screen readers, spoken once. */
  readonly spoken = signal('')
  /** Words of what was done, shown until the person goes on. */
  readonly outcome = signal('')
  readonly isHelpShown = signal(false)
  readonly isJumpShown = signal(false)
  #typed = ''
  /** Controls of the view that is shown, where it has its own time. */
  readonly own = signal<OwnControls | undefined>(undefined)
  readonly gestures = new Gestures({
    cursor: this.cursor,
    span: () => this.navigation.route.peek(),
    reach: () => ({ newest: this.store.clock.liveEdge(), kept: this.windowMost }),
    show: (span) => this.#show(span),
    write: (span, how) => this.navigation.span(span, how),
  })
  #shownAddress: Address | undefined

  constructor(views: readonly View[]) {
    this.views = views
    this.words = mergeWords(views)
    this.screens = views.flatMap(({ screen }) => screen ?? [])
    this.navigation = new Navigation(this.screens)
    effect(() => this.#applyRoute())
    const { clock, cache, sources, watch } = this.store
    const { tick, pausedAt, connection } = clock
    const drawn = [tick, pausedAt, connection, cache.version, sources, watch.version]
    effect(() => {
      for (const each of [...drawn, this.cursor.second]) each.value
      this.frame.redraw()
    })
  }

  start(): void {
    this.cursor.follow(document)
    this.gestures.follow(document)
    this.store.start()
  }

  announce(words: string): void {
    this.spoken.value = words
  }

  /** Shows and speaks what was done. Call it after going to where it is to be read. */
  report(words: string): void {
    this.outcome.value = words
    this.announce(words)
  }

  /** Gives the second that values are read at: under the cursor, else the last that is known. */
  readingSecond(): number {
    return this.cursor.second.peek() ?? this.store.clock.readingSecond()
  }

  /** Time that the person wants rates stated per. */
  get per(): Per {
    return this.navigation.route.value.per
  }

  /** Tells how a series is shown now. */
  shown(info: SeriesInfo): Shown {
    return shownAs(info, this.per)
  }

  /** Screen of the view that is shown. */
  get screen(): Screen | undefined {
    const { address } = this.navigation.route.value
    return this.screens.find((screen) => screen.address === address)
  }

  /** Seconds that are shown. */
  get window(): number {
    return this.own.value?.window.value ?? this.navigation.route.value.window
  }

  /** Words why no window is chosen here; undefined where one is. */
  get whyFixedWindow(): string | undefined {
    return this.screen?.whyFixedWindow?.(this.navigation.route.value.state)
  }

  /** Longest window of the view that is shown, in seconds. */
  get windowMost(): number {
    return this.own.value?.windowMost ?? this.screen?.windowMostS ?? this.#seriesWindowMost
  }

  /** Seconds of series that can be looked at: what the hub's history keeps, else its memory. */
  get #seriesWindowMost(): number {
    const history = this.store.sources.value?.history
    if (history === undefined || history.state === 'off') return MEMORY_S
    // how long an engine keeps it is not told
    return Math.max(MEMORY_S, ...(history.keptS ?? [WINDOW_MOST]))
  }

  /** Windows that are offered: those that the view can show. */
  get windows(): readonly number[] {
    return ALL_WINDOWS.filter((seconds) => seconds <= this.windowMost)
  }

  get windowLeast(): number {
    return this.own.value?.windowLeast ?? WINDOW_LEAST
  }

  /** Tells whether the picture stands still until it is resumed. */
  get isStill(): boolean {
    return this.own.value?.state.value.isStill ?? this.navigation.route.value.at !== null
  }

  /** Shows another window, and forgets which one was shown before zooming. */
  chooseWindow(window: number): void {
    const own = this.own.peek()
    if (own !== undefined) {
      own.chooseWindow(window)
      return
    }
    this.gestures.forget()
    this.navigation.span({ window })
  }

  togglePause(): void {
    const own = this.own.peek()
    if (own !== undefined) {
      own.togglePause()
      return
    }
    const isPaused = this.navigation.route.value.at !== null
    this.navigation.span({ at: isPaused ? null : this.store.clock.edge() })
  }

  /**
   * Takes a key while the dialog to jump from is asked for and not there yet: letters are kept for
   * it, Escape gives it up. @returns whether the key was for it
   */
  typeAhead({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
    if (ctrlKey || metaKey || altKey) return false
    if (key === 'Escape') {
      this.isJumpShown.value = false
      this.#typed = ''
    } else if (key === 'Backspace') this.#typed = this.#typed.slice(0, -1)
    else if (key.length === 1) this.#typed += key
    else return false
    return true
  }

  /** Gives what was typed for the dialog, once. */
  takeTyped(): string {
    const typed = this.#typed
    this.#typed = ''
    return typed
  }

  showHelp(): void {
    this.isHelpShown.value = true
  }

  copyLink(): void {
    navigator.clipboard.writeText(location.href).then(
      () => this.announce('Copied the link'),
      () => this.announce('The browser did not allow copying'),
    )
  }

  switchTheme(): void {
    this.announce(`Colours: ${this.theme.next()}`)
  }

  /** Gives the store what it has of the URL: the window, and the instant the picture is held at. */
  #applyRoute(): void {
    const { window, at, address } = this.navigation.route.value
    const isElsewhere = address !== this.#shownAddress
    this.#shownAddress = address
    batch(() => {
      this.#show({ window, at })
      this.outcome.value = ''
      const second = this.cursor.second.peek() ?? 0
      const edge = this.store.clock.edge()
      const isOutside = second > edge || second < edge - this.store.clock.window.peek()
      if (isElsewhere || isOutside) this.cursor.set(null)
    })
    this.frame.redraw()
  }

  #show({ window, at }: Span): void {
    const { store } = this
    const pausedAt = store.clock.pausedAt.peek()
    batch(() => {
      store.setWindow(window)
      if (at === null && pausedAt !== undefined) store.resume()
      if (at !== null && pausedAt !== at) store.pause(at)
    })
  }
}

export const PageContext = createContext<Page | undefined>(undefined)

export function usePage(): Page {
  const page = useContext(PageContext)
  if (page === undefined) throw new Error('a component outside of the page')
  return page
}

/** Time after which a picture that moves is looked at again for series that are no more. */
const LOOK_BACK_MS = 60_000

/**
 * Lists, while the component is shown, the series besides that lived in the time that is shown.
 * @param words of the filter
 */
export function usePastSeries(words: string): void {
  const { store, navigation } = usePage()
  const { window, at } = navigation.route.value
  useEffect(() => {
    const look = (): void => store.lookBack(words)
    look()
    if (at !== null) return
    const timer = setInterval(look, LOOK_BACK_MS)
    return () => clearInterval(timer)
  }, [store, words, window, at])
  useEffect(() => () => store.past.show('', undefined), [store])
}

/** Renders the component anew with every second that is read or shown. */
export function useShownSeconds(): void {
  const { clock, cache } = usePage().store
  for (const each of [clock.tick, clock.pausedAt, cache.version]) each.value
}

/** Makes an element one that is drawn by the frame while it is on screen. */
export function usePanel<T extends Element>(panel: Panel): RefObject<T | null> {
  const { frame } = usePage()
  const element = useRef<T | null>(null)
  const latest = useRef(panel)
  const isDrawn = panel.draw !== undefined
  useLayoutEffect(() => {
    latest.current = panel
    if (element.current !== null) frame.touch(element.current)
  })
  useLayoutEffect(() => {
    if (element.current === null) return
    const watched: Panel = {
      enter: () => latest.current.enter?.(),
      leave: () => latest.current.leave?.(),
      isReady: () => latest.current.isReady?.() ?? true,
    }
    if (isDrawn) watched.draw = (size) => latest.current.draw?.(size)
    return frame.watch(element.current, watched)
  }, [frame, isDrawn])
  return element
}

/** Makes a canvas draw what its component was rendered with, when the frame says so. */
export function useDrawing(
  draw: (painter: Painter, canvas: HTMLCanvasElement) => void,
  panel: Pick<Panel, 'enter' | 'leave'> = {},
): RefObject<HTMLCanvasElement | null> {
  const { theme } = usePage()
  const canvas = usePanel<HTMLCanvasElement>({
    ...panel,
    draw: (size) => {
      if (canvas.current === null || size.width === 0) return
      draw(new Painter(canvas.current, size, theme.palette), canvas.current)
    },
  })
  return canvas
}

/**
 * Reads an answer of the hub again and again while it is shown.
 * @param path below the API's own; undefined asks for nothing
 * @returns the latest one, kept while the hub does not answer and while another path is read
 */
export function useAnswer<T>(
  path: string | undefined,
  { isHeld, leastMs }: Pace = {},
): Answered<T> {
  const { frame, store } = usePage()
  const shown = useSignal<Answered<T>>({ answer: undefined, refusal: undefined })
  // before anything is drawn: what is known already has its room at once
  useLayoutEffect(() => {
    if (path === undefined) return
    const pace = { isHeld: isHeld ?? false, leastMs: leastMs ?? 0 }
    return store.polling.read<T>(path, pace, ({ answer, refusal }) => {
      shown.value = { answer: answer ?? shown.peek().answer, refusal }
      frame.redraw()
    })
  }, [frame, store, path, isHeld, leastMs])
  return shown.value
}
