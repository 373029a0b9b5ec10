/** Flags of the hub, shared by `serve` and `demo`: each one is a field of the config. */
import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDocument } from 'yaml'
import { DIALECTS } from '../dialects/registry.ts'
import { ConfigError, type HubConfig, parseConfig } from '../hub/index.ts'
import { CommandError, EXIT_USAGE } from './exit.ts'
import type { LogFormat } from './log.ts'

export interface ServeArguments {
  readonly host?: string
  readonly httpPort?: number
  readonly textPort?: number
  readonly streamPort?: number
  readonly config?: string
  readonly relay?: readonly string[]
  readonly attach?: readonly string[]
  readonly allowHost?: readonly string[]
  readonly ingestWorkers?: number | 'auto'
  readonly seriesLimit?: number
  readonly expireAfter?: number
  readonly log: LogFormat
  /** False with --no-color. */
  readonly color: boolean
}

export function addServeOptions(command: Command): Command {
  return command
    .option('--host <address>', 'address that every listener binds (default: 127.0.0.1)')
    .option('--http-port <port>', 'page, API and /metrics (default: 4000)', parsePort)
    .option('--text-port <port>', 'Stats Hero, udp and tcp (default: 8125)', parsePort)
    .option('--stream-port <port>', 'scope viewers, tcp (default: 5001)', parsePort)
    .option('--config <file>', 'YAML or JSON file with any option by its name; flags win')
    .option('--relay <url...>', 'also send every second to statshero+udp://HOST:PORT (or +tcp)')
    .option(
      '--attach <url...>',
      'read from scope://HOST:PORT, or the EventCounters of http://HOST:PORT[/PATH][?QUERY]',
    )
    .option('--allow-host <name...>', 'further names under which browsers may reach the page')
    .option(
      '--ingest-workers <count>',
      'threads that take text, 0 = none, auto = one per core (default: auto)',
      parseWorkers,
    )
    .option('--series-limit <count>', 'most series in the hub (default: 100000)', parseCount)
    .option(
      '--expire-after <seconds>',
      'remove series silent for so long (default: never)',
      parseCount,
    )
    .addOption(
      new Option('--log <format>', 'text for people, json for machines')
        .choices(['text', 'json'])
        .default('text'),
    )
    .option('--no-color', 'no colours; NO_COLOR in the environment does the same')
}

function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('want a port from 0 (any free one) to 65535')
}

function parseWorkers(text: string): number | 'auto' {
  if (text === 'auto') return text
  if (/^\d{1,2}$/.test(text) && Number(text) <= 64) return Number(text)
  throw new InvalidArgumentError('want auto, or a whole number of 0 to 64')
}

function parseCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('want a whole number, 0 or more')
}

/**
 * Defaults, then the file, then the flags.
 * @throws {ConfigError}
 */
export async function readConfig(args: ServeArguments): Promise<HubConfig> {
  const file = args.config === undefined ? {} : await readConfigFile(args.config)
  const flags = {
    host: args.host,
    httpPort: args.httpPort,
    textPort: args.textPort,
    streamPort: args.streamPort,
    relay: args.relay,
    attach: args.attach,
    allowedHosts: args.allowHost,
    ingestWorkers: args.ingestWorkers,
    seriesLimit: args.seriesLimit,
    expireAfterS: args.expireAfter,
  }
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  return parseConfig({ ...file, ...Object.fromEntries(given) }, DIALECTS)
}

/** Options of a file, checked, so that what is wrong in it is told with its name. */
async function readConfigFile(path: string): Promise<Record<string, unknown>> {
  const place = `config file ${path}`
  let options: unknown
  try {
    options = parseYaml(await readFile(path, 'utf8'))
  } catch (error) {
    throw new CommandError(`${place}: ${(error as Error).message}`, EXIT_USAGE)
  }
  try {
    parseConfig(options, DIALECTS)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ConfigError(error.problems.map((problem) => `${place}: ${problem}`))
  }
  return { ...(options as object) }
}

/** An empty file has no options. A tag that means nothing is an error here, not a warning. */
function parseYaml(text: string): unknown {
  const document = parseDocument(text, { logLevel: 'error' })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem === undefined) return document.toJS() ?? {}
  const [line = ''] = problem.message.split('\n')
  throw new Error(line.charAt(0).toLowerCase() + line.slice(1).replace(/:$/, ''))
}
