/** `pentameter semaphore`: writes the line of a lever or a lamp. */
import type { Command } from 'commander'
import { lineOf } from '../codec.ts'
import { LETTERS, type Letter } from '../spec.ts'

const EXAMPLES = `
Examples:
  $ pentameter semaphore c levers.pulled 3
  $ pentameter semaphore g lamp.voltage 11.9`

export function addCommands(program: Command): void {
  program
    .command('semaphore')
    .description('write the line of a lever (c) or a lamp (g)')
    .argument('<letter>', `one of ${LETTERS.join(', ')}`)
    .argument('<name>', 'of the lever or lamp')
    .argument('<value>', 'a decimal number')
    .addHelpText('after', EXAMPLES)
    .action((letter: string, name: string, value: string) => {
      process.stdout.write(lineOf({ kind: letter as Letter, name, value: Number(value) }))
    })
}
