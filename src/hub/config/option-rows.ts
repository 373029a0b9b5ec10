/** Options as rows of docs/configuration.md. */
import type { Option, OptionSpec } from '../../dialects/options.ts'

/** One row `| path | default | meaning |` for every option, in their order. */
export function optionRows(spec: OptionSpec, path = ''): string[] {
  return Object.entries(spec).flatMap(([name, option]) => rowsOf(`${path}${name}`, option))
}

function rowsOf(path: string, option: Option): string[] {
  if (option.kind === 'section') return optionRows(option.options, `${path}.`)
  return [`| \`${path}\` | \`${JSON.stringify(option.default)}\` | ${option.description} |`]
}
