/**
 * What a counter says of itself (eventcounters.md §3.3), checked where it is set: a refused
 * value is thrown at the caller and changes nothing.
 */

import type { Profile } from '../../dialects/decoder.ts'
import { checkPair, checkText, sayableValue } from '../../dialects/eventcounters/codec/metadata.ts'
import { parseTimeSpan } from '../../dialects/eventcounters/codec/rate-scale.ts'
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'

export class Attributes {
  readonly #profile: Profile
  #description: CounterDescription

  constructor(provider: string, name: string, profile: Profile) {
    checkName('counter name', name)
    this.#profile = profile
    const texts = { displayName: '', units: '' }
    this.#description = { provider, name, ...texts, rateScaleSec: 0, metaData: [] }
  }

  /** Description: another object when something has changed. */
  get description(): CounterDescription {
    return this.#description
  }

  set displayName(displayName: string) {
    checkAttribute('display name', displayName)
    this.#description = { ...this.#description, displayName }
  }

  set units(units: string) {
    checkAttribute('display units', units)
    this.#description = { ...this.#description, units }
  }

  /** Seconds, or the text of a TimeSpan. */
  set rateScale(scale: number | string) {
    const seconds = typeof scale === 'string' ? parseTimeSpan(scale) : scale
    if (typeof seconds !== 'number') {
      throw new TypeError(`rate time scale ${scale}, want seconds or a text like 00:01:00`)
    }
    if (!(Number.isFinite(seconds) && seconds >= 0)) {
      throw new RangeError(`rate time scale of ${seconds} s, want 0 or more`)
    }
    this.#description = { ...this.#description, rateScaleSec: seconds }
  }

  set rateScaleMs(ms: number) {
    if (typeof ms !== 'number') throw new TypeError('a rate time scale in ms is a number')
    this.rateScale = ms / 1000
  }

  addPair(key: string, value: string | null): void {
    const { metaData } = this.#description
    const pair = checkPair(metaData, key, value, this.#profile)
    this.#description = { ...this.#description, metaData: [...metaData, pair] }
  }

  /** Adds a pair whose value may be any text (a route, a query): see {@link sayableValue}. */
  addLabel(key: string, value: string): void {
    const { metaData } = this.#description
    checkPair(metaData, key, '', this.#profile)
    const pair = checkPair(metaData, key, sayableValue(value), 'peer')
    this.#description = { ...this.#description, metaData: [...metaData, pair], hasTags: true }
  }
}

/** @throws {TypeError | RangeError} for a name that is no text, empty, too long or with U+0000 */
export function checkName(what: string, name: string): void {
  checkAttribute(what, name)
  if (name === '') throw new RangeError(`empty ${what}`)
}

function checkAttribute(what: string, text: string): void {
  if (typeof text !== 'string') throw new TypeError(`a ${what} is a text`)
  checkText(what, text)
}
