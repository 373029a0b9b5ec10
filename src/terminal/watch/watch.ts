/** `pentameter watch SELECTOR`: some series, a line per interval, or one of them as a chart. */
import type { Command } from 'commander'
import { systemClock } from '../../time/system-clock.ts'
import { ALL_WINDOWS } from '../../viewer/chart/time-window.ts'
import { CommandError } from '../exit.ts'
import { wholeNumber } from '../flag-values.ts'
import {
  addHubOptions,
  addLimitOption,
  addSinceOption,
  addWindowOption,
  type HubArguments,
  terminalOf,
} from '../hub/arguments.ts'
import type { Found } from '../hub/find.ts'

const EXAMPLES = `
Words of the selector match as on the page: a part of the name, LABEL=VALUE, kind=… or dialect=…; a
* stands for any run of characters. All of them must match.

At a terminal every series has a line each interval; a single one in a terminal of 100 columns or
more is a chart, of the time that --window or --since says, which --interval turns into lines again.
Elsewhere, or with --json, a line is written where something changed. A stream that is cut goes on
where it ended, as far as the hub's memory goes back. With --since lines begin there, from what the
hub keeps, and go on with what comes; of a time that is kept in minutes or hours each is as long.

Examples:
  $ pentameter watch api.latency
  $ pentameter watch 'api.*' route=/pay --interval 10
  $ pentameter watch checkout kind=counter --json | jq -c '{series, rate}'
  $ pentameter watch checkout --since 1d --interval 60 --json > day.jsonl
  $ pentameter watch cpu --hub hub.example:4000 --limit 20`

interface WatchArguments extends HubArguments {
  readonly interval?: number
  readonly window: number
}

/** Seconds from which on a window has whole minutes. */
const MINUTES_FROM = 600
/** Columns from which on one series is a chart. */
const WIDE = 100

/** Gives the seconds that a chart shows; from a time on, it is as long as that was ago. */
function windowOf({ since, window }: WatchArguments): number {
  if (since === undefined) return window
  const [least, most] = [ALL_WINDOWS[0]!, ALL_WINDOWS.at(-1)!]
  const seconds = Math.ceil((systemClock.wallMs() - since) / 1000)
  const whole = seconds < MINUTES_FROM ? seconds : 60 * Math.round(seconds / 60)
  return Math.min(most, Math.max(least, whole))
}

export function addWatch(program: Command): void {
  const command = program
    .command('watch')
    .description('watch some series, line by line, or one as a chart')
    .argument('<selector...>', 'words that name, label or kind match')
    .option(
      '--interval <seconds>',
      'how often each series has a line (default: 1)',
      wholeNumber({ min: 1, max: 3600 }),
    )
  addHubOptions(addLimitOption(addSinceOption(addWindowOption(command))))
    .addHelpText('after', EXAMPLES)
    .action(async (selector: readonly string[], args: WatchArguments) => {
      const { connectHub } = await import('../hub/connect.ts')
      const hub = await connectHub(args.hub)
      const filter = selector.join(' ')
      const parts = terminalOf(args)
      const isWide = (parts?.output.columns ?? 0) >= WIDE
      const areLines = (args.interval ?? args.limit) !== undefined
      const { since, interval: intervalS = 1, ...options } = args
      let looked: Found | undefined
      if (parts !== undefined && isWide && !areLines) {
        const { findSeries } = await import('../hub/find.ts')
        looked = await findSeries(hub, filter, since)
        const found = [...looked.living, ...looked.past]
        if (found.length === 0) throw new CommandError(`no series matches ${filter}`)
        // one that is no more has nothing to go on with: its past is told in lines
        if (found.length === 1 && found[0]!.info.isPast !== true) {
          const { topOnScreen } = await import('../top/top-screen.ts')
          const choice = { filter, sort: 'name', group: 'none', window: windowOf(args) } as const
          await topOnScreen(hub, { ...choice, opened: found[0]!.identity }, parts)
          return
        }
      }
      const { printSeries } = await import('./lines.ts')
      const past = {
        ...(since === undefined ? {} : { sinceMs: since }),
        ...(looked === undefined ? {} : { found: looked }),
      }
      await printSeries(hub, { ...options, ...past, filter, intervalS })
    })
}
