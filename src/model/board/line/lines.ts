/** The lines of a board, by name and by their names in options; rows of samples find theirs. */
import type { Window } from '../sma.ts'
import { Line, type LineAbout, sameAbout } from './line.ts'

/** Facts are remembered of so many times more names than there can be lines. */
const ABOUTS_FACTOR = 2

type Names = readonly (string | undefined)[]

export class Lines {
  readonly #limit: number
  readonly #byName = new Map<string, Line>()
  readonly #byKey = new Map<string, Line>()
  /** Facts that were told, also of lines that are not there, the newest last. */
  readonly #abouts = new Map<string, LineAbout>()
  readonly #averages = new Map<string, Window>()
  /** Lines of a list of names, as long as no line comes or goes. */
  #rows = new WeakMap<Names, readonly (Line | undefined)[]>()
  #refused = 0
  #version = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Rises when a line comes, goes, or is told other facts. */
  get version(): number {
    return this.#version
  }

  /** Names for which there was no room at the last look. */
  get refused(): number {
    return this.#refused
  }

  get size(): number {
    return this.#byName.size
  }

  all(): Iterable<Line> {
    return this.#byName.values()
  }

  get(name: string): Line | undefined {
    return this.#byName.get(name)
  }

  /** Finds a line by its name in options. */
  byKey(key: string): Line | undefined {
    return this.#byKey.get(key)
  }

  /** Gives the lines of a row; those that are not there yet are made. @param now in seconds */
  rowOf(names: Names, now: number): readonly (Line | undefined)[] {
    let lines = this.#rows.get(names)
    if (lines !== undefined) return lines
    const before = this.#version
    this.#refused = 0
    lines = names.map((name) => (name === undefined ? undefined : this.make(name, now)))
    if (this.#version !== before) this.#rows = new WeakMap()
    this.#rows.set(names, lines)
    return lines
  }

  /** Finds or makes a line; undefined where there is no room. @param now in seconds */
  make(name: string, now: number): Line | undefined {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    if (this.#byName.size >= this.#limit) {
      this.#refused++
      return undefined
    }
    const line = new Line(name)
    line.seenAt = now
    line.about = this.#abouts.get(name) ?? line.about
    this.#byName.set(name, line)
    this.#enter(line)
    return line
  }

  /** Keeps what is known of a name, for its line and for one that it has later. */
  describe(name: string, about: LineAbout): void {
    this.#abouts.delete(name)
    this.#abouts.set(name, about)
    if (this.#abouts.size > ABOUTS_FACTOR * this.#limit) {
      const [oldest] = this.#abouts.keys()
      this.#abouts.delete(oldest!)
    }
    const line = this.#byName.get(name)
    if (line === undefined || sameAbout(line.about, about)) return
    this.#leave(line)
    line.about = about
    this.#enter(line)
  }

  remove(line: Line): void {
    this.#byName.delete(line.name)
    this.#leave(line)
    this.#rows = new WeakMap()
  }

  /** Keeps the moving average of a line, which may not be there yet; undefined = none. */
  setAverage(key: string, window: Window | undefined): void {
    if (window === undefined) this.#averages.delete(key)
    else this.#averages.set(key, window)
    this.#byKey.get(key)?.setAverage(window)
  }

  get averages(): ReadonlyMap<string, Window> {
    return this.#averages
  }

  #enter(line: Line): void {
    this.#byKey.set(line.key, line)
    line.setAverage(this.#averages.get(line.key))
    this.#version++
  }

  #leave(line: Line): void {
    if (this.#byKey.get(line.key) === line) this.#byKey.delete(line.key)
    this.#version++
  }
}
