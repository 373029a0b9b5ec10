/** Carries out what the keys mean. */
import { useEffect, useReducer, useRef } from 'preact/hooks'
import { upFrom } from '../../dialects/wallaroo/view/place.ts'
import { stepCursor } from '../chart/cursor.ts'
import { type Action, Keys } from './keys.ts'
import { type Page, usePage } from './page.ts'
import { DENSITIES, NO_PLACE, WINDOWS } from './route.ts'

export interface KeyTargets {
  readonly pause: () => void
  readonly switchTheme: () => void
  readonly showHelp: () => void
  readonly isHelpShown: boolean
}

export interface KeySettings {
  readonly areSinglesOn: boolean
  readonly setSingles: (isOn: boolean) => void
}

const SETTING = 'pentameter.keys'
const OFF = 'off'

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, select, textarea')
}

export function useKeys(targets: KeyTargets): KeySettings {
  const page = usePage()
  const keys = useRef<Keys | null>(null)
  const latest = useRef(targets)
  latest.current = targets
  const [, renew] = useReducer((count: number) => count + 1, 0)
  if (keys.current === null) {
    keys.current = new Keys()
    keys.current.areSinglesOn = localStorage.getItem(SETTING) !== OFF
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (latest.current.isHelpShown) return
      const action = keys.current?.press({
        key: event.key,
        hasModifier: event.ctrlKey || event.metaKey || event.altKey,
        isInField: isField(event.target),
      })
      if (action === undefined) return
      event.preventDefault()
      perform(action, page, latest.current)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [page])
  return {
    areSinglesOn: keys.current.areSinglesOn,
    setSingles: (isOn) => {
      if (keys.current) keys.current.areSinglesOn = isOn
      if (isOn) localStorage.removeItem(SETTING)
      else localStorage.setItem(SETTING, OFF)
      renew(undefined)
    },
  }
}

type NamedAction = Exclude<Action, `window-${number}`>

const PERFORM: Readonly<Record<NamedAction, (page: Page, targets: KeyTargets) => void>> = {
  filter: focusFilter,
  help: (_, { showHelp }) => showHelp(),
  pause: (_, { pause }) => pause(),
  theme: (_, { switchTheme }) => switchTheme(),
  shorter: ({ navigation }) => {
    const { window } = navigation.route
    navigation.go({ window: WINDOWS.findLast((each) => each < window) ?? WINDOWS[0] })
  },
  longer: ({ navigation }) => {
    const { window } = navigation.route
    navigation.go({ window: WINDOWS.find((each) => each > window) ?? window })
  },
  'cursor-back': (page) => moveCursor(page, -1),
  'cursor-on': (page) => moveCursor(page, 1),
  off: ({ cursor }) => cursor.set(null),
  density: ({ navigation }) => {
    const next = (DENSITIES.indexOf(navigation.route.density) + 1) % DENSITIES.length
    navigation.go({ density: DENSITIES[next] ?? 'charts' })
  },
  table: toggleTable,
  overview: ({ navigation }) => navigation.go({ view: 'overview', series: '' }),
  wallaroo: ({ navigation }) => navigation.go({ view: 'wallaroo', place: NO_PLACE }),
  sources: ({ navigation }) => navigation.go({ view: 'sources', series: '' }),
  next: () => focusSeries(1),
  previous: () => focusSeries(-1),
  up: goUp,
  'copy-link': copyLink,
}

function isWindow(action: Action): action is `window-${number}` {
  return action.startsWith('window-')
}

function perform(action: Action, page: Page, targets: KeyTargets): void {
  if (!isWindow(action)) {
    PERFORM[action](page, targets)
    return
  }
  const window = WINDOWS[Number(action.slice('window-'.length)) - 1]
  if (window !== undefined) page.navigation.go({ window })
}

function moveCursor({ cursor, store }: Page, direction: -1 | 1): void {
  cursor.set(stepCursor(cursor.second, direction, store.readingSecond(), store.window))
}

function focusFilter({ navigation }: Page): void {
  if (navigation.route.view !== 'overview') navigation.go({ view: 'overview', series: '' })
  const field = (): HTMLInputElement | null => document.querySelector('#filter')
  // At once where the field is there: the next letter may come before the next frame.
  if (field() !== null) field()?.focus()
  else requestAnimationFrame(() => field()?.focus())
}

/** From a place in a pipeline to the level above it, from all else to the overview. */
function goUp({ navigation }: Page): void {
  const { view, place } = navigation.route
  const above = view === 'wallaroo' ? upFrom(place) : undefined
  if (above !== undefined) navigation.go({ place: above })
  else navigation.go({ view: 'overview', series: '', kind: '', type: '' })
}

function toggleTable({ navigation }: Page): void {
  const { view, density } = navigation.route
  if (view === 'overview') {
    navigation.go({ density: density === 'table' ? 'charts' : 'table' })
    return
  }
  const details = document.querySelector<HTMLDetailsElement>('details.panel')
  if (details) details.open = !details.open
}

/** The focus walks over the titles; Enter then opens the link that has it. */
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
