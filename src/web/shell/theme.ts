/** Light, dark, or what the system prefers; a choice of this browser, not part of a link. */
const THEMES = ['system', 'light', 'dark'] as const
export type ThemeChoice = (typeof THEMES)[number]

const KEY = 'pentameter.theme'

export class Theme {
  choice: ThemeChoice
  readonly #dark = matchMedia('(prefers-color-scheme: dark)')
  readonly #changed: () => void

  constructor(changed: () => void) {
    this.#changed = changed
    this.choice = THEMES.find((choice) => choice === localStorage.getItem(KEY)) ?? 'system'
    this.#dark.addEventListener('change', () => this.apply())
    this.apply()
  }

  /** System, then the other one, then back to the one the system prefers. */
  next(): ThemeChoice {
    const [first, second] = this.#dark.matches ? ['light', 'dark'] : ['dark', 'light']
    const order = ['system', first, second] as ThemeChoice[]
    this.choice = order[(order.indexOf(this.choice) + 1) % order.length]!
    if (this.choice === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, this.choice)
    this.apply()
    return this.choice
  }

  apply(): void {
    const system = this.#dark.matches ? 'dark' : 'light'
    document.documentElement.dataset.theme = this.choice === 'system' ? system : this.choice
    this.#changed()
  }
}
