/** `pentameter counters`: the counters of an application, live on a screen or into a file. */
import type { Command } from 'commander'
import { addCollect } from './collect/collect.ts'
import { addMonitor } from './monitor/monitor.ts'

const EXAMPLES = `
Examples:
  $ pentameter counters monitor http://127.0.0.1:4000
  $ pentameter counters collect http://127.0.0.1:4000 --format csv -o counter.csv
  $ pentameter counters monitor --help      every flag of monitor`

export function addCommands(program: Command): void {
  const group = program
    .command('counters')
    .description('watch the event counters of an application, or write them to a file')
    .addHelpText('after', EXAMPLES)
  addMonitor(group)
  addCollect(group)
}
