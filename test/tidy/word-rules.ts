/** Words that code may not contain: focused or silent tests, prints where nobody reads. */
import { isTest, lineAt, type Rule, type Violation } from './tree.ts'

const FOCUSED = /\b(?:test|it|describe|suite)\.only\s*\(|\bonly:\s*true\b/g
/** `skip: 'reason'` and `context.skip('reason')` say why; these two do not. */
const SILENT = /\b(?:test|it|describe|suite)\.(?:skip|todo)\s*\(|\b(?:skip|todo):\s*true\b/g

export const focusedTests: Rule = {
  title: 'no test is focused, and none is skipped without a reason',
  check: (tree) =>
    tree.files
      .filter(({ path }) => isTest(path) && path !== 'test/tidy.test.ts')
      .flatMap(({ path, text }) => [
        ...matches(path, text, FOCUSED, 'remove `only`: it silences all other tests'),
        ...matches(path, text, SILENT, "give the reason: { skip: 'why' }"),
      ]),
}

/** Where a person reads the standard output. */
const PRINTING = ['src/cli/', 'src/terminal/']
const PRINT = /^(?!\s*(?:\*|\/\/|\/\*)).*\bconsole\.\w+\s*\(/gm

export const prints: Rule = {
  title: 'no console.log in src outside cli and terminal',
  check: (tree) =>
    tree.under('src', '.ts', '.tsx').flatMap(({ path, text }) => {
      if (isTest(path) || PRINTING.some((folder) => path.startsWith(folder))) return []
      return matches(path, text, PRINT, 'report through the log or the reports given to you')
    }),
}

function matches(path: string, text: string, pattern: RegExp, message: string): Violation[] {
  return [...text.matchAll(pattern)].map(({ index }) => ({
    path,
    line: lineAt(text, index),
    message,
  }))
}
