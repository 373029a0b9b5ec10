/**
 * The bench: one file per question, each run in a process of its own, one after another.
 *
 *   npm run bench                        all questions
 *   npm run bench -- p1 p3               some of them
 *   npm run bench -- --json p1           one line of JSON per question
 *   npm run bench -- --report            all, into docs/performance.md and docs/performance.json
 *   npm run bench -- --report p1 p3      these rows anew; the others stay, each with its own date
 *   npm run bench -- --list              what there is
 *
 * Ends with 0 where everything was measured, whatever it said: what misses is told as such, but a
 * machine that others use can't be the judge of a change. 1: a question broke. 2: wrong arguments.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Result } from './measure/question.ts'
import { type Report, withReport, withResult } from './measure/report.ts'
import { toText } from './measure/text.ts'
import { findQuestions } from './questions.ts'

const DOCUMENT = join(import.meta.dirname, '../docs/performance.md')
const JSON_FILE = join(import.meta.dirname, '../docs/performance.json')
/** A question that hangs is ended after so long: it broke then; the longest takes ten minutes. */
const QUESTION_MS_MAX = 3_600_000
/** Of one answer: a hundred times what the longest has. */
const ANSWER_BYTES_MAX = 16_777_216

const questions = findQuestions()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
  },
})

const unknown = positionals.filter((name) => !questions.some((each) => isCalled(each, name)))
if (values.list) {
  console.log(questions.join('\n'))
} else if (unknown.length > 0) {
  console.error(`no such question: ${unknown.join(', ')}; there is ${questions.join(', ')}`)
  process.exitCode = 2
} else {
  const chosen = questions.filter(
    (each) => positionals.length === 0 || positionals.some((name) => isCalled(each, name)),
  )
  for (const name of chosen) {
    const result = ask(name)
    if (result === undefined) {
      console.error(`${name} broke`)
      process.exitCode = 1
      continue
    }
    console.log(values.json ? JSON.stringify(result) : toText(result))
    if (values.report) report(name, result)
  }
}

/** @returns undefined where the question broke, which has said why */
function ask(name: string): Result | undefined {
  const file = join(import.meta.dirname, `${name}.ts`)
  const { status, stdout, error } = spawnSync(process.execPath, [file, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: ANSWER_BYTES_MAX,
    timeout: QUESTION_MS_MAX,
  })
  if (error !== undefined) console.error(`${name}: ${error.message}`)
  return status === 0 ? JSON.parse(stdout) : undefined
}

/** At once, so that a run that ends early has not measured in vain. */
function report(name: string, result: Result): void {
  const before: Report = existsSync(JSON_FILE) ? JSON.parse(readFileSync(JSON_FILE, 'utf8')) : {}
  const after = withResult(before, questions, name, result)
  writeFileSync(JSON_FILE, `${JSON.stringify(after, undefined, 1)}\n`)
  writeFileSync(DOCUMENT, withReport(readFileSync(DOCUMENT, 'utf8'), after))
}

/** By its whole name, or by the number alone in either case. */
function isCalled(question: string, name: string): boolean {
  return question === name || question.startsWith(`${name.toLowerCase()}-`)
}
