/** Carries out what the keys mean. */
import { useEffect, useMemo } from 'preact/hooks'
import { longerWindow, shorterWindow, stepCursor } from '../../viewer/chart/time-window.ts'
import { DENSITIES, OVERVIEW } from '../overview/address.ts'
import { type Page, usePage } from '../shell/page.ts'
import { homeOf, startOf, to } from '../shell/route.ts'
import { type Action, Keys, type NamedAction } from './keys.ts'

const SETTING = 'pentameter.keys'
const OFF = 'off'

/** Zoom of one press, and the part of the window that one press moves by. */
const ZOOM_FACTOR = 1.5
const PAN_SHARE = 0.25

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, select, textarea')
}

/** Listens to the keyboard for as long as the component is there. */
export function useKeys(): Keys {
  const page = usePage()
  const keys = useMemo(() => {
    const made = new Keys(page.screens.flatMap(({ key }) => key ?? []))
    made.areSinglesOn.value = localStorage.getItem(SETTING) !== OFF
    return made
  }, [page])
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (page.isHelpShown.peek()) return
      if (page.isJumpShown.peek()) {
        if (!isField(event.target) && page.typeAhead(event)) event.preventDefault()
        return
      }
      const action = keys.press({
        key: event.key,
        hasModifier: event.ctrlKey || event.metaKey || event.altKey,
        hasCommand: event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey,
        hasShift: event.shiftKey,
        isInField: isField(event.target),
        own: page.screen?.keys?.map(([key]) => key) ?? [],
      })
      if (action === undefined) return
      event.preventDefault()
      perform(action, page)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [page, keys])
  return keys
}

export function setSingles(keys: Keys, isOn: boolean): void {
  if (isOn) localStorage.removeItem(SETTING)
  else localStorage.setItem(SETTING, OFF)
  keys.areSinglesOn.value = isOn
}

const PERFORM: Readonly<Record<NamedAction, (page: Page) => void>> = {
  filter: focusFilter,
  jump: ({ isJumpShown }) => {
    isJumpShown.value = true
  },
  help: (page) => page.showHelp(),
  pause: (page) => page.togglePause(),
  theme: (page) => page.switchTheme(),
  shorter: (page) => page.chooseWindow(shorterWindow(page.window, page.windows)),
  longer: (page) => page.chooseWindow(longerWindow(page.window, page.windows)),
  'zoom-in': ({ gestures }) => gestures.zoom(1 / ZOOM_FACTOR),
  'zoom-out': ({ gestures }) => gestures.zoom(ZOOM_FACTOR),
  'zoom-back': ({ gestures }) => gestures.back(),
  'pan-back': ({ gestures }) => gestures.pan(-PAN_SHARE),
  'pan-on': ({ gestures }) => gestures.pan(PAN_SHARE),
  'cursor-back': (page) => moveCursor(page, -1),
  'cursor-on': (page) => moveCursor(page, 1),
  off: ({ cursor, gestures }) => {
    if (!gestures.abandon()) cursor.set(null)
  },
  density: ({ navigation }) => {
    if (navigation.route.value.address !== OVERVIEW) return
    const next = (DENSITIES.indexOf(navigation.state(OVERVIEW).density) + 1) % DENSITIES.length
    navigation.go(to(OVERVIEW, { density: DENSITIES[next] ?? 'charts' }))
  },
  table: toggleTable,
  next: () => focusSeries(1),
  previous: () => focusSeries(-1),
  up: goUp,
  'copy-link': (page) => page.copyLink(),
}

function isWindow(action: Action): action is `window-${number}` {
  return action.startsWith('window-')
}

/** Actions that choose another window, besides those that name one. */
const CHOOSE_WINDOW: ReadonlySet<Action> = new Set(['shorter', 'longer', 'zoom-in', 'zoom-out'])

function isOwn(action: Action): action is `own-${string}` {
  return action.startsWith('own-')
}

function isView(action: Action): action is `go-${string}` {
  return action.startsWith('go-')
}

function perform(action: Action, page: Page): void {
  const { navigation, screens, whyFixedWindow } = page
  if (whyFixedWindow !== undefined && (isWindow(action) || CHOOSE_WINDOW.has(action))) {
    page.report(whyFixedWindow)
  } else if (isWindow(action)) {
    const window = page.windows[Number(action.slice('window-'.length)) - 1]
    if (window !== undefined) page.chooseWindow(window)
  } else if (isOwn(action)) {
    page.own.peek()?.press(action.slice('own-'.length))
  } else if (isView(action)) {
    const screen = screens.find(({ key }) => `go-${key}` === action)
    if (screen !== undefined) navigation.go(homeOf(screen))
  } else if (!page.own.peek()?.perform(action)) PERFORM[action](page)
}

function moveCursor({ cursor, store: { clock } }: Page, direction: -1 | 1): void {
  const edge = clock.readingSecond()
  cursor.set(stepCursor(cursor.second.peek(), direction, edge, clock.window.peek()))
}

function focusFilter({ navigation }: Page): void {
  if (navigation.route.value.address !== OVERVIEW) navigation.go(to(OVERVIEW))
  const field = (): HTMLInputElement | null => document.querySelector('#filter')
  // At once where the field is there: the next letter may come before the next frame.
  if (field() !== null) field()?.focus()
  else requestAnimationFrame(() => field()?.focus())
}

/** Goes to the level above, as the view knows it; else to the start page. */
function goUp({ navigation, screens }: Page): void {
  const { address, state } = navigation.route.value
  const above = screens.find((screen) => screen.address === address)?.up?.(state)
  navigation.go(above ?? to(startOf(screens.map((screen) => screen.address))))
}

function toggleTable({ navigation }: Page): void {
  if (navigation.route.value.address === OVERVIEW) {
    const { density } = navigation.state(OVERVIEW)
    navigation.go(to(OVERVIEW, { density: density === 'table' ? 'charts' : 'table' }))
    return
  }
  navigation.span({ tables: !navigation.route.value.tables })
}

/**
 * Moves the focus from title to title; Enter then opens the link that has it. Of a long list only
 * what is near the screen is there: from a title that was scrolled away it goes on when that is
 * back.
 */
function focusSeries(direction: -1 | 1, isBack = false): void {
  const active = document.activeElement
  if (active === null || !active.matches(TITLES)) {
    focusTitle(direction > 0 ? firstOnScreen() : titles().at(-1))
  } else if (isBack || isOnScreen(active)) {
    const all = titles()
    const at = all.indexOf(active as HTMLAnchorElement)
    focusTitle(all[at + direction] ?? all[at])
  } else {
    active.scrollIntoView({ block: 'center' })
    // One frame later the list has followed.
    requestAnimationFrame(() => requestAnimationFrame(() => focusSeries(direction, true)))
  }
}

const TITLES = 'a.title, a.row-link'

function titles(): readonly HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>(TITLES)]
}

function firstOnScreen(): HTMLAnchorElement | undefined {
  const all = titles()
  return all.find(isOnScreen) ?? all[0]
}

function isOnScreen(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
}

function focusTitle(title: HTMLAnchorElement | undefined): void {
  title?.focus({ preventScroll: true })
  title?.scrollIntoView({ block: 'center' })
}
