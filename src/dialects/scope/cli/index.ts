/** `pentameter scope SOURCE`: the live viewer, at a terminal or as lines. */
import type { Command } from 'commander'
import { addFlags, requestOf, type ScopeArguments } from './flags.ts'

const EXAMPLES = `
KEY is PLOT/NAME for a series whose sender wants it in a plot, else NAME; MIN, MAX, BELOW and ABOVE
are numbers, and may be left empty. The trigger looks at every sample: a value at or beyond its
threshold is an event, and the picture stops with it in the middle. A lost connection is tried again
for ever; what was there stays, and the time between is a gap.

At a terminal ? shows all keys, q quits. Elsewhere, or with --json, one line per snapshot goes to
stdout, and what happens to the connection to stderr.

Examples:
  $ pentameter scope plc1
  $ pentameter scope 10.0.0.8:5001 -s 0.02 -w 30 --trigger 'current/motor1=,9.5'
  $ pentameter scope plc1 --sma motor1=50 --y-range 'current=0,' --chart-cols 1
  $ pentameter scope queue.depth --hub 127.0.0.1:4000 -s 1
  $ pentameter scope plc1 --json | jq .values
  $ pentameter scope plc1 --record fault.scope; pentameter scope --replay fault.scope`

export function addCommands(program: Command): void {
  addFlags(program.command('scope'))
    .description('look at a scope exporter, or series of a hub, like an oscilloscope')
    .addHelpText('after', EXAMPLES)
    .action(async (source: string | undefined, args: ScopeArguments) => {
      const { runScope } = await import('./run.ts')
      await runScope(requestOf(source, args), args)
    })
}
