/**
 * Small trees with one fault each, and where the rule must find it; trees with an empty `at` are
 * clean, and show what a rule must not object to.
 */
import type { Rule } from '../tree.ts'

export interface Fault {
  readonly rule: Rule
  readonly fault: string
  readonly files: Readonly<Record<string, string>>
  /** `path:line` of every violation, in order. */
  readonly at: readonly string[]
}
