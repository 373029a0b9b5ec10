/**
 * Which counters a monitor shows: those that all words of the filter match, and of a hub its own
 * ones only where they are asked for.
 */
import { compileGlob, type Glob } from '../../../../model/text/glob.ts'
import type { Key } from '../../../../terminal/index.ts'
import type { CounterDescription } from '../../window.ts'
import type { Series } from './board.ts'

/** Provider, and beginning of the names, of what a hub counts of itself. */
const OWN_PROVIDER = 'hub'
const OWN_NAMES = 'pentameter.'
/** Characters of a filter; more are not taken. */
const FILTER_LIMIT = 200

export interface Selected {
  readonly series: readonly Series[]
  /** Number of series that there are without a filter. */
  readonly total: number
}

/** Tells whether a counter is one that a hub keeps of itself. */
function isOwn({ provider, name }: CounterDescription): boolean {
  return provider === OWN_PROVIDER && name.startsWith(OWN_NAMES)
}

/** Filter of one text, read once. */
export class CounterWords {
  readonly #words: readonly Glob[]
  readonly #hasOwn: boolean

  /** @param text words with blanks between them; a `*` is any run of characters */
  constructor(text: string, hasOwn: boolean) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    this.#words = words.map((word) => compileGlob(`*${word}*`))
    const asked = (word: string): boolean => word === OWN_PROVIDER || word.includes('pentameter')
    this.#hasOwn = hasOwn || words.some(asked)
  }

  match(counter: CounterDescription): boolean {
    if (!this.#hasOwn && isOwn(counter)) return false
    if (this.#words.length === 0) return true
    const { provider, name, displayName, metaData } = counter
    const pairs = metaData.map(([key, value]) => `${key}=${value}`)
    const texts = [provider, name, displayName, ...pairs].map((text) => text.toLowerCase())
    return this.#words.every((word) => texts.some((text) => word(text)))
  }
}

/** The filter of a screen, as it is typed. */
export class CounterSelection {
  text: string
  readonly #hasOwn: boolean
  /** Text as it was before it was typed at; undefined while nothing is typed. */
  #before: string | undefined
  #known: { readonly key: string; readonly selected: Selected } | undefined

  constructor(text: string, hasOwn: boolean) {
    this.text = text
    this.#hasOwn = hasOwn
  }

  get isTyping(): boolean {
    return this.#before !== undefined
  }

  begin(): void {
    this.#before = this.text
  }

  /** Takes a key while the filter is typed. @returns false for none */
  type(key: Key): boolean {
    if (!this.isTyping) return false
    if (key === 'enter' || key === 'up' || key === 'down') this.#before = undefined
    else if (key === 'escape') {
      this.text = this.#before ?? ''
      this.#before = undefined
    } else if (key === 'backspace') this.text = [...this.text].slice(0, -1).join('')
    else if (key === 'ctrl-u') this.text = ''
    else if ([...key].length === 1 && this.text.length < FILTER_LIMIT) this.text += key
    return true
  }

  /** @param key of the list at hand: another one where a series has come or changed its label */
  select(key: string, series: Iterable<Series>): Selected {
    const known = `${key} ${this.text}`
    if (this.#known?.key === known) return this.#known.selected
    const words = new CounterWords(this.text, this.#hasOwn)
    const all = [...series]
    const shown = all.filter(({ counter }) => words.match(counter))
    const hidden = this.#hasOwn ? 0 : all.filter(({ counter }) => isOwn(counter)).length
    const total = Math.max(shown.length, all.length - hidden)
    this.#known = { key: known, selected: { series: shown, total } }
    return this.#known.selected
  }
}
