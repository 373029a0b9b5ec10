/** Puts a question to this machine and prints the answer as text or, with `--json`, as one line. */
import { parseArgs } from 'node:util'
import { describeMachine, watchMachine } from './machine.ts'
import type { Question, Result } from './question.ts'
import { toText } from './text.ts'

export async function ask(question: Question): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } })
  // receivers end with this process, but only where it ends by itself
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  const date = new Date().toISOString()
  const conditions = watchMachine()
  const answer = await question.measure()
  const { measure: _, ...facts } = question
  const result: Result = {
    ...facts,
    date,
    machine: describeMachine(),
    conditions: conditions(),
    ...answer,
  }
  console.log(values.json ? JSON.stringify(result) : toText(result))
}
