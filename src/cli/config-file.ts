/** The file of `--config`: YAML or JSON, checked. Loaded where a command has the flag. */
import { open } from 'node:fs/promises'
import { parseDocument } from 'yaml'
import type { Dialect } from '../dialects/dialect.ts'
import { parseConfig } from '../hub/config/config.ts'
import { ConfigError } from '../hub/config/values.ts'
import { escapeUnseen } from '../model/text/unseen.ts'
import { CommandError, EXIT_USAGE } from '../terminal/exit.ts'

/** Longest file. */
const BYTES_LIMIT = 16_777_216
/** Time after which a pipe that says nothing is told of. */
const WAITING_MS = 2000

/** Reads the options of a file, checked, so that what is wrong in it is told with its name. */
export async function readConfigFile(
  path: string,
  dialects: readonly Dialect[],
): Promise<Record<string, unknown>> {
  const place = `config file ${path}`
  let options: unknown
  try {
    options = parseYaml(await readText(path))
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

/** Reads a file, or what another program writes into a pipe, and says when it keeps us waiting. */
async function readText(path: string): Promise<string> {
  const waiting = setTimeout(() => {
    process.stderr.write(`pentameter: waiting for what is written into ${escapeUnseen(path)}\n`)
  }, WAITING_MS)
  try {
    const file = await open(path)
    const parts: Uint8Array[] = []
    let size = 0
    try {
      for await (const part of file.readableWebStream({ autoClose: true })) {
        parts.push(new Uint8Array(part))
        size += parts.at(-1)!.length
        if (size > BYTES_LIMIT) throw new Error(`longer than ${BYTES_LIMIT} bytes`)
      }
    } finally {
      await file.close()
    }
    return Buffer.concat(parts).toString()
  } finally {
    clearTimeout(waiting)
  }
}

/**
 * Parses YAML, and so JSON. An empty text is an object of nothing; a tag without a meaning is an
 * error, no warning.
 * @param intAsBigInt whether whole numbers are bigints
 */
export function parseYaml(text: string, { intAsBigInt = false } = {}): unknown {
  const document = parseDocument(text, { logLevel: 'error', intAsBigInt })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem === undefined) return document.toJS() ?? {}
  const [line = ''] = problem.message.split('\n')
  throw new Error(line.charAt(0).toLowerCase() + line.slice(1).replace(/:$/, ''))
}
