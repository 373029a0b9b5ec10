/**
 * Labels out of names (§7). The ABI has none, so filters write them into names; a pattern finds a
 * piece of it, of which the first group is all and the second the label's value (the convention of
 * Kong's exporter). What precedes the first piece is the metric's name.
 */
import { type Labels, sortLabels } from '../../model/index.ts'

export interface LabelPattern {
  readonly label: string
  /** Two groups at least: the piece, and within it the value. */
  readonly pattern: string
}

interface LabelledName {
  readonly name: string
  /** Sorted by key. */
  readonly labels: Labels
}

/** Labels that say where a metric comes from. */
const OWN_LABELS = new Set(['filter', 'origin', 'metric'])
const PATTERNS_LIMIT = 64

export class LabelPatterns {
  readonly #patterns: readonly { readonly label: string; readonly expression: RegExp }[]

  /** @throws {RangeError} for a label or a pattern that is of no use, naming it */
  constructor(patterns: readonly LabelPattern[]) {
    if (patterns.length > PATTERNS_LIMIT) {
      throw new RangeError(`${patterns.length} label patterns, limit ${PATTERNS_LIMIT}`)
    }
    this.#patterns = patterns.map(({ label, pattern }) => {
      checkLabel(label)
      return { label, expression: compile(label, pattern) }
    })
  }

  /**
   * Splits a name: a pattern that is not found adds no label; a name that is labels only stays as
   * it is.
   */
  split(name: string): LabelledName {
    const labels: [string, string][] = []
    let first = name.length
    for (const { label, expression } of this.#patterns) {
      const match = expression.exec(name)
      const piece = match?.indices?.[1]
      const value = match?.[2]
      if (piece === undefined || value === undefined) continue
      labels.push([label, value])
      first = Math.min(first, piece[0])
    }
    return { name: first === 0 ? name : name.slice(0, first), labels: sortLabels(labels) }
  }
}

function checkLabel(label: string): void {
  if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label)) {
    throw new RangeError(`label "${label}" is not a name of letters, digits and _`)
  }
  if (OWN_LABELS.has(label)) throw new RangeError(`label "${label}" is kept for the metric’s own`)
}

function compile(label: string, pattern: string): RegExp {
  let expression: RegExp
  try {
    expression = new RegExp(pattern, 'd')
  } catch (error) {
    const { message } = error as Error
    throw new RangeError(`pattern of label "${label}": ${message}`, { cause: error })
  }
  // An alternative that matches nothing counts the groups of the other.
  const groups = new RegExp(`${pattern}|`).exec('')!.length - 1
  if (groups < 2) {
    throw new RangeError(`pattern of label "${label}" has ${groups} groups, wants 2`)
  }
  return expression
}
