/** `pentameter tap LISTENER`: messages as they arrive at a listener of a hub. */
import type { Command } from 'commander'
import { addHubOptions, addLimitOption, type HubArguments } from '../hub/arguments.ts'

const EXAMPLES = `
A listener is named as in the status of the hub (text, stream), by its port, or by a dialect that it
takes. One line for each decoded message, in up to four rows where the terminal is narrower; one
that could not be read is marked ■, with its code, its bytes in brackets and what was lost with it.
What comes faster than some 2,500 messages a second is left out and counted: the hub is never slowed
down.

With --hex each datagram, and each read of a connection, is shown with its first bytes before its
messages; in JSON such a packet is one line then. A connection that was there before is joined at
its next message.

Examples:
  $ pentameter tap text
  $ pentameter tap 5001 --hub hub.example:4000 --hex
  $ pentameter tap text --json | jq -c 'select(.error).error'
  $ pentameter tap stream --json --limit 100 > messages.ndjson`

interface TapArguments extends HubArguments {
  readonly hex?: true
}

export function addTap(program: Command): void {
  const command = program
    .command('tap')
    .description('watch messages as they arrive at a listener, with those that are wrong')
    .argument('<listener>', 'its name, its port, or a dialect')
    .option('--hex', 'the bytes of every packet as well')
  addHubOptions(addLimitOption(command))
    .addHelpText('after', EXAMPLES)
    .action(async (listener: string, args: TapArguments) => {
      const { connectHub } = await import('../hub/connect.ts')
      const { printTap } = await import('./tap-lines.ts')
      await printTap(await connectHub(args.hub), listener, args)
    })
}
