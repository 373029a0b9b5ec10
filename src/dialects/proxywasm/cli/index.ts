/** The commands of Proxy-Wasm: what is done with one filter, and sizes of shared memory. */
import type { Command } from 'commander'
import type { CommandLine } from '../../command-line.ts'
import { addInspect } from './inspect.ts'
import { addRun } from './run.ts'
import { addSize } from './size.ts'

const EXAMPLES = `
Examples:
  $ pentameter proxy-wasm inspect auth.wasm
  $ pentameter proxy-wasm run auth.wasm --requests 100
  $ pentameter proxy-wasm run --help         every flag of run`

export function addCommands(program: Command, commandLine: CommandLine): void {
  const group = program
    .command('proxy-wasm')
    .description('look at a Proxy-Wasm filter, or run one')
    .addHelpText('after', EXAMPLES)
  addRun(group, commandLine)
  addInspect(group)
  addSize(program)
}
