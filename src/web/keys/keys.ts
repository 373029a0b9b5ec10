/** What a key does. Silent while a text field has the focus; single keys can be switched off. */
import { signal } from '@preact/signals'
import type { Screen } from '../shell/view.ts'

export type NamedAction =
  | 'filter'
  | 'jump'
  | 'help'
  | 'pause'
  | 'shorter'
  | 'longer'
  | 'cursor-back'
  | 'cursor-on'
  | 'pan-back'
  | 'pan-on'
  | 'zoom-in'
  | 'zoom-out'
  | 'zoom-back'
  | 'off'
  | 'density'
  | 'table'
  | 'theme'
  | 'next'
  | 'previous'
  | 'up'
  | 'copy-link'

/** `go-e` leads to the view that has the letter, `own-n` is what N means in the view shown. */
export type Action = NamedAction | `window-${number}` | `go-${string}` | `own-${string}`

interface KeyPress {
  readonly key: string
  readonly hasModifier: boolean
  /** Control, or the command key of a Mac, and no other one. */
  readonly hasCommand?: boolean
  readonly hasShift?: boolean
  readonly isInField: boolean
  /** Keys of the view that is shown. */
  readonly own?: readonly string[]
}

const SINGLE: Readonly<Record<string, Action>> = {
  '/': 'filter',
  '?': 'help',
  p: 'pause',
  P: 'pause',
  '[': 'shorter',
  ']': 'longer',
  '+': 'zoom-in',
  '=': 'zoom-in',
  '-': 'zoom-out',
  '0': 'zoom-back',
  d: 'density',
  t: 'table',
  T: 'theme',
  j: 'next',
  k: 'previous',
  u: 'up',
  c: 'copy-link',
}
/** Actions by keys that are no characters: they stay when single keys are switched off. */
const NAMED: Readonly<Record<string, Action>> = {
  ArrowLeft: 'cursor-back',
  ArrowRight: 'cursor-on',
  Escape: 'off',
}
const WITH_SHIFT: Readonly<Record<string, Action>> = {
  ArrowLeft: 'pan-back',
  ArrowRight: 'pan-on',
}

export class Keys {
  readonly areSinglesOn = signal(true)
  readonly #letters: ReadonlySet<string>
  #isAfterG = false

  /** @param letters that lead to views after G */
  constructor(letters: Iterable<string>) {
    this.#letters = new Set(letters)
  }

  press(press: KeyPress): Action | undefined {
    const { key, hasModifier, hasCommand, hasShift = false, isInField, own = [] } = press
    const isAfterG = this.#isAfterG
    this.#isAfterG = false
    if (hasCommand === true && key.toLowerCase() === 'k') return 'jump'
    if (hasModifier || isInField) return undefined
    const named = (hasShift ? WITH_SHIFT[key] : undefined) ?? NAMED[key]
    const lower = key.toLowerCase()
    const ownKey = own.find((each) => each.toLowerCase() === lower)
    if (ownKey !== undefined && key.length > 1) return `own-${ownKey}`
    if (named !== undefined || !this.areSinglesOn.peek()) return named
    if (isAfterG && this.#letters.has(lower)) return `go-${lower}`
    if (lower === 'g') {
      this.#isAfterG = true
      return undefined
    }
    if (ownKey !== undefined) return `own-${ownKey}`
    if (/^[1-9]$/.test(key)) return `window-${Number(key)}`
    // with Caps Lock a letter is not the one that its key says
    return SINGLE[hasShift ? key.toUpperCase() : lower] ?? SINGLE[key] ?? SINGLE[lower]
  }
}

interface KeyHelp {
  readonly title: string
  readonly keys: readonly (readonly [keys: string, what: string])[]
}

export function keyHelp(screens: readonly Screen[]): readonly KeyHelp[] {
  const views = screens.flatMap(({ key, title, address }) =>
    key === undefined ? [] : [[`G ${key.toUpperCase()}`, title(address.standard)] as const],
  )
  return [
    {
      title: 'Anywhere',
      keys: [
        ['/', 'Filter'],
        ['Ctrl K', 'Jump to a series, source, view or action'],
        ['?', 'This list'],
        ['P', 'Pause, resume'],
        ['1 … 9', 'Time window'],
        ['[ ]', 'Window shorter, longer'],
        ['← →', 'Move the cursor'],
        ['+ -', 'Zoom in, out, at the cursor'],
        ['Shift ← →', 'Earlier, later'],
        ['0', 'Back to now, as before zooming'],
        ['Esc', 'Cursor and dialogs off'],
        ['D', 'Density'],
        ['T', 'Charts as tables'],
        ['Shift T', 'Light, dark, as the system'],
      ],
    },
    {
      title: 'Go to',
      keys: [
        ...views,
        ['J K', 'Next, previous series or row'],
        // The link that J and K put the focus on opens by itself.
        ['Enter', 'Open it'],
        ['U', 'Up one level'],
        ['C', 'Copy the link'],
      ],
    },
    ...screens.flatMap(({ tab, keys = [] }) =>
      keys.length === 0 ? [] : [{ title: `In ${tab}`, keys: keys.map(shownKey) }],
    ),
  ]
}

function shownKey([key, what]: readonly [string, string]): readonly [string, string] {
  return [key.length === 1 ? key.toUpperCase() : key, what]
}
