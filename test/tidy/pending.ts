/** What is not clean yet, by rule: beginnings of paths whose violations are let pass. */
import * as exported from './export-rules.ts'
import type { Rule, Violation } from './tree.ts'

const PENDING: ReadonlyMap<Rule, readonly string[]> = new Map([
  [
    exported.usedExports,
    [
      // names in title case, which the original's numbers do not carry yet
      'src/dialects/wallaroo/rollup/compatible-text.ts',
      // what only tests, fuzzing and the bench see of the format of chunks
      'src/history/codec/',
    ],
  ],
])

export function isPending(rule: Rule, { path }: Violation): boolean {
  return PENDING.get(rule)?.some((beginning) => path.startsWith(beginning)) === true
}
