/** `pentameter top`: every series of a hub, live, the unusual ones first. */
import { type Command, Option } from 'commander'
import { SORTS, type Sort } from '../../viewer/series/selection.ts'
import { type HubAddress, parseHub } from '../hub/address.ts'
import {
  addHubOptions,
  addLimitOption,
  addWindowOption,
  type HubArguments,
  terminalOf,
} from '../hub/arguments.ts'
import { GROUPS } from './groups.ts'

const EXAMPLES = `
At a terminal: / filters, s sorts, g groups, Enter opens a series, p pauses, ? shows all keys, q
quits. Elsewhere, or with --json, one line for each series and second in which it changed. A hub
that goes is waited for; what it took meanwhile is read back from its history.

Examples:
  $ pentameter top
  $ pentameter top hub.example:4000 --filter 'api kind=histogram'
  $ pentameter top --group source --sort rate
  $ pentameter top --json | jq -c 'select(.kind == "counter")'`

interface TopArguments extends HubArguments {
  readonly filter: string
  readonly sort: Sort
  readonly group: string
  readonly window: number
}

export function addTop(program: Command): void {
  const command = program
    .command('top')
    .description('watch every series of a hub, the unusual ones first')
    .argument('[hub]', 'HOST:PORT of the hub, instead of --hub', parseHub)
    .option('--filter <words>', 'only series with all these words, or LABEL=VALUE', '')
    .addOption(new Option('--sort <order>', 'order of the list').choices(SORTS).default(SORTS[0]))
    .addOption(new Option('--group <by>', 'groups of the list').choices(GROUPS).default(GROUPS[0]))
  addHubOptions(addLimitOption(addWindowOption(command)))
    .addHelpText('after', EXAMPLES)
    .action(async (hub: HubAddress | undefined, args: TopArguments) => {
      const { connectHub } = await import('../hub/connect.ts')
      const connected = await connectHub(hub ?? args.hub)
      const parts = terminalOf(args)
      if (parts === undefined) {
        const { printSeries } = await import('../watch/lines.ts')
        await printSeries(connected, { ...args, intervalS: 1 })
        return
      }
      const { topOnScreen } = await import('./top-screen.ts')
      await topOnScreen(connected, args, parts)
    })
}
