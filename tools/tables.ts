/** Tables in documents that say what the program says, of any list of dialects. */
import type { Dialect } from '../src/dialects/dialect.ts'
import type { Option, OptionSpec } from '../src/dialects/options.ts'
import { composeOptions } from '../src/hub/config/house-options.ts'

/** README's table: a row for each dialect, with its roles and its port. */
export function dialectTable(dialects: readonly Dialect[]): string[] {
  return [
    '| dialect | what it is for | server | client | port |',
    '|---|---|---|---|---|',
    ...dialects.map(dialectRow),
  ]
}

function dialectRow({ name, document, roles, transports, port }: Dialect): string {
  const role = (does: string | undefined): string => (does === undefined ? '' : `${does}s`)
  const cells = [
    `[${name}](src/dialects/${name}/README.md)`,
    document,
    role(roles.server),
    role(roles.client),
    roles.server === undefined ? '' : `${port?.number} ${transports.join(', ')}`,
  ]
  return `| ${cells.map((cell) => cell || '–').join(' | ')} |`
}

/** The table of docs/configuration.md: a row for each option, those of the dialects included. */
export function optionTable(dialects: readonly Dialect[]): string[] {
  return tableOf(composeOptions(dialects))
}

/** The table of one list of options, as docs/api has those of a class. */
export function tableOf(spec: OptionSpec): string[] {
  return ['| option | default | meaning |', '|---|---|---|', ...optionRows(spec)]
}

/** One row `| path | default | meaning |` for every option, in their order. */
function optionRows(spec: OptionSpec, path = ''): string[] {
  return Object.entries(spec).flatMap(([name, option]) => rowsOf(`${path}${name}`, option))
}

function rowsOf(path: string, option: Option): string[] {
  if (option.kind === 'section') return optionRows(option.options, `${path}.`)
  const value = option.default === undefined ? 'none' : `\`${JSON.stringify(option.default)}\``
  return [`| \`${path}\` | ${value} | ${option.description} |`]
}

/**
 * Puts a table in the place of the one that has the same first column.
 * @throws {Error} for a document without one
 */
export function withTable(document: string, table: readonly string[]): string {
  const lines = document.split('\n')
  const columnOf = (line: string): string | undefined => /^\| *([^|]*?) *\|/.exec(line)?.[1]
  const begin = lines.findIndex(
    (line, i) => columnOf(line) === columnOf(table[0]!) && /^\|[-| :]+\|$/.test(lines[i + 1] ?? ''),
  )
  if (begin === -1) throw new Error(`there is no table that begins with ${table[0]}`)
  const length = lines.slice(begin).findIndex((line) => !line.startsWith('|'))
  lines.splice(begin, length === -1 ? lines.length : length, ...table)
  return lines.join('\n')
}
