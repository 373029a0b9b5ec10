/**
 * Options as a check of what a file, a program or the command line gives: defaults filled in, and
 * each problem with its path, the value and what is wanted instead.
 */
import type {
  ListOption,
  Option,
  OptionSpec,
  SectionOption,
  TextOption,
} from '../../dialects/options.ts'
import { meantWords } from '../../model/text/nearest.ts'

/** A value as checked. What is wrong with one of the right type may be said by a check as well. */
interface Checked {
  readonly value?: unknown
  /** True for one whose type is wrong, or a part of which has a wrong one. */
  readonly isBroken?: boolean
}

type Path = readonly string[]
type Values = Readonly<Record<string, unknown>>
const BROKEN: Checked = { isBroken: true }

/** Checks values against a spec and keeps the first problem of each option. */
export class OptionCheck {
  readonly #problems = new Map<string, string>()

  /** Problems so far, one line each: `seriesLimit: 0, want at least 1`. */
  get problems(): readonly string[] {
    return [...this.#problems.values()]
  }

  /** Gives the values of all options of a spec, of which those with problems are missing. */
  options(spec: OptionSpec, given: unknown): Values {
    return this.#options(spec, given, []).value as Values
  }

  #options(spec: OptionSpec, given: unknown, path: Path): Checked {
    if (!isMapping(given)) return this.#broken(path, given, 'want a mapping')
    let isBroken = false
    const values: Record<string, unknown> = {}
    for (const [name, option] of Object.entries(spec)) {
      const checked = this.#option(option, ownValue(given, name), [...path, name])
      if (checked.isBroken === true) isBroken = true
      else if (checked.value !== undefined) values[name] = checked.value
    }
    for (const name of Object.keys(given).filter((each) => !Object.hasOwn(spec, each))) {
      const place = [...path, name].join('.')
      this.#note(place, `${place}: no such option${meantWords(name, Object.keys(spec))}`)
    }
    return { value: values, isBroken }
  }

  /** Checks an option that may be left out, or must not be. */
  #option(option: Option, given: unknown, path: Path): Checked {
    if (given !== undefined) return this.#value(option, given, path)
    if (option.kind === 'section' || option.kind === 'text') {
      if (option.isRequired === true) return this.#value(option, given, path)
    }
    return option.kind === 'section' ? this.#value(option, {}, path) : { value: option.default }
  }

  #value(option: Option, given: unknown, path: Path): Checked {
    switch (option.kind) {
      case 'integer':
        return this.#number(given, option.min, option.max, path, true)
      case 'number':
        return this.#number(given, option.min, option.max, path, false)
      case 'boolean':
        if (typeof given === 'boolean') return { value: given }
        return this.#broken(path, given, 'want true or false')
      case 'text':
        return this.#text(option, digitsOf(option, given), path)
      case 'choice': {
        if (option.choices.some((each) => each === given)) return { value: given }
        const choices = option.choices.map((each) => JSON.stringify(each))
        return this.#broken(path, given, `want ${choices.join(' or ')}`)
      }
      case 'auto': {
        const { min, max } = option
        if (given === 'auto') return { value: given }
        if (Number.isSafeInteger(given)) return this.#number(given, min, max, path, true)
        return this.#broken(path, given, `want auto, or a whole number of ${min} to ${max}`)
      }
      case 'list':
        return this.#list(option, given, path)
      case 'map':
        return this.#map(option.item, option.keys, given, path)
      case 'section':
        return this.#section(option, given, path)
    }
  }

  #number(
    given: unknown,
    min: number,
    max = Number.MAX_SAFE_INTEGER,
    path: Path,
    isWhole: boolean,
  ): Checked {
    if (typeof given !== 'number' || !Number.isFinite(given)) {
      return this.#broken(path, given, 'want a number')
    }
    if (isWhole && !Number.isInteger(given)) return this.#broken(path, given, 'want a whole number')
    if (given < min) this.#wrong(path, given, `want at least ${min}`)
    if (given > max) this.#wrong(path, given, `want at most ${max}`)
    return { value: given }
  }

  #text({ lengthMin = 0, lengthMax, check }: TextOption, given: unknown, path: Path): Checked {
    if (typeof given !== 'string') return this.#broken(path, given, 'want text')
    if (given.length < lengthMin) this.#wrong(path, given, `want at least ${lengthMin} character`)
    if (given.length > (lengthMax ?? given.length)) {
      this.#wrong(path, given, `want at most ${lengthMax}`)
    }
    this.#wrong(path, given, check?.(given))
    return { value: given }
  }

  #list({ item, check }: ListOption, given: unknown, path: Path): Checked {
    if (!Array.isArray(given)) return this.#broken(path, given, 'want a list')
    const items = given.map((each, i) => this.#value(item, each, [...path, String(i)]))
    if (items.some(({ isBroken }) => isBroken)) return BROKEN
    const value = items.map((each) => each.value)
    this.#wrong(path, given, check?.(value))
    return { value }
  }

  #map(item: Option, keys: RegExp | undefined, given: unknown, path: Path): Checked {
    if (!isPlain(given)) return this.#broken(path, given, 'want a mapping')
    const entries = Object.entries(given).map(([key, each]) => {
      const inside = [...path, key]
      if (keys?.test(key) === false) this.#broken(inside, each, 'Invalid key in record')
      return [key, this.#value(item, each, inside)] as const
    })
    if (entries.some(([, { isBroken }]) => isBroken)) return BROKEN
    return { value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])) }
  }

  #section({ options, check }: SectionOption, given: unknown, path: Path): Checked {
    const checked = this.#options(options, given, path)
    const problem = checked.isBroken === true ? undefined : check?.(checked.value)
    if (problem === undefined) return checked
    const value = ownValue(given as Values, problem.option)
    this.#wrong([...path, problem.option], value, problem.wanted)
    return checked
  }

  #broken(path: Path, given: unknown, wanted: string): Checked {
    this.#wrong(path, given, wanted)
    return BROKEN
  }

  #wrong(path: Path, given: unknown, wanted: string | undefined): void {
    if (wanted === undefined) return
    const place = path.join('.')
    this.#note(place, `${place === '' ? '' : `${place}: `}${valueText(given)}, ${wanted}`)
  }

  /** Keeps what is first said of an option: a value of a wrong type may be too short as well. */
  #note(place: string, problem: string): void {
    if (!this.#problems.has(place)) this.#problems.set(place, problem)
  }
}

function isMapping(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Tells a mapping of keys of any name from an object of a class. */
function isPlain(value: unknown): value is Values {
  if (!isMapping(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** Reads what is given itself: a name such as `constructor` is nothing that was inherited. */
function ownValue(values: Values, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** Longest value that a message repeats whole. */
const VALUE_TEXT_MAX = 60

function valueText(value: unknown): string {
  if (value === undefined) return 'missing'
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  const text = isNumber ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length > VALUE_TEXT_MAX ? `${text.slice(0, VALUE_TEXT_MAX)}…` : text
}

/** Writes a number, or a list of them, where the option takes their digits; all else stays. */
function digitsOf({ isAmount, isNumbers }: TextOption, given: unknown): unknown {
  if (typeof given === 'number') return isAmount || isNumbers ? String(given) : given
  const isList = Array.isArray(given) && given.every((each) => typeof each === 'number')
  return isNumbers && isList ? given.join() : given
}
