/** `--threshold COUNTER>VALUE`: when to hold the screen. */
import { InvalidArgumentError } from 'commander'

export interface Threshold {
  /** Name of the counter, as the filter has it. */
  readonly counter: string
  readonly isAbove: boolean
  readonly value: number
}

/** The last comparison counts: names may contain one. */
const GRAMMAR = /^(.+)([<>])\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)$/i

/** Parses one more of a flag that may be repeated, for commander. */
export function parseThreshold(text: string, before: readonly Threshold[]): readonly Threshold[] {
  const [, counter, comparison, value] = GRAMMAR.exec(text.trim()) ?? []
  if (counter === undefined) {
    throw new InvalidArgumentError('want COUNTER>VALUE or COUNTER<VALUE, as cpu-usage>80')
  }
  return [...before, { counter: counter.trim(), isAbove: comparison === '>', value: Number(value) }]
}

export function isOver(
  thresholds: readonly Threshold[],
  counter: string,
  value: number | undefined,
): boolean {
  if (value === undefined) return false
  return thresholds.some((each) => {
    if (each.counter !== counter) return false
    return each.isAbove ? value > each.value : value < each.value
  })
}
