/** What the person has chosen in `pentameter top`, and what each key makes of it. */
import {
  ALL_WINDOWS,
  longerWindow,
  shorterWindow,
  stepCursor,
  WINDOWS,
} from '../../viewer/chart/time-window.ts'
import { SORTS, type Sort } from '../../viewer/series/selection.ts'
import type { Store } from '../../viewer/store/store.ts'
import type { Key } from '../keys.ts'
import { GROUPS } from './groups.ts'

/** Characters of a filter; more are not taken. */
const FILTER_LIMIT = 200

export interface TopChoice {
  readonly filter: string
  readonly sort: Sort
  /** One of {@link GROUPS}. */
  readonly group: string
}

export class TopState {
  screen: 'list' | 'series' = 'list'
  isHelp = false
  /** Filter as it was before it was typed at; undefined while nothing is typed. */
  #filterBefore: string | undefined
  filter: string
  sort: Sort
  group: string
  /** Second of the cursor, null without one. */
  cursor: number | null = null
  /** Number of pages of facts that were turned. */
  page = 0
  readonly #store: Store

  constructor(store: Store, { filter, sort, group }: TopChoice) {
    this.#store = store
    this.filter = filter
    this.sort = sort
    this.group = group
  }

  get isTyping(): boolean {
    return this.#filterBefore !== undefined
  }

  /** Takes a key that changes the filter while it is typed. @returns false for none */
  type(key: Key): boolean {
    if (!this.isTyping) return false
    if (key === 'enter' || key === 'up' || key === 'down') this.#filterBefore = undefined
    else if (key === 'escape') {
      this.filter = this.#filterBefore ?? ''
      this.#filterBefore = undefined
    } else if (key === 'backspace') this.filter = [...this.filter].slice(0, -1).join('')
    else if (key === 'ctrl-u') this.filter = ''
    else if ([...key].length === 1 && this.filter.length < FILTER_LIMIT) this.filter += key
    return true
  }

  /** Takes a key that means the same on every screen. @returns false for another one */
  press(key: Key): boolean {
    if (this.#pressTime(key)) return true
    if (key === '?') this.isHelp = !this.isHelp
    else if (key === 'p' || key === 'P') this.#togglePause()
    else if (key === 's' || key === 'S') this.sort = after(SORTS, this.sort)
    else if (key === 'g' || key === 'G') this.group = after(GROUPS, this.group)
    else if (key === '/') this.#beginFilter()
    else if (key === 'tab') this.page += 1
    else if (key === 'escape') return this.#escape()
    else return false
    return true
  }

  /** Takes keys of window and cursor. */
  #pressTime(key: Key): boolean {
    const { clock } = this.#store
    const window = clock.window.peek()
    if (/^[1-6]$/.test(key)) this.#store.setWindow(WINDOWS[Number(key) - 1]!)
    else if (key === '[') this.#store.setWindow(shorterWindow(window, ALL_WINDOWS))
    else if (key === ']') this.#store.setWindow(longerWindow(window, ALL_WINDOWS))
    else if (key === 'left' || key === 'right') {
      const direction = key === 'left' ? -1 : 1
      this.cursor = stepCursor(this.cursor, direction, clock.readingSecond(), window)
    } else return false
    return true
  }

  #togglePause(): void {
    const { clock } = this.#store
    if (clock.pausedAt.peek() === undefined) this.#store.pause()
    else this.#store.resume()
  }

  #beginFilter(): void {
    this.screen = 'list'
    this.isHelp = false
    this.#filterBefore = this.filter
  }

  /** Goes back from what was opened last. */
  #escape(): boolean {
    if (this.isHelp) this.isHelp = false
    else if (this.cursor !== null) this.cursor = null
    else if (this.screen === 'series') this.screen = 'list'
    else if (this.filter !== '') this.filter = ''
    else return false
    return true
  }
}

function after<T>(list: readonly T[], one: T): T {
  return list[(list.indexOf(one) + 1) % list.length]!
}
