/** `pentameter hist SELECTOR`: the distribution of one or several histograms. */
import type { Command } from 'commander'
import { wholeNumber } from '../flag-values.ts'
import {
  addHubOptions,
  addLimitOption,
  addSinceOption,
  addWindowOption,
  type HubArguments,
  terminalOf,
} from '../hub/arguments.ts'

const EXAMPLES = `
Words of the selector match as those of watch; histograms alone are taken, and several that match
are added up, exactly, bucket by bucket: they have to be of one unit.

At a terminal there is a bar for each bucket, or for some neighbours together, with its share and
the percentiles that lie in it; J and K show one histogram after the other, arrows the past.
Elsewhere, or with --json, a line for each interval in which something was observed. With --since
lines begin there, from what the hub keeps, and go on with what comes.

Examples:
  $ pentameter hist checkout.latency
  $ pentameter hist api.latency route=/v1/orders --window 300
  $ pentameter hist api.latency --since 1d --interval 3600
  $ pentameter hist api.latency --json --interval 10 | jq -c '{time, count, p99}'`

interface HistArguments extends HubArguments {
  readonly interval: number
  readonly window: number
}

export function addHist(program: Command): void {
  const command = program
    .command('hist')
    .description('watch how observations are distributed')
    .argument('<selector...>', 'words that name, label or kind match')
    .option(
      '--interval <seconds>',
      'of lines, where they are written',
      wholeNumber({ min: 1, max: 3600 }),
      1,
    )
  addHubOptions(addLimitOption(addSinceOption(addWindowOption(command))))
    .addHelpText('after', EXAMPLES)
    .action(async (selector: readonly string[], args: HistArguments) => {
      const { connectHub } = await import('../hub/connect.ts')
      const { findSeries } = await import('../hub/find.ts')
      const { histogramsOf } = await import('./distribution.ts')
      const hub = await connectHub(args.hub)
      const filter = selector.join(' ')
      const { since } = args
      const found = await findSeries(hub, filter, since)
      const entries = histogramsOf([...found.living, ...found.past], filter)
      const parts = since === undefined ? terminalOf(args) : undefined
      if (parts === undefined) {
        const { printDistributions } = await import('./hist-lines.ts')
        const past = since === undefined ? {} : { sinceMs: since, found }
        await printDistributions(hub, { ...args, ...past, filter, intervalS: args.interval })
        return
      }
      const { histOnScreen } = await import('./hist-screen.ts')
      await histOnScreen(hub, { filter, entries, window: args.window }, parts)
    })
}
