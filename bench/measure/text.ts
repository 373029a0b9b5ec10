/** Answers of the bench as text for a terminal, and how its figures are written. */
import type { Figure, Result, Verdict, Wanted } from './question.ts'

export function toText(result: Result): string {
  const { name, asks, data, method, unit, warmUps, rounds, figures, verdicts, skipped } = result
  const width = Math.max(0, ...[...figures, ...verdicts].map(({ title }) => title.length))
  const lines = [
    `${name}  ${asks}`,
    `  machine  ${machineText(result)}`,
    `  load     ${conditionsText(result)}`,
    `  data     ${data}`,
    ...method.map((line, i) => `  ${i === 0 ? 'method ' : '       '}  ${line}`),
    `  rounds   ${rounds} after ${warmUps} for warming up, in turn; median (low to high)`,
    '',
  ]
  for (const figure of figures) {
    const { title, unit: own } = figure
    lines.push(`  ${title.padEnd(width)}  ${spreadText(figure)} ${own ?? unit}`.trimEnd())
  }
  for (const verdict of verdicts) {
    const figure = `${spreadText(verdict)} ${verdict.unit ?? unit}`.trimEnd()
    const { title, wanted } = verdict
    lines.push(
      `  ${title.padEnd(width)}  ${figure}, wanted ${wantedText(wanted)}: ${resultText(verdict)}`,
    )
  }
  for (const { title, reason } of skipped) lines.push(`  ${title}: skipped, ${reason}`)
  for (const remark of result.remarks ?? []) lines.push(`  ${remark}`)
  for (const sentence of result.means ?? []) lines.push(`  = ${sentence}`)
  return `${lines.join('\n')}\n`
}

export function machineText({ machine }: Pick<Result, 'machine'>): string {
  const { processor, cores, system, node } = machine
  return `${processor}, ${cores} cores, ${system}, Node ${node}`
}

/** How busy the machine was, and for how long. */
export function conditionsText({ conditions }: Pick<Result, 'conditions'>): string {
  const { load, othersCores, seconds, nodeStartMs } = conditions
  const others = othersCores === undefined ? '' : `, others ${othersCores.toFixed(2)} cores`
  const [before, after] = load
  const start =
    nodeStartMs === undefined ? '' : `, a bare Node starts in ${figureText(nodeStartMs)} ms`
  return `${before.toFixed(1)} to ${after.toFixed(1)}${others}, ${Math.round(seconds)} s${start}`
}

export function spreadText({ median, low, high }: Figure): string {
  if (low === high) return figureText(median)
  return `${figureText(median)} (${figureText(low)} to ${figureText(high)})`
}

export function wantedText({ bound, value }: Wanted): string {
  return `${bound} ${value < 1000 ? Number(value.toFixed(3)) : figureText(value)}`
}

export function resultText({ result, reason }: Verdict): string {
  if (result === 'void') return `void, ${reason}`
  return result === 'reached' ? 'reached' : 'MISSED'
}

/** Three significant digits, thousands apart. */
export function figureText(figure: number): string {
  const rounded = Number(figure.toPrecision(3))
  return Math.abs(rounded) >= 1000 ? rounded.toLocaleString('en-US') : String(rounded)
}
