/** Runs a hub until a signal ends it, and says on the way what is going on. */
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { wasm } from '../arena/wasm.ts'
import type { End } from '../dialects/command-line.ts'
import type { PortAddresses } from '../dialects/endpoints.ts'
import type { Guest } from '../dialects/guest.ts'
import { collectOnce } from '../hub/tasks/collect-once.ts'
import type { HubOptions, Log } from '../start-hub.ts'
import { type CommandError, EXIT_INTERNAL } from '../terminal/exit.ts'
import { type ColorWishes, onExit } from '../terminal/index.ts'
import { failedPorts, portsError } from './failed-ports.ts'
import { createLog, endWhenWritten, type LogFormat } from './log.ts'
import { startReport } from './start-report.ts'

/** A hub that has met a fault and is not closed after so long ends as it is. */
const FINISH_LIMIT_MS = 10_000
/** Growth of V8's young generation as it is by default; the starter has held it for the start. */
const YOUNG_GROWTH = '--semi-space-growth-factor=2'
/** Time after which its optimizing compiler is let go, too: the first seconds define much once. */
const OPTIMIZING_AFTER_MS = 2000
/** Time for the last lines of the log, ms. */
const LOG_LIMIT_MS = 1000
/** Time in which the log tells what became of peers that are near: it looks once a second, ms. */
const PEERS_TOLD_MS = 1100

/** Said at SIGHUP by a hub that has no terminal to lose: nohup's, a supervisor's. */
const HANG_UP_MESSAGE =
  'SIGHUP does nothing here: a changed configuration is read at the next start'

export interface RunOptions extends Pick<ColorWishes, 'color'> {
  readonly log: LogFormat
}

/**
 * Part of `demo` that runs once the hub is up; the hub is closed where it can't.
 * @returns what ends it
 * @throws {CommandError}
 */
type Companion = (addresses: PortAddresses, log: Log) => End

/** @throws {CommandError} when no port could be bound, {ConfigError} for an option */
export async function runHub(
  config: HubOptions,
  guests: readonly Guest[],
  options: RunOptions,
  companion: Companion = () => async () => {},
): Promise<void> {
  const isColored = options.color && process.stderr.isTTY && !process.env.NO_COLOR
  const log = createLog(options.log, isColored)
  const ending = Promise.withResolvers<void>()
  // before anything starts, so that a signal is never met by the platform's own way to die
  const off = onExit(process, {
    end(signal) {
      if (signal !== undefined) {
        log('info', `${signal}: finishing the running second; once more stops at once`)
      }
      ending.resolve()
    },
    ...(hasTerminal() ? {} : { hangUp: () => log('info', HANG_UP_MESSAGE) }),
  })
  const offFaults = onFault(log, () => ending.resolve())
  // before threads are started, which take it from here
  setFlagsFromString('--expose-gc')
  // commands that run no hub, and help, do without it
  const { NoListenerError, startHub } = await import('../start-hub.ts')
  const hub = await startHub({ config, guests, log }).catch((error: Error) => {
    off()
    offFaults()
    throw error instanceof NoListenerError ? noListener(error.addresses) : error
  })
  setFlagsFromString(YOUNG_GROWTH)
  // under `--jitless`, which has no WebAssembly, no code may be made: Node would die of the first
  if (wasm !== undefined) {
    setTimeout(() => setFlagsFromString('--opt'), OPTIMIZING_AFTER_MS).unref()
  }
  // this thread began without the flag
  collectOnce(runInNewContext('gc'))
  let end: End
  try {
    end = companion(hub.addresses, log)
  } catch (error) {
    await hub.close()
    off()
    offFaults()
    throw error
  }
  goOnWithoutOutput(log)
  const { stdout } = process
  const screen = stdout.isTTY ? { columns: stdout.columns, rows: stdout.rows } : undefined
  // a person reads the page's address last, below what the log says of peers
  if (screen !== undefined && hub.sources().peers?.length) {
    await Promise.race([wait(PEERS_TOLD_MS, undefined, { ref: false }), ending.promise])
  }
  stdout.write(startReport(options.log, hub.addresses, hub.sources(), guests, screen))
  await ending.promise
  await end()
  await hub.close()
  off()
  offFaults()
  if (process.exitCode !== EXIT_INTERNAL) log('info', 'stopped')
  else log('error', 'stopped after a fault of its own; the running second is closed and handed on')
  await endWhenWritten(LOG_LIMIT_MS)
}

/** Has a hub go on where what it says at its start can't be written: that ends commands only. */
function goOnWithoutOutput(log: Log): void {
  process.stdout.removeAllListeners('error')
  process.stdout.on('error', ({ message }) => {
    log('warn', 'the start report could not be written', { error: message })
  })
}

function hasTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)
}

function noListener(addresses: PortAddresses): CommandError {
  return portsError('no listener could be started', failedPorts(addresses))
}

/**
 * Meets faults of the program that no part of it has met: the running second is finished, as at a
 * signal, and the exit code is 70. What can't be finished in time, or fails again, ends at once.
 * And SIGUSR1, by which Node opens its inspector to every program on this machine, does nothing;
 * nor does SIGUSR2, which would end it at once.
 * @returns what takes the listeners away
 */
function onFault(log: Log, finish: () => void): () => void {
  const onUncaught = (error: unknown, origin: string): void => {
    const fact = error instanceof Error ? (error.stack ?? error.message) : String(error)
    log('error', 'a fault of the program; finishing the running second', { origin, error: fact })
    if (process.exitCode === EXIT_INTERNAL) process.exit(EXIT_INTERNAL)
    process.exitCode = EXIT_INTERNAL
    setTimeout(() => process.exit(EXIT_INTERNAL), FINISH_LIMIT_MS).unref()
    finish()
  }
  const onInspect = (): void => log('info', 'SIGUSR1 opens no inspector here; start with --inspect')
  process.on('uncaughtException', onUncaught)
  const onUser = (): void => log('info', 'SIGUSR2 does nothing here')
  process.on('SIGUSR1', onInspect)
  process.on('SIGUSR2', onUser)
  return () => {
    process.off('uncaughtException', onUncaught)
    process.off('SIGUSR1', onInspect)
    process.off('SIGUSR2', onUser)
  }
}
