/**
 * The bench: one file per question, each run in a process of its own.
 *
 *   npm run bench                  all questions
 *   npm run bench -- p1 p3         some of them
 *   npm run bench -- --json p1     one line of JSON per question
 *   npm run bench -- --list        what there is
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/** `p1-tcp-text.ts`: the number in the table of wanted ratios, and the subject. */
const FILE = /^(p(\d+)-[a-z-]+)\.ts$/

const questions = readdirSync(import.meta.dirname)
  .map((file) => FILE.exec(file))
  .filter((match) => match !== null)
  .sort((a, b) => Number(a[2]) - Number(b[2]))
  .map((match) => match[1]!)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
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
    const file = join(import.meta.dirname, `${name}.ts`)
    const { status } = spawnSync(process.execPath, [file, ...(values.json ? ['--json'] : [])], {
      stdio: 'inherit',
    })
    if (status !== 0) process.exitCode = 1
  }
}

/** By its whole name, or by the number alone in either case. */
function isCalled(question: string, name: string): boolean {
  return question === name || question.startsWith(`${name.toLowerCase()}-`)
}
