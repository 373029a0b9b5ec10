/** `pentameter proxy-wasm`: what is done with one filter, besides running it in a hub's config. */
import type { Command } from 'commander'
import { addInspect } from './inspect.ts'
import { addRun } from './run.ts'

const EXAMPLES = `
Examples:
  $ pentameter proxy-wasm inspect auth.wasm
  $ pentameter proxy-wasm run auth.wasm --requests 100
  $ pentameter proxy-wasm run --help         every flag of run`

export function addProxyWasm(program: Command): void {
  const group = program
    .command('proxy-wasm')
    .description('look at a Proxy-Wasm filter, or run one')
    .addHelpText('after', EXAMPLES)
  addRun(group)
  addInspect(group)
}
