/** Puts a question to this machine and prints the answer as text or, with `--json`, as one line. */
import { availableParallelism, cpus, loadavg, release, type } from 'node:os'
import { parseArgs } from 'node:util'
import type { Answer, Question, Wanted } from './question.ts'

export async function ask(question: Question): Promise<void> {
  const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } })
  // receivers end with this process, but only where it ends by itself
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  const machine = describeMachine()
  const answer = await question.measure()
  const { measure: _, ...facts } = question
  if (values.json) console.log(JSON.stringify({ ...facts, machine, ...answer }))
  else console.log(toText(question, machine, answer))
}

function describeMachine() {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    system: `${type()} ${release()}`,
    load: loadavg()[0]!,
    node: process.version,
  }
}

function toText(
  question: Question,
  machine: ReturnType<typeof describeMachine>,
  { warmUps, rounds, figures, ratios, skipped }: Answer,
): string {
  const { processor, cores, system, load, node } = machine
  const width = Math.max(...[...figures, ...ratios].map(({ title }) => title.length))
  const lines = [
    `${question.name}  ${question.asks}`,
    `  machine  ${processor}, ${cores} cores, load ${load.toFixed(2)}, ${system}, Node ${node}`,
    `  data     ${question.data}`,
    ...question.method.map((line, i) => `  ${i === 0 ? 'method ' : '       '}  ${line}`),
    `  rounds   ${rounds} after ${warmUps} for warming up, in turn; median (low to high)`,
    '',
  ]
  for (const { title, median, low, high, unit } of figures) {
    const spread = `(${format(low)} to ${format(high)})`
    lines.push(`  ${title.padEnd(width)}  ${format(median)} ${spread} ${unit ?? question.unit}`)
  }
  for (const { title, median, low, high, wanted, isReached } of ratios) {
    const spread = `(${low.toFixed(2)} to ${high.toFixed(2)})`
    const verdict = wanted === undefined ? '' : `, ${judge(wanted, isReached)}`
    lines.push(`  ${title.padEnd(width)}  ${median.toFixed(2)} ${spread}${verdict}`)
  }
  for (const { title, reason } of skipped) lines.push(`  ${title}: skipped, ${reason}`)
  for (const remark of question.remarks ?? []) lines.push(`  ${remark}`)
  return `${lines.join('\n')}\n`
}

function judge({ bound, value }: Wanted, isReached = false): string {
  return `wanted ${bound} ${Number(value.toFixed(3))}: ${isReached ? '' : 'not '}reached`
}

/** Three significant digits, thousands apart. */
function format(figure: number): string {
  if (figure >= 1000) return Math.round(figure).toLocaleString('en-US')
  return figure === 0 ? '0' : figure.toPrecision(3)
}
