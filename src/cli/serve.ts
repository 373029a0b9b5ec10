/**
 * `pentameter serve`: the hub alone, and the flags that it shares with `demo`. A flag is an option
 * of the configuration that names one (dialects/options.ts); nothing is listed here.
 */
import { type Command, Option } from 'commander'
import type { Guest } from '../dialects/guest.ts'
import type { Option as HubOption, OptionSpec } from '../dialects/options.ts'
import { composeOptions } from '../hub/config/house-options.ts'
import type { HubOptions } from '../start-hub.ts'
import { decimal, wholeNumber, wholeNumberOrAuto } from '../terminal/flag-values.ts'
import { examplesText } from './help.ts'
import { defaultHistoryFolder } from './history-folder.ts'
import { type RunOptions, runHub } from './run-hub.ts'

const HELP = `
With --log json the first line on stdout is {"ready":true,"listeners":{…}}, with the ports that
could not be bound in "failed", and the log on stderr is JSON. SIGTERM and Ctrl-C finish the running
second and exit with 0; a second one stops at once. So does the end of its terminal; without one, as
under nohup, SIGHUP does nothing.
`
const EXAMPLES = [
  'pentameter serve',
  'pentameter serve --http-port 0 --text-port 0 --stream-port 0 --log json',
  'pentameter serve --host 0.0.0.0 --allow-host metrics.example.org',
]

export function addServe(program: Command, guests: readonly Guest[]): void {
  addHubFlags(program.command('serve'), guests)
    .description('start the hub: listeners, page, API and /metrics')
    .addHelpText('after', `${HELP}\n${examplesText(guests, 'serve', EXAMPLES)}`)
    .action(async (args: HubArguments) => {
      const config = await readConfig(args, guests)
      await runHub(withHistory(config, args, defaultHistoryFolder), guests, args)
    })
}

/** Gives a hub a history where its configuration names none, unless none is wished. */
export function withHistory(
  config: HubOptions,
  { history }: HubArguments,
  folder: () => string,
): HubOptions {
  const path = history === false ? '' : (config.history?.path ?? folder())
  return { ...config, history: { ...config.history, path } } as HubOptions
}

/** Values of the flags by commander's names, and of those that are no option of the hub. */
export interface HubArguments extends RunOptions {
  readonly config?: string
  readonly [flag: string]: unknown
}

export function addHubFlags(command: Command, guests: readonly Guest[]): Command {
  for (const { flag } of flagsOf(composeOptions(dialectsOf(guests)))) command.addOption(flag)
  return command
    .option('--config <file>', 'YAML or JSON file with any option by its name; flags win')
    .addOption(
      new Option('--log <format>', 'text for people, json for machines')
        .choices(['text', 'json'])
        .default('text'),
    )
    .option('--no-history', 'no memory beyond the last minutes')
    .option('--no-color', 'no colours; NO_COLOR in the environment does the same')
}

/**
 * Merges defaults, the file, and the flags, which win.
 * @throws {ConfigError}
 */
export async function readConfig(
  args: HubArguments,
  guests: readonly Guest[],
): Promise<HubOptions> {
  const options = args.config === undefined ? {} : await readFileOf(args.config, guests)
  for (const { flag, path } of flagsOf(composeOptions(dialectsOf(guests)))) {
    const value = args[flag.attributeName()]
    // false is what a flag with no- in front leaves: here that of the history
    if (value !== undefined && value !== false) setAt(options, path, value)
  }
  const { parseConfig } = await import('../hub/config/config.ts')
  return parseConfig(options, dialectsOf(guests))
}

async function readFileOf(
  path: string,
  guests: readonly Guest[],
): Promise<Record<string, unknown>> {
  const { readConfigFile } = await import('./config-file.ts')
  return readConfigFile(path, dialectsOf(guests))
}

interface HubFlag {
  readonly flag: Option
  /** Path of the option that it sets. */
  readonly path: readonly string[]
}

function flagsOf(spec: OptionSpec, path: readonly string[] = []): HubFlag[] {
  return Object.entries(spec).flatMap(([name, option]) => {
    const inside = [...path, name]
    if (option.kind === 'section') return flagsOf(option.options, inside)
    if (option.kind === 'map' || option.flag === undefined) return []
    return [{ flag: flagOf(option.flag, option), path: inside }]
  })
}

/**
 * Makes a flag of an option. It is no default of commander's: what a flag does not say, the file
 * may. Limits on one side alone are checked with all others of the configuration.
 */
function flagOf(words: string, option: Exclude<HubOption, { kind: 'section' }>): Option {
  const { description, default: value, kind } = option
  const isTold = kind !== 'boolean' && String(value ?? '') !== ''
  const flag = new Option(words, isTold ? `${description} (default: ${value})` : description)
  switch (kind) {
    case 'choice':
      return flag.choices(option.choices.map(String))
    case 'integer': {
      const { min, max } = option
      const noun = nounOf(words)
      return flag.argParser(wholeNumber(max === undefined ? { min: 0 } : { min, max, noun }))
    }
    case 'auto':
      return flag.argParser(wholeNumberOrAuto(option))
    case 'number':
      return flag.argParser(decimal(option))
    default:
      return flag
  }
}

/** Reads `a port` from `--http-port <port>`, `a number of seconds` from `--after <seconds>`. */
function nounOf(words: string): string {
  const name = /<(\w+)>/.exec(words)?.[1] ?? 'number'
  return name.endsWith('s') ? `a number of ${name}` : `a ${name}`
}

function dialectsOf(guests: readonly Guest[]) {
  return guests.map(({ dialect }) => dialect)
}

function setAt(options: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let section = options
  for (const name of path.slice(0, -1)) {
    section[name] = { ...(section[name] as object | undefined) }
    section = section[name] as Record<string, unknown>
  }
  section[path.at(-1)!] = value
}
