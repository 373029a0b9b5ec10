/** The command line: parses, runs one sub-command, and turns failures into exit codes. */
import { Command, CommanderError } from 'commander'
import { addCounters } from '../dialects/eventcounters/cli/index.ts'
import { addProxyWasm } from '../dialects/proxywasm/cli/index.ts'
import { ConfigError } from '../hub/index.ts'
import { VERSION } from '../version.ts'
import { addCompletion } from './completion.ts'
import { addDecode } from './decode.ts'
import { addDemo } from './demo.ts'
import { addEncode } from './encode.ts'
import { CommandError, EXIT_FAILED, EXIT_OK, EXIT_USAGE } from './exit.ts'
import { addServe } from './serve.ts'
import { addSize } from './size.ts'

const EXAMPLES = `
Examples:
  $ pentameter demo                          a hub with traffic, to look around
  $ pentameter serve                         the hub alone, on its default ports
  $ pentameter decode statshero < packet     what a captured packet says
  $ pentameter proxy-wasm run auth.wasm      a Proxy-Wasm filter and its metrics
  $ pentameter counters monitor 127.0.0.1:4000    an application's counters, live
  $ pentameter serve --help                  every flag of the hub

Every command has a --help with examples of its own.
Exit codes: 0 done, 1 did not work, 2 wrong usage.`

export function createProgram(): Command {
  const program = new Command('pentameter')
    .description('One metrics system for five dialects: push, pull, watch, keep and bridge them.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('(add --help for what is possible)')
  addServe(program)
  addDemo(program)
  addDecode(program)
  addEncode(program)
  addSize(program)
  addProxyWasm(program)
  addCounters(program)
  addCompletion(program)
  overrideExit(program)
  return program
}

/** A wrong usage, of a sub-command too, is thrown: this process ends in one place. */
function overrideExit(command: Command): void {
  command.exitOverride()
  for (const each of command.commands) overrideExit(each)
}

/** Runs one command line and returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  process.stdout.on('error', leaveOnClosedPipe)
  process.stderr.on('error', ignoreClosedPipe)
  const program = createProgram()
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
    process.stderr.write(`pentameter: ${error.problems.join('\n  ')}\n`)
    return EXIT_USAGE
  }
  if (error instanceof CommandError) {
    process.stderr.write(`pentameter: ${error.message}\n`)
    return error.exitCode
  }
  process.stderr.write(`pentameter: ${error instanceof Error ? error.stack : String(error)}\n`)
  return EXIT_FAILED
}

/** `pentameter … | head` ends quietly when head has seen enough, and with its terminal (EIO). */
function leaveOnClosedPipe(error: NodeJS.ErrnoException): void {
  const isLostTerminal = error.code === 'EIO' && process.stdout.isTTY
  if (error.code === 'EPIPE' || isLostTerminal) process.exit(EXIT_OK)
  throw error
}

/** Who no longer reads the log may go: the hub goes on without one. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  const isLostTerminal = error.code === 'EIO' && process.stderr.isTTY
  if (error.code !== 'EPIPE' && !isLostTerminal) throw error
}
