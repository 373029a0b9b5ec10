/** Words that code may not contain: in tests, in prints, in error codes, in comments. */
import { isTest, lineAt, type Rule, type TidyFile, type Violation } from './tree.ts'

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

/** A text in quotes of any kind. */
const QUOTED = /'([^'\n]*)'|"([^"\n]*)"|`([^`\n]*)`/g
const TEXT = QUOTED.source.replaceAll(/[()]/g, '')

/** Lists and sets of codes: constants and types by the last word of their names. */
const CODE_LIST =
  /\bconst \w*(?:CODES|NOTES|REASONS|REFUSALS)\b[^=]*=\s*(?:new Set\()?\[([^\]]*)\]/g
const CODE_TYPE = new RegExp(
  `\\btype \\w*(?:Code|Reason|Refusal)\\s*=((?:\\s*\\|?\\s*(?:${TEXT}))+)`,
  'g',
)
/** Counts of things refused, by reason: `reports.count('requests', 'timed_out')`. */
const COUNTED = /\breports\.(?:count|decodeNote)\(([^()]*)/g
/** The code of an error, and the first argument of what makes or counts one. */
const CODED = new RegExp(`\\b(?:code: |(?:refuse|refused|reject|fail|note)\\(\\s*)(${TEXT})`, 'g')
const SNAKE_CASE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/
/** The system's own, as ECONNRESET; and sentences, which are messages. */
const NO_CODE = /^E[A-Z_0-9]+$| /

export const errorCodes: Rule = {
  title: 'codes of errors, notes and refusals are snake_case',
  check: (tree) =>
    tree.under('src', '.ts', '.tsx').flatMap((file) => {
      if (isTest(file.path)) return []
      return [CODE_LIST, CODE_TYPE, COUNTED, CODED].flatMap((pattern) => wrongCodes(file, pattern))
    }),
}

function wrongCodes({ path, text }: TidyFile, pattern: RegExp): Violation[] {
  return [...text.matchAll(pattern)].flatMap(({ 0: whole, 1: list, index }) => {
    const start = index + whole.lastIndexOf(list!)
    return [...list!.matchAll(QUOTED)].flatMap(({ 0: quoted, index: offset }) => {
      // what a template fills in is a word of its own
      const code = quoted.slice(1, -1).replace(/\$\{[^}]*\}/g, 'x')
      if (SNAKE_CASE.test(code) || NO_CODE.test(code)) return []
      const message = `code ${quoted}: write it in snake_case, as in every other dialect`
      return [{ path, line: lineAt(text, start + offset), message }]
    })
  })
}

const DOC_COMMENT = /\/\*\*[\s\S]*?\*\//g
const COMMENT = /\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g
const PERSONS = /\b(?:somebody|whoever|nobody|anybody)\b/gi

export const persons: Rule = {
  title: 'a comment calls a machine by its noun, not somebody, nobody, anybody or whoever',
  check: (tree) =>
    tree.under('src', '.ts', '.tsx').flatMap(({ path, text }) => {
      if (isTest(path)) return []
      return [...text.matchAll(COMMENT)].flatMap(({ 0: comment, index }) =>
        [...comment.matchAll(PERSONS)].map(({ 0: word, index: offset }) => {
          const message = `"${word}": say which thread, client, caller or process it is`
          return { path, line: lineAt(text, index + offset), message }
        }),
      )
    }),
}

/** Words before a noun that the reader has to guess. */
const NOUNLESS = new RegExp(
  '^(?:Of|By|As|At|On|In|For|From|To|With|Without|Since|Until|Under|Above|Below|Behind|' +
    'Where|When|What|Which|Who|Whom|Whose|How|Why)\\b',
)
/** Beginnings of a noun; a function's comment begins with what it does. */
const VERBLESS = /^(?:The|A|An|Whether|True|False|Undefined|One|All|Every)\b/
/** The line behind a comment that declares a function or a method; getters are things. */
const FUNCTION = new RegExp(
  '^(?:export )?(?:static |protected |async )*(?:function\\*? )?' +
    '[*#]?(?!constructor)\\w+\\??(?:<.*>)?\\(',
)

export const commentBeginnings: Rule = {
  title: 'a doc comment begins with a noun, that of a function with a verb',
  check: (tree) =>
    tree.under('src', '.ts', '.tsx').flatMap(({ path, text }) => {
      if (isTest(path)) return []
      return [...text.matchAll(DOC_COMMENT)].flatMap(({ 0: comment, index }) => {
        if (index === 0) return []
        const words = comment.replace(/^\/\*\*[\s*]*/, '')
        const [next = ''] = text
          .slice(index + comment.length)
          .trimStart()
          .split('\n')
        const found = NOUNLESS.exec(words) ?? (FUNCTION.test(next) ? VERBLESS.exec(words) : null)
        if (found === null) return []
        const message = FUNCTION.test(next)
          ? `"${found[0]}": begin with a verb: Reads, Makes, Finds, Tells whether`
          : `"${found[0]}": begin with a noun: what it is of, by or for comes behind it`
        return [{ path, line: lineAt(text, index), message }]
      })
    }),
}

function matches(path: string, text: string, pattern: RegExp, message: string): Violation[] {
  return [...text.matchAll(pattern)].map(({ index }) => ({
    path,
    line: lineAt(text, index),
    message,
  }))
}
