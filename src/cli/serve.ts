/** `pentameter serve`: the hub alone. */
import type { Command } from 'commander'
import { runHub } from './run-hub.ts'
import { addServeOptions, readConfig, type ServeArguments } from './serve-options.ts'

const EXAMPLES = `
With --log json the first line on stdout is {"ready":true,"listeners":{…}}, and the log on stderr is
JSON. SIGTERM and Ctrl-C finish the running second and exit with 0; a second one stops at once.

Examples:
  $ pentameter serve
  $ pentameter serve --http-port 0 --text-port 0 --stream-port 0 --log json
  $ pentameter serve --attach http://10.0.0.8:4000 'http://10.0.0.9:4000?counters=Node.Runtime'
  $ pentameter serve --host 0.0.0.0 --allow-host metrics.example.org
  $ pentameter serve --relay statshero+udp://10.0.0.7:8125 --expire-after 3600`

export function addServe(program: Command): void {
  addServeOptions(program.command('serve'))
    .description('start the hub: listeners, page, API and /metrics')
    .addHelpText('after', EXAMPLES)
    .action(async (args: ServeArguments) => {
      await runHub(await readConfig(args), args)
    })
}
