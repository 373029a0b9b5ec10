/** What a key does. Silent while a text field has the focus; single keys can be switched off. */
export type Action =
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
  | 'overview'
  | 'wallaroo'
  | 'sources'
  | 'next'
  | 'previous'
  | 'up'
  | 'copy-link'
  | `window-${number}`

export interface KeyPress {
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
/** These are no characters: they stay when single keys are switched off. */
const NAMED: Readonly<Record<string, Action>> = {
  ArrowLeft: 'cursor-back',
  ArrowRight: 'cursor-on',
  Escape: 'off',
}
const AFTER_G: Readonly<Record<string, Action>> = { o: 'overview', w: 'wallaroo', e: 'sources' }

export class Keys {
  areSinglesOn = true
  #isAfterG = false

  press({ key, hasModifier, isInField }: KeyPress): Action | undefined {
    const isAfterG = this.#isAfterG
    this.#isAfterG = false
    if (hasModifier || isInField) return undefined
    const named = NAMED[key]
    if (named !== undefined || !this.areSinglesOn) return named
    const lower = key.toLowerCase()
    if (isAfterG && AFTER_G[lower] !== undefined) return AFTER_G[lower]
    if (lower === 'g') {
      this.#isAfterG = true
      return undefined
    }
    if (/^[1-6]$/.test(key)) return `window-${Number(key)}`
    return SINGLE[key]
  }
}

export interface KeyHelp {
  readonly title: string
  readonly keys: readonly (readonly [keys: string, what: string])[]
}

export const KEY_HELP: readonly KeyHelp[] = [
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
      ['G O', 'Overview'],
      ['G W', 'Wallaroo'],
      ['G E', 'Sources and errors'],
      ['J K', 'Next, previous series or row'],
      // The link that J and K put the focus on opens by itself.
      ['Enter', 'Open it'],
      ['U', 'Up one level'],
      ['C', 'Copy the link'],
    ],
  },
]
