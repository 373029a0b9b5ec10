/** The command line: parses, runs one sub-command, and turns failures into exit codes. */

import { Command, CommanderError } from 'commander'
import type { CommandLine } from '../dialects/command-line.ts'
import type { Guest } from '../dialects/guest.ts'
import { ConfigError } from '../hub/config/values.ts'
import { nearestWord } from '../model/text/nearest.ts'
import { escapeUnseen } from '../model/text/unseen.ts'
import { CommandError, EXIT_FAILED, EXIT_OK, EXIT_USAGE } from '../terminal/exit.ts'
import { VIEWERS } from '../terminal/hub/commands.ts'
import { VERSION } from '../version.ts'
import { examplesText } from './help.ts'

const EXAMPLES = [
  ['pentameter demo', 'a hub with traffic, to look around'],
  ['pentameter serve', 'the hub alone, on its default ports'],
  ['pentameter serve --help', 'every flag of the hub'],
  ['pentameter top', 'every series of a running hub'],
] as const
/** Columns of the lists of a help; its examples are as wide as they are. */
const HELP_WIDTH = 80
const HELP = `
Every command has a --help with examples of its own.
Exit codes: 0 done, 1 did not work, 2 wrong usage, 70 a fault of pentameter.`

/**
 * Makes the command line.
 * @param guests all dialects unless given
 * @param only the one command that will run, which is all that is loaded then; all unless stated
 */
export async function createProgram(guests?: readonly Guest[], only?: string): Promise<Command> {
  const program = new Command('pentameter')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    // one width everywhere: the package has these texts ready made
    .configureHelp({ helpWidth: HELP_WIDTH })
    .showHelpAfterError('(add --help for what is possible)')
    .configureOutput({ outputError: (text, write) => write(withGuess(text)) })
  const viewer = only === undefined ? undefined : VIEWERS.get(only)
  if (viewer !== undefined) await viewer(program)
  else await addHubCommands(program, guests ?? (await loadGuests()), only)
  overrideExit(program)
  return program
}

async function loadGuests(): Promise<readonly Guest[]> {
  const { GUESTS } = await import('../dialects/registry.ts')
  return GUESTS
}

/** Adds what knows the dialects, and all that only help and completion need besides. */
async function addHubCommands(
  program: Command,
  guests: readonly Guest[],
  only: string | undefined,
): Promise<void> {
  program
    .description(
      `One metrics system for ${guests.length} dialects: push, pull, watch, keep and bridge them.`,
    )
    .addHelpText('after', `\n${examplesText(guests, 'pentameter', EXAMPLES)}\n${HELP}`)
  const owner = guests.find(({ commands }) => only !== undefined && commands?.includes(only))
  if (owner !== undefined) {
    await owner.addCommands?.(program, commandLineOf(guests))
    return
  }
  const { addServe } = await import('./serve.ts')
  addServe(program, guests)
  if (only !== 'serve') await addOthers(program, guests)
}

/** Makes what commands of dialects may ask for; a hub is loaded where one is run. */
function commandLineOf(guests: readonly Guest[]): CommandLine {
  return {
    async serve(options) {
      const { runHub } = await import('./run-hub.ts')
      await runHub(options, guests, { log: 'text', color: true })
    },
    async counterSources() {
      const sources = await Promise.all(guests.map((guest) => guest.loadCounterSource?.()))
      return sources.filter((source) => source !== undefined)
    },
  }
}

/** Adds to an error which of the allowed choices was probably meant. */
function withGuess(text: string): string {
  const [, given, choices] =
    /(?:value|argument) '([^']*)' is invalid.*Allowed choices are (.*)\.\s*$/.exec(text) ?? []
  if (given === undefined || choices === undefined) return text
  const nearest = nearestWord(given, choices.split(', '))
  return nearest === undefined ? text : `${text.trimEnd()}\n(Did you mean ${nearest}?)\n`
}

async function addOthers(program: Command, guests: readonly Guest[]): Promise<void> {
  const { addDemo } = await import('./demo.ts')
  const { addCompletion } = await import('./completion.ts')
  const { addDecode, addEncode } = await import('./messages/codec.ts')
  const { addSend } = await import('./messages/send.ts')
  const { addSeries } = await import('./series.ts')
  const { addHistory } = await import('./history/history.ts')
  await addDemo(program, guests)
  for (const add of VIEWERS.values()) await add(program)
  addDecode(program, guests)
  addEncode(program, guests)
  addSend(program, guests)
  for (const guest of guests) await guest.addCommands?.(program, commandLineOf(guests))
  addSeries(program)
  addHistory(program)
  addCompletion(program)
}

/** Makes commander throw wrong usage, of a sub-command too: this process ends in one place. */
function overrideExit(command: Command): void {
  command.exitOverride()
  for (const each of command.commands) overrideExit(each)
}

/** Runs one command line and returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  process.stdout.on('error', leaveOnClosedPipe)
  // a log or a message that can't be written is no reason to end; createLog counts its lines
  process.stderr.on('error', () => {})
  const program = await createProgram(undefined, args[0])
  try {
    if (args.length === 0) {
      program.outputHelp({ error: true })
      return EXIT_USAGE
    }
    await program.parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? EXIT_OK)
  } catch (error) {
    return report(error)
  }
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE
  if (error instanceof ConfigError) {
    process.stderr.write(`pentameter: ${error.problems.map(escapeUnseen).join('\n  ')}\n`)
    return EXIT_USAGE
  }
  if (error instanceof CommandError) {
    process.stderr.write(`pentameter: ${linesOf(error.message)}\n`)
    return error.exitCode
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`pentameter: ${linesOf(text)}\n`)
  return EXIT_FAILED
}

/** Escapes what a peer may have put into a message of several lines. */
function linesOf(text: string): string {
  return text.split('\n').map(escapeUnseen).join('\n')
}

/**
 * Ends `pentameter … | head` quietly when head has seen enough, and with its terminal (EIO); where
 * the output can't be written for another reason, says it.
 */
function leaveOnClosedPipe(error: NodeJS.ErrnoException): void {
  const isLostTerminal = error.code === 'EIO' && process.stdout.isTTY
  if (error.code === 'EPIPE' || isLostTerminal) process.exit(EXIT_OK)
  process.stderr.write(`pentameter: the output could not be written: ${error.message}\n`)
  process.exit(EXIT_FAILED)
}
