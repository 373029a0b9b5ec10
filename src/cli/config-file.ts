/** The file of `--config`: YAML or JSON, checked. Loaded where a command has the flag. */
import { readFile } from 'node:fs/promises'
import { parseDocument } from 'yaml'
import type { Dialect } from '../dialects/dialect.ts'
import { parseConfig } from '../hub/config/config.ts'
import { ConfigError } from '../hub/config/values.ts'
import { CommandError, EXIT_USAGE } from '../terminal/exit.ts'

/** Reads the options of a file, checked, so that what is wrong in it is told with its name. */
export async function readConfigFile(
  path: string,
  dialects: readonly Dialect[],
): Promise<Record<string, unknown>> {
  const place = `config file ${path}`
  let options: unknown
  try {
    options = parseYaml(await readFile(path, 'utf8'))
  } catch (error) {
    throw new CommandError(`${place}: ${(error as Error).message}`, EXIT_USAGE)
  }
  try {
    parseConfig(options, dialects)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ConfigError(error.problems.map((problem) => `${place}: ${problem}`))
  }
  return { ...(options as object) }
}

/**
 * Parses YAML, and so JSON. An empty text is an object of nothing; a tag without a meaning is an
 * error, no warning.
 */
export function parseYaml(text: string): unknown {
  const document = parseDocument(text, { logLevel: 'error' })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem === undefined) return document.toJS() ?? {}
  const [line = ''] = problem.message.split('\n')
  throw new Error(line.charAt(0).toLowerCase() + line.slice(1).replace(/:$/, ''))
}
