/**
 * The report of the bench: what every question answered last, each with its own date, machine and
 * load. docs/performance.json holds it, docs/performance.md shows it between two marks.
 */
import type { Result, Verdict } from './question.ts'
import { conditionsText, machineText, resultText, spreadText, wantedText } from './text.ts'

/** Results by the question's file without its ending: `p1-tcp-text`. */
export type Report = Readonly<Record<string, Result>>

export const REPORT_BEGIN = '<!-- npm run bench -- --report writes what follows -->'
export const REPORT_END = '<!-- end of the report -->'

/** Takes in one more result; questions are in the order given, and those that are gone leave. */
export function withResult(
  report: Report,
  questions: readonly string[],
  name: string,
  result: Result,
): Report {
  const all: Report = { ...report, [name]: result }
  return Object.fromEntries(questions.flatMap((each) => (all[each] ? [[each, all[each]]] : [])))
}

/**
 * Puts the report in its place of a document.
 * @throws {Error} for a document without the marks
 */
export function withReport(document: string, report: Report): string {
  const begin = document.indexOf(REPORT_BEGIN)
  const end = document.indexOf(REPORT_END)
  if (begin === -1 || end < begin) throw new Error('the document has no place for a report')
  const head = document.slice(0, begin + REPORT_BEGIN.length)
  return `${head}\n\n${toMarkdown(report)}\n${document.slice(end)}`
}

/** What it means, then one table of all verdicts and figures. */
function toMarkdown(report: Report): string {
  const results = Object.entries(report)
  const means = results.flatMap(([file, { name, means = [] }]) => {
    return means.map((sentence) => `- ${sentence} ([${name}](../bench/${file}.ts)).`)
  })
  const all = results.flatMap(([, { verdicts }]) => verdicts)
  const count = (result: Verdict['result']): number => {
    return all.filter((each) => each.result === result).length
  }
  const sums = `${count('reached')} reached, ${count('missed')} missed, ${count('void')} void`
  const lines = [
    '## What it means',
    '',
    ...means,
    '',
    '## Table',
    '',
    `${all.length} wanted: ${sums}. Median (low to high).`,
    '',
    '| # | what | measured | wanted | |',
    '|---|---|---|---|---|',
    ...results.flatMap(([file, result]) => rowsOf(file, result)),
    '',
  ]
  return lines.join('\n')
}

function rowsOf(file: string, result: Result): string[] {
  const { name, asks, date, rounds, unit, verdicts, figures, skipped } = result
  const circumstances = [
    `${date.slice(0, 16).replace('T', ' ')} UTC`,
    `load ${conditionsText(result)}`,
    machineText(result),
    `${rounds} rounds`,
  ]
  const head = [`**[${name}](../bench/${file}.ts)**`, `**${asks}** ${circumstances.join('; ')}`]
  return [
    row([...head, '', '', '']),
    ...verdicts.map((verdict) => {
      const { title, wanted, unit: own = unit } = verdict
      const measured = `${spreadText(verdict)} ${own}`.trimEnd()
      return row([name, title, measured, wantedText(wanted), resultText(verdict)])
    }),
    ...figures.map((figure) => {
      return row([
        name,
        figure.title,
        `${spreadText(figure)} ${figure.unit ?? unit}`.trimEnd(),
        '',
        '',
      ])
    }),
    ...skipped.map(({ title, reason }) => row([name, title, `skipped: ${reason}`, '', ''])),
  ]
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
