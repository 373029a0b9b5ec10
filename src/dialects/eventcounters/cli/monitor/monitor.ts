/** `pentameter counters monitor URL`: the counters of an application, live. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseBoolean } from '../../../../terminal/flag-values.ts'
import { colorDepth, hasScreen } from '../../../../terminal/index.ts'
import { systemClock } from '../../../../time/system-clock.ts'
import type { CounterSource } from '../../../command-line.ts'
import { addRequestOptions, type RequestArguments, requestOf, wordsOf } from '../request.ts'
import { VALUE_VIEWS, type ValueView } from './figures.ts'
import { monitorAsLines } from './json-lines.ts'
import { SORTS, type Sort } from './listing.ts'
import { type MonitorOptions, monitorOnScreen } from './screen-monitor.ts'
import { parseThreshold, type Threshold } from './threshold.ts'

const EXAMPLES = `
At a terminal: p pauses, r resumes, / filters, s sorts, ? shows all keys, q quits. Elsewhere, or
with --json, one JSON line per counter and interval goes to stdout, and what happens to the
connection to stderr. A lost connection is taken up again; the time between stays a gap. What a hub
counts of itself is left out unless --counters, or a word of the filter, asks for it.

--values chooses how incrementing counters are read, one or several side by side: raw is what was
counted in the interval, rate that per the counter's own time scale (1 s where it has none), second,
minute and hour that per the time they name, total the sum since the start. The first one is what
deltas, order and thresholds go by; columns that the terminal has no room for are left out.

Examples:
  $ pentameter counters monitor http://127.0.0.1:4000
  $ pentameter counters monitor localhost:4000 --counters 'Node.Runtime[cpu-usage],Shop'
  $ pentameter counters monitor localhost:4000 --values raw,rate,total --show-deltas
  $ pentameter counters monitor localhost:4000 --threshold 'cpu-usage>80'
  $ pentameter counters monitor localhost:4000 --refresh-interval 0.25 --json | jq .`

interface MonitorArguments extends RequestArguments {
  readonly showDeltas?: boolean
  readonly abbreviateLargeNumbers?: boolean
  readonly sort: Sort
  readonly filter: string
  readonly values: readonly ValueView[]
  readonly threshold: readonly Threshold[]
  readonly json?: boolean
  /** False with --no-color. */
  readonly color: boolean
}

export function addMonitor(group: Command, sources: readonly CounterSource[]): void {
  addRequestOptions(group.command('monitor'), sources)
    .description('show the counters of an application or hub, live')
    .option('--show-deltas', 'a column with the change from the interval before')
    .addOption(new Option('--showDeltas').hideHelp())
    .option('--abbreviate-large-numbers', 'numbers from 100,000,000 on as 1.2346e+08')
    .addOption(new Option('--abbreviateLargeNumbers [boolean]').argParser(parseBoolean).hideHelp())
    .option('--filter <words>', 'only counters with all these words, or KEY=VALUE', '')
    .addOption(new Option('--sort <order>', 'within a provider').choices(SORTS).default('name'))
    .addOption(
      new Option('--values <list>', `of ${VALUE_VIEWS.join(', ')}`)
        .argParser(parseValues)
        .default(['raw'], 'raw'),
    )
    .addOption(
      new Option('--threshold <condition>', 'hold the screen at COUNTER>VALUE or <; repeatable')
        .argParser(parseThreshold)
        .default([], 'none'),
    )
    .option('--no-color', 'no colours; NO_COLOR in the environment does the same')
    .option('--json', 'one JSON line per counter and interval')
    .addHelpText('after', [...sources.map(({ help }) => help), EXAMPLES].join('\n'))
    .action(async (...given: unknown[]) => {
      const [args, command] = given.slice(-2) as [MonitorArguments, Command]
      const { url, program } = wordsOf(command)
      const request = requestOf(url, args, sources, program)
      const options: MonitorOptions = {
        views: args.values,
        showDeltas: args.showDeltas === true,
        isAbbreviated: args.abbreviateLargeNumbers === true,
        sort: args.sort,
        filter: args.filter,
        thresholds: args.threshold,
      }
      const { stdin: input, stdout: output, stderr: errors, env } = process
      if (args.json || !hasScreen(output, env)) {
        await monitorAsLines(request, options, { output, errors, process, clock: systemClock })
        return
      }
      const color = colorDepth({ color: args.color, isTerminal: true, env })
      await monitorOnScreen(request, options, {
        ...{ input, output, process, color, clock: systemClock },
      })
    })
}

function parseValues(text: string): readonly ValueView[] {
  const views = text.split(',').map((word) => VALUE_VIEWS.find((view) => view === word.trim()))
  const known = views.filter((view) => view !== undefined)
  if (known.length === views.length) return [...new Set(known)]
  throw new InvalidArgumentError(`want one or more of ${VALUE_VIEWS.join(', ')}, with commas`)
}
