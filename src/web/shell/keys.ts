/** What a key does. Silent while a text field has the focus; single keys can be switched off. */
import { signal } from '@preact/signals'
import type { Screen } from './view.ts'

export type NamedAction =
  | 'filter'
  | 'help'
  | 'pause'
  | 'shorter'
  | 'longer'
  | 'cursor-back'
  | 'cursor-on'
  | 'off'
  | 'density'
  | 'table'
  | 'theme'
  | 'next'
  | 'previous'
  | 'up'
  | 'copy-link'

/** `go-e` leads to the view that has the letter. */
export type Action = NamedAction | `window-${number}` | `go-${string}`

interface KeyPress {
  readonly key: string
  readonly hasModifier: boolean
  readonly isInField: boolean
}

const SINGLE: Readonly<Record<string, Action>> = {
  '/': 'filter',
  '?': 'help',
  p: 'pause',
  P: 'pause',
  '[': 'shorter',
  ']': 'longer',
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

export class Keys {
  readonly areSinglesOn = signal(true)
  readonly #letters: ReadonlySet<string>
  #isAfterG = false

  /** @param letters that lead to views after G */
  constructor(letters: Iterable<string>) {
    this.#letters = new Set(letters)
  }

  press({ key, hasModifier, isInField }: KeyPress): Action | undefined {
    const isAfterG = this.#isAfterG
    this.#isAfterG = false
    if (hasModifier || isInField) return undefined
    const named = NAMED[key]
    if (named !== undefined || !this.areSinglesOn.peek()) return named
    const lower = key.toLowerCase()
    if (isAfterG && this.#letters.has(lower)) return `go-${lower}`
    if (lower === 'g') {
      this.#isAfterG = true
      return undefined
    }
    if (/^[1-6]$/.test(key)) return `window-${Number(key)}`
    return SINGLE[key]
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
        ['?', 'This list'],
        ['P', 'Pause, resume'],
        ['1 … 6', 'Time window'],
        ['[ ]', 'Window shorter, longer'],
        ['← →', 'Move the cursor'],
        ['Esc', 'Cursor and dialogs off'],
        ['D', 'Density'],
        ['T', 'Charts as a table'],
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
  ]
}
