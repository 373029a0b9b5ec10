/** Carries out what the keys mean. */
import { useEffect, useMemo } from 'preact/hooks'
import { stepCursor } from '../chart/cursor.ts'
import { DENSITIES, OVERVIEW } from '../overview/address.ts'
import { type Action, Keys, type NamedAction } from './keys.ts'
import { type Page, usePage } from './page.ts'
import { homeOf, startOf, to, WINDOWS } from './route.ts'

const SETTING = 'pentameter.keys'
const OFF = 'off'

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
      const action = keys.press({
        key: event.key,
        hasModifier: event.ctrlKey || event.metaKey || event.altKey,
        isInField: isField(event.target),
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
  help: ({ isHelpShown }) => {
    isHelpShown.value = true
  },
  pause: (page) => page.togglePause(),
  theme: (page) => page.switchTheme(),
  shorter: ({ navigation }) => {
    const { window } = navigation.route.value
    navigation.span({ window: WINDOWS.findLast((each) => each < window) ?? WINDOWS[0] })
  },
  longer: ({ navigation }) => {
    const { window } = navigation.route.value
    navigation.span({ window: WINDOWS.find((each) => each > window) ?? window })
  },
  'cursor-back': (page) => moveCursor(page, -1),
  'cursor-on': (page) => moveCursor(page, 1),
  off: ({ cursor }) => cursor.set(null),
  density: ({ navigation }) => {
    if (navigation.route.value.address !== OVERVIEW) return
    const next = (DENSITIES.indexOf(navigation.state(OVERVIEW).density) + 1) % DENSITIES.length
    navigation.go(to(OVERVIEW, { density: DENSITIES[next] ?? 'charts' }))
  },
  table: toggleTable,
  next: () => focusSeries(1),
  previous: () => focusSeries(-1),
  up: goUp,
  'copy-link': copyLink,
}

function isWindow(action: Action): action is `window-${number}` {
  return action.startsWith('window-')
}

function isView(action: Action): action is `go-${string}` {
  return action.startsWith('go-')
}

function perform(action: Action, page: Page): void {
  const { navigation, screens } = page
  if (isWindow(action)) {
    const window = WINDOWS[Number(action.slice('window-'.length)) - 1]
    if (window !== undefined) navigation.span({ window })
  } else if (isView(action)) {
    const screen = screens.find(({ key }) => `go-${key}` === action)
    if (screen !== undefined) navigation.go(homeOf(screen))
  } else PERFORM[action](page)
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
  const details = document.querySelector<HTMLDetailsElement>('details.panel')
  if (details) details.open = !details.open
}

/** Moves the focus from title to title; Enter then opens the link that has it. */
function focusSeries(direction: -1 | 1): void {
  const titles = [...document.querySelectorAll<HTMLAnchorElement>('a.title, a.row-link')]
  const at = titles.indexOf(document.activeElement as HTMLAnchorElement)
  const next = at < 0 && direction < 0 ? titles.length - 1 : at + direction
  const title = titles[Math.min(titles.length - 1, Math.max(0, next))]
  title?.focus({ preventScroll: true })
  title?.scrollIntoView({ block: 'center' })
}

function copyLink(page: Page): void {
  navigator.clipboard.writeText(location.href).then(
    () => page.announce('Copied the link'),
    () => page.announce('The browser did not allow copying'),
  )
}
