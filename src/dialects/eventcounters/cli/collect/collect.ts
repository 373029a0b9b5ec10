/** `pentameter counters collect URL`: every window of a session as a row of a file. */
import { statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { CommandError, EXIT_USAGE } from '../../../../terminal/exit.ts'
import { systemClock } from '../../../../time/system-clock.ts'
import type { CounterSource } from '../../../command-line.ts'
import { addRequestOptions, type RequestArguments, requestOf, wordsOf } from '../request.ts'
import { Collection, type CollectionParts } from './collection.ts'
import { openFile, toStream } from './destination.ts'
import { FORMATS, type Format } from './documents.ts'

const EXAMPLES = `
One row per counter and interval: raw values as dotnet-counters writes them, with the time at which
the application closed the interval (RFC 3339, UTC; the time of arrival where it gave none). Rows
are in the file as soon as they have come, and the JSON is whole at every moment. Ctrl-C, SIGTERM
and --duration end it. A lost connection is taken up again, the time between stays a gap.

An existing file is replaced, with a word on stderr, once the application has answered: an address
that does not answer leaves it as it is. A name without the format's ending gets it, as counter
becomes counter.csv; - is the standard output.

Examples:
  $ pentameter counters collect http://127.0.0.1:4000
  $ pentameter counters collect localhost:4000 --format json -o run-7 --duration 00:00:10:00
  $ pentameter counters collect localhost:4000 --counters 'Shop[orders]' -o - | tail -n +2`

interface CollectArguments extends RequestArguments {
  readonly format: Format
  readonly output?: string
}

export function addCollect(group: Command, sources: readonly CounterSource[]): void {
  addRequestOptions(group.command('collect'), sources)
    .description('write the counters of an application or hub to a file')
    .addOption(new Option('--format <format>', 'of the file').choices(FORMATS).default('csv'))
    .option('-o, --output <file>', 'default: counter.csv or counter.json; - = standard output')
    .addHelpText('after', [...sources.map(({ help }) => help), EXAMPLES].join('\n'))
    .action(async (...given: unknown[]) => {
      const [args, command] = given.slice(-2) as [CollectArguments, Command]
      const { url, program } = wordsOf(command)
      const request = requestOf(url, args, sources, program)
      const { stdout, stderr } = process
      const { format } = args
      const path = pathOf(args.output, format)
      const parts: CollectionParts = {
        open: (end) =>
          path === '-' ? toStream((text) => stdout.write(text), end) : replace(path, end, stderr),
        name: path === '-' ? 'standard output' : path,
        progress: stderr,
        process,
        clock: systemClock,
      }
      await new Collection(request, format, parts).run()
    })
}

function pathOf(output: string | undefined, format: Format): string {
  const path = output ?? 'counter'
  const isFolder = output !== undefined && (/^$|[\\/]$/.test(path) || isKind(path, 'isDirectory'))
  if (isFolder) throw new CommandError(`${path || '--output'}: want the name of a file`, EXIT_USAGE)
  const isComplete = path === '-' || path.startsWith('/dev/') || path.endsWith(`.${format}`)
  return isComplete ? path : `${path}.${format}`
}

function replace(path: string, end: string, progress: { write(text: string): unknown }) {
  const isThere = isKind(path, 'isFile')
  try {
    const file = openFile(path, end)
    if (isThere) progress.write(`${path} was there and is replaced\n`)
    return file
  } catch (error) {
    throw new CommandError(`cannot write ${path}: ${(error as Error).message}`)
  }
}

function isKind(path: string, kind: 'isDirectory' | 'isFile'): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.[kind]() === true
  } catch {
    // to write it is what says why not
    return false
  }
}
