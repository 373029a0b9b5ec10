/** What the host tells of a filter, in words. */

import { counted, exact, text } from '../../../viewer/format/number.ts'
import type { ByType, FilterStatus, SizeAnswer } from '../http/api.ts'

const PROBLEM_WORDS: Readonly<Record<string, (count: number) => string>> = {
  trap: counted('trap'),
  call_timeout: counted('call took too long', 'calls took too long'),
  start_refused: counted('start refused', 'starts refused'),
  definition_refused: counted('definition refused', 'definitions refused'),
  shared_data_refused: counted('shared value refused', 'shared values refused'),
  value_dropped: counted('value dropped', 'values dropped'),
  bad_call: counted('metric call refused', 'metric calls refused'),
  filter_refused: () => '',
}

/** Says what went wrong with a filter; of a refused one its state says why. */
export function problemWords({ problems }: Pick<FilterStatus, 'problems'>): string {
  const words = Object.entries(problems).map(([code, count]) => {
    const known = Object.hasOwn(PROBLEM_WORDS, code) ? PROBLEM_WORDS[code] : undefined
    return known?.(count) ?? `${code} ${exact(count)}`
  })
  return words.filter((each) => each !== '').join(', ')
}

/** Imports that it called and the hub does not serve. */
export function importWords({ unknownImports }: Pick<FilterStatus, 'unknownImports'>): string {
  const called = unknownImports.filter(({ calls }) => calls > 0).map(({ name }) => name)
  return called.length === 0 ? '' : `not served: ${called.join(', ')}`
}

/** Writes the bytes of one metric with all digits: they are few, and what is compared. */
export function byteWords(bytes: number): string {
  return `${exact(bytes)}\u00a0B`
}

/** Says whether a slab has room for what was estimated, and how much it has or lacks. */
export function leftWords({ bytes, slabSize, leftBytes }: SizeAnswer): string {
  const all = `${text(bytes, 'B')} of ${text(slabSize, 'B')}`
  if (leftBytes < 0) return `${all}: ${text(-leftBytes, 'B')} too much for this slab.`
  return `${all}: they fit, ${text(leftBytes, 'B')} are left.`
}

const COUNTERS = counted('counter')
const GAUGES = counted('gauge')
const HISTOGRAMS = counted('histogram')

/** Says how many of each type: one or the other, not all together. */
export function amountWords(amounts: ByType): string {
  return `${COUNTERS(amounts.counter)}, or ${gaugesOrHistograms(amounts)}`
}

export function gaugesOrHistograms({ gauge, histogram }: Omit<ByType, 'counter'>): string {
  return `${GAUGES(gauge)}, or ${HISTOGRAMS(histogram)}`
}
