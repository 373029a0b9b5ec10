/** `pentameter counters`: the counters of an application, live on a screen or into a file. */
import type { Command } from 'commander'
import type { CommandLine, SourceCommand } from '../../command-line.ts'
import { addCollect } from './collect/collect.ts'
import { addMonitor } from './monitor/monitor.ts'
import { optionOf } from './request.ts'

const EXAMPLES = `
Examples:
  $ pentameter counters monitor http://127.0.0.1:4000
  $ pentameter counters collect http://127.0.0.1:4000 --format csv -o counter.csv
  $ pentameter counters monitor --help      every flag of monitor`

export async function addCommands(
  program: Command,
  { counterSources }: Pick<CommandLine, 'counterSources'>,
): Promise<void> {
  const sources = await counterSources()
  const group = program
    .command('counters')
    .description('watch the event counters of an application, or write them to a file')
    .addHelpText('after', EXAMPLES)
  addMonitor(group, sources)
  addCollect(group, sources)
  for (const { commands } of sources) for (const each of commands) addSourceCommand(group, each)
}

function addSourceCommand(group: Command, source: SourceCommand): void {
  const { name, description, flags, help, run } = source
  const command = group.command(name).description(description).addHelpText('after', help)
  for (const flag of flags) command.addOption(optionOf(flag))
  command.action((values: Readonly<Record<string, unknown>>) => run(values))
}
