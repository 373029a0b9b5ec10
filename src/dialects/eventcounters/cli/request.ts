/** What both commands are asked for: their shared flags, checked before anything is connected. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CommandError, EXIT_USAGE } from '../../../terminal/exit.ts'
import { wholeNumber } from '../../../terminal/flag-values.ts'
import type { CounterSource, OpenFeed, SourceFlag } from '../../command-line.ts'
import { type CounterFilter, FilterError, parseFilter } from '../codec/filter.ts'
import { LIMITS } from '../spec.ts'
import { clientOptions, httpFeed } from './http-feed.ts'

export interface RequestArguments {
  readonly counters?: string
  readonly refreshInterval: number
  readonly duration?: number
  readonly maxTimeSeries: number
}

export interface CounterRequest {
  readonly open: OpenFeed
  readonly filter: CounterFilter | undefined
  /** Whether it names the counters that it wants. */
  readonly namesCounters: boolean
  readonly intervalMs: number
  readonly durationMs: number | undefined
  readonly seriesLimit: number
}

const MS_PER_S = 1000
const SECONDS_MIN = LIMITS.peerIntervalMsMin / MS_PER_S
const SECONDS_MAX = LIMITS.peerIntervalMsMax / MS_PER_S
const WHOLE_SECONDS_MAX = LIMITS.documentIntervalSecMax
const SERIES_LIMIT = 1000
const parseCount = wholeNumber({ min: 1, max: 1_000_000 })

/** @param sources whose flags may take the place of an address */
export function addRequestOptions(command: Command, sources: readonly CounterSource[]): Command {
  command
    .argument(
      sources.length === 0 ? '<url>' : '[url]',
      'http://HOST:PORT of an application or hub; what its path or query says goes first',
    )
    .option(
      '--counters <list>',
      'as PROVIDER,PROVIDER[COUNTER,COUNTER] (default: every counter there is)',
    )
    .option(
      '--refresh-interval <seconds>',
      'how often each counter is told; parts of a second as 0.25',
      parseSeconds,
      1,
    )
    .option('--duration <dd:hh:mm:ss>', 'ends after so long (default: never)', parseDuration)
    .option('--max-time-series <count>', 'most series that are taken', parseCount, SERIES_LIMIT)
    .addOption(new Option('--maxTimeSeries <count>').argParser(parseCount).hideHelp())
  if (sources.length > 0) command.argument('[command...]', 'behind --: a program to start')
  for (const { flags } of sources) for (const flag of flags) command.addOption(optionOf(flag))
  return command
}

/** Makes a flag of a source one of a command. */
export function optionOf({
  flags,
  description,
  parse,
  default: value,
  isHidden,
}: SourceFlag): Option {
  const option = new Option(flags, description).hideHelp(isHidden === true)
  if (value !== undefined) option.default(value)
  if (parse !== undefined) {
    option.argParser((text) => {
      try {
        return parse(text)
      } catch (error) {
        throw new InvalidArgumentError((error as Error).message)
      }
    })
  }
  return option
}

/**
 * Makes a request of what an address asks for, or the flags of a source.
 * @param command words of a program that is to be started
 * @throws {CommandError} of wrong usage, for a list of counters that is none, and for no address
 */
export function requestOf(
  url: string | undefined,
  args: RequestArguments,
  sources: readonly CounterSource[] = [],
  command: readonly string[] = [],
): CounterRequest {
  const { counters, refreshInterval, duration, maxTimeSeries: seriesLimit } = args
  const filter = counters === undefined ? undefined : filterOf(counters)
  const intervalMs = Math.round(refreshInterval * MS_PER_S)
  const durationMs = duration === undefined ? undefined : duration * MS_PER_S
  const values = { ...args }
  const feeds = sources
    .map((source) => source.read(values, { counters, intervalMs, seriesLimit, command }))
    .filter((feed) => feed !== undefined)
  if (feeds.length + (url === undefined ? 0 : 1) !== 1) {
    throw new CommandError(url === undefined ? NO_TARGET : TWO_TARGETS, EXIT_USAGE)
  }
  const namesCounters = filter !== undefined || /[?&]counters=/.test(url ?? '')
  const open = url === undefined ? feeds[0]! : httpFeed(clientOptions(url, args))
  return { open, filter, namesCounters, intervalMs, durationMs, seriesLimit }
}

/**
 * Reads the words of a command line that are no flags: an address, and behind `--` a program to be
 * started. commander takes the two for one list.
 * @throws {CommandError} of wrong usage
 */
export function wordsOf(command: Command): {
  readonly url: string | undefined
  readonly program: readonly string[]
} {
  let root = command
  while (root.parent !== null) root = root.parent
  // an own property of the command that was parsed, which its types leave out
  const { rawArgs = [] } = root as { readonly rawArgs?: readonly string[] }
  const dashes = rawArgs.indexOf('--')
  const count = dashes < 0 ? 0 : rawArgs.length - dashes - 1
  const before = command.args.slice(0, command.args.length - count)
  if (before.length > 1) throw new CommandError(TOO_MANY, EXIT_USAGE)
  return { url: before[0], program: command.args.slice(before.length) }
}

const TOO_MANY = 'want one URL; a program to start stands behind --, as in -- dotnet App.dll'
const NO_TARGET = 'want the URL of an application or hub, or the flags of a process (--help)'
const TWO_TARGETS = 'want either a URL or the flags of a process, not both'

function filterOf(text: string): CounterFilter {
  try {
    return parseFilter(text)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw new CommandError(`Error parsing --counters argument: ${error.message}`, EXIT_USAGE)
  }
}

/** Parses seconds: whole ones as far as the document's grammar goes, others as far as .NET's. */
function parseSeconds(text: string): number {
  const seconds = Number(text)
  const most = Number.isInteger(seconds) ? WHOLE_SECONDS_MAX : SECONDS_MAX
  const isInRange = seconds >= SECONDS_MIN && seconds <= most
  if (/^\d*\.?\d+$/.test(text) && isInRange) return seconds
  const whole = `whole ones up to ${WHOLE_SECONDS_MAX}`
  throw new InvalidArgumentError(`want seconds from ${SECONDS_MIN} to ${SECONDS_MAX}, ${whole}`)
}

/** @returns seconds */
function parseDuration(text: string): number {
  const match = /^(\d{1,5}):([01]?\d|2[0-3]):([0-5]?\d):([0-5]?\d)$/.exec(text)
  const [days, hours, minutes, seconds] = (match?.slice(1) ?? []).map(Number)
  const total = ((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!
  if (total > 0) return total
  throw new InvalidArgumentError('want dd:hh:mm:ss, as 00:00:01:30 for a minute and a half')
}
