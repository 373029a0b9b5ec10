/** `pentameter series delete PATTERN`: takes series away from a running hub, once it is told to. */
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import type { ApiError, DeletionAnswer } from '../http/api.ts'
import { escapeUnseen } from '../model/text/unseen.ts'
import { CommandError, EXIT_USAGE } from '../terminal/exit.ts'
import type { HubAddress } from '../terminal/hub/address.ts'
import { hubOption } from '../terminal/hub/arguments.ts'

interface DeleteOptions {
  readonly hub: HubAddress
  readonly dryRun?: true
  readonly yes?: true
}

const EXAMPLES = `
In PATTERN a * stands for any run of characters; quote it. What is sent under such a name
afterwards makes a new series, which begins at nothing.

Examples:
  $ pentameter series delete 'request.*' --dry-run
  $ pentameter series delete 'request.*' --yes`

export function addSeries(program: Command): void {
  const series = program
    .command('series')
    .description('the series of a running hub')
    .addHelpText('after', EXAMPLES)
  series
    .command('delete')
    .description('take series away by their names')
    .argument('<pattern>', 'name of the series, with * for any run of characters')
    .addOption(hubOption())
    .option('--dry-run', 'only says how many there are')
    .option('--yes', 'does not ask')
    .addHelpText('after', EXAMPLES)
    .action(deleteSeries)
}

async function deleteSeries(pattern: string, options: DeleteOptions): Promise<void> {
  if (options.yes !== true || options.dryRun) {
    const { matching, kept } = await ask(pattern, options.hub, true)
    const count = `${matching - kept} series match ${escapeUnseen(pattern)}${keptWords(kept)}`
    process.stdout.write(`${count}\n`)
    if (options.dryRun || matching === kept || !(await isConfirmed())) return
  }
  const { deleted, kept } = await ask(pattern, options.hub, false)
  process.stdout.write(`${deleted} series deleted${keptWords(kept)}\n`)
}

function keptWords(kept: number): string {
  return kept === 0 ? '' : `; ${kept} of the hub's own or of filters stay`
}

/** @throws {CommandError} of wrong usage, where no person is there to ask */
async function isConfirmed(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new CommandError('add --yes to delete them', EXIT_USAGE)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question('Delete them? [y/N] ')
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}

async function ask(
  name: string,
  { origin }: HubAddress,
  isDryRun: boolean,
): Promise<DeletionAnswer> {
  const url = new URL('/api/v1/series', origin)
  url.search = new URLSearchParams({ name, dryRun: String(isDryRun) }).toString()
  const answer = await fetch(url, { method: 'DELETE' }).catch((error: Error) => {
    throw new CommandError(`no answer from ${origin}: ${reasonOf(error)}`)
  })
  const body: unknown = await answer.json().catch(() => undefined)
  if (answer.ok) return body as DeletionAnswer
  const message = (body as ApiError | undefined)?.error.message ?? answer.statusText
  throw new CommandError(`${origin} answers ${answer.status}: ${message}`)
}

/** Tells the reason that fetch wraps into "fetch failed". */
function reasonOf({ cause, message }: Error): string {
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}
