/** Rules over series: which are exported, and which get a plot or a colour. */

import type { Identity, Labels } from '../../model/index.ts'
import { compileGlob } from '../../model/text/glob.ts'
import type { Match, ServerSettings } from './options.ts'

type Predicate = (identity: Identity) => boolean
type RuleOptions = Pick<ServerSettings, 'include' | 'exclude' | 'hints'>

interface Hints {
  readonly plot?: string
  readonly color?: string
}

const NO_HINTS: Hints = {}

/** The rules of one server, compiled once. */
export class SeriesRules {
  readonly #include: readonly Predicate[]
  readonly #exclude: readonly Predicate[]
  readonly #hints: readonly (readonly [Predicate, Hints])[]

  constructor(options: RuleOptions) {
    this.#include = options.include.map(compile)
    this.#exclude = options.exclude.map(compile)
    this.#hints = options.hints.map(({ match, ...hints }) => [compile(match), hints] as const)
  }

  /** Whether no rule leaves a series out. */
  get exportsAll(): boolean {
    return this.#include.length === 0 && this.#exclude.length === 0
  }

  isExported(identity: Identity): boolean {
    if (this.#exclude.some((matches) => matches(identity))) return false
    return this.#include.length === 0 || this.#include.some((matches) => matches(identity))
  }

  /** Hints of the first rule that matches. */
  hintsFor(identity: Identity): Hints {
    return this.#hints.find(([matches]) => matches(identity))?.[1] ?? NO_HINTS
  }
}

/**
 * Compiles a match: true when the name and every stated label fit; a label that the series lacks
 * counts as "".
 */
function compile(match: Match): Predicate {
  const name = match.name === undefined ? undefined : compileGlob(match.name)
  const labels = Object.entries(match.labels ?? {}).map(
    ([key, pattern]) => [key, compileGlob(pattern)] as const,
  )
  return (identity) =>
    (name === undefined || name(identity.name)) &&
    labels.every(([key, pattern]) => pattern(labelOf(identity.labels, key)))
}

function labelOf(labels: Labels, key: string): string {
  return labels.find((pair) => pair[0] === key)?.[1] ?? ''
}
