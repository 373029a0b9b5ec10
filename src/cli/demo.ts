/**
 * `pentameter demo`: a hub with traffic of every dialect over real sockets
 * (dialects/command-line.ts).
 */
import type { Command } from 'commander'
import type { Demo, Prepared } from '../dialects/command-line.ts'
import type { Guest } from '../dialects/guest.ts'
import type { HubOptions } from '../start-hub.ts'
import { systemClock as clock } from '../time/system-clock.ts'
import { failedPorts, portsError } from './failed-ports.ts'
import { paragraph } from './help.ts'
import { temporaryHistory } from './history-folder.ts'
import { runHub } from './run-hub.ts'
import { addHubFlags, type HubArguments, readConfig, withHistory } from './serve.ts'

const EXAMPLES = `
Examples:
  $ pentameter demo
  $ pentameter demo --http-port 8080
  $ pentameter demo --http-port 0 --text-port 0 --stream-port 0`

export async function addDemo(program: Command, guests: readonly Guest[]): Promise<void> {
  const parts = await Promise.all(
    guests.map(async ({ dialect, loadDemo }) => ({ dialect, demo: await loadDemo?.() })),
  )
  const sentences = parts.flatMap(({ demo }) => demo?.description ?? [])
  addHubFlags(program.command('demo'), guests)
    .description('start a hub and traffic to look at')
    .addHelpText('after', `\n${paragraph(sentences)}\n${EXAMPLES}`)
    .action(async (args: HubArguments) => {
      const temporary = temporaryHistory()
      const config = withHistory(await readConfig(args, guests), args, () => temporary.path)
      const prepared: Prepared[] = []
      try {
        const whole = await prepareAll(parts, config, prepared)
        await runHub(whole, guests, args, (addresses, log) => {
          // what another program's port takes must not be told things that are invented
          const failed = failedPorts(addresses)
          if (failed.length > 0) throw portsError('the demo needs all of its ports', failed)
          const context = { clock, addresses, log: log.bind(undefined, 'info') }
          const ends = parts.flatMap(({ demo }) => demo?.start?.(context) ?? [])
          return () => Promise.all(ends.map((end) => end()))
        })
      } finally {
        await Promise.all(prepared.map(({ end }) => end()))
        temporary.end()
      }
    })
}

interface DemoPart extends Pick<Guest, 'dialect'> {
  readonly demo: Demo | undefined
}

/** Fills `prepared` one by one, so that what has begun is ended when the next one fails. */
async function prepareAll(
  parts: readonly DemoPart[],
  config: HubOptions,
  prepared: Prepared[],
): Promise<HubOptions> {
  let whole = config
  for (const { dialect, demo } of parts) {
    const options = (config[dialect.name] ?? {}) as Readonly<Record<string, unknown>>
    const part = await demo?.prepare?.({ clock, options })
    if (part === undefined) continue
    prepared.push(part)
    whole = {
      ...whole,
      attach: [...(whole.attach ?? []), ...(part.attach ?? [])],
      ...(part.options === undefined ? {} : { [dialect.name]: { ...options, ...part.options } }),
    }
  }
  return whole
}
