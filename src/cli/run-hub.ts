/** Runs a hub until a signal ends it, and says on the way what is going on. */
import type { End } from '../dialects/command-line.ts'
import type { PortAddresses } from '../dialects/endpoints.ts'
import type { Guest } from '../dialects/guest.ts'
import { type HubOptions, type Log, NoListenerError, startHub } from '../start-hub.ts'
import { CommandError } from '../terminal/exit.ts'
import { type ColorWishes, onExit } from '../terminal/index.ts'
import { createLog, type LogFormat } from './log.ts'
import { startReport } from './start-report.ts'

export interface RunOptions extends Pick<ColorWishes, 'color'> {
  readonly log: LogFormat
}

/** What `demo` does once the hub is up. @returns what ends it */
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
  })
  const hub = await startHub({ config, guests, log }).catch((error: Error) => {
    off()
    throw error instanceof NoListenerError ? new CommandError(error.message) : error
  })
  process.stdout.write(startReport(options.log, hub.addresses, hub.sources(), guests))
  const end = companion(hub.addresses, log)
  await ending.promise
  await end()
  await hub.close()
  off()
  log('info', 'stopped')
}
