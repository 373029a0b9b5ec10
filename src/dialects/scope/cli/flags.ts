/** Flags of `pentameter scope`: names and meanings of the original viewer, checked before all. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { BoardOptions } from '../../../model/board/board.ts'
import {
  CHART_ASPECT,
  CHART_COLUMNS,
  type PlotOption,
  parseBounded,
  parseBoundedCount,
  parsePlot,
  parseSeconds,
  parseSma,
  parseSource,
  parseTrigger,
  parseYRange,
  type SmaOption,
  type SourceAddress,
  TIME_WINDOW_S,
  type TriggerOption,
  type YRange,
} from '../../../model/board/options.ts'
import { CommandError, EXIT_USAGE } from '../../../terminal/exit.ts'
import { type HubAddress, parseHub } from '../../../terminal/hub/address.ts'
import { parseStatistic, type Statistic, streamIntervalS } from '../../../viewer/board/measures.ts'

/** Flags as commander gives them. */
export interface ScopeArguments {
  readonly samplingInterval?: number
  readonly timeout?: number
  readonly hideLegend?: boolean
  readonly timeWindow: number
  readonly chartCols?: number
  readonly chartAspect?: number
  readonly theme: 'system' | 'dark' | 'light'
  readonly yRange: readonly YRange[]
  readonly sma: readonly SmaOption[]
  readonly trigger: readonly TriggerOption[]
  readonly plot: readonly PlotOption[]
  readonly hub?: HubAddress
  readonly statistics: readonly Statistic[]
  readonly record?: string
  readonly replay?: string
  readonly json?: boolean
  /** False with --no-color. */
  readonly color: boolean
}

/** Wishes of the person about the picture. */
export interface ViewOptions {
  readonly hasLegend: boolean
  /** Undefined: as many as fit, two at most. */
  readonly chartColumns: number | undefined
  /** Width by height; undefined: the plots share the screen. */
  readonly chartAspect: number | undefined
}

export interface ScopeRequest {
  /** Exporter to read from, without a hub. */
  readonly exporter: SourceAddress | undefined
  /** File that takes what the exporter sends. */
  readonly record: string | undefined
  /** Recording that is played, in place of an exporter. */
  readonly replay: string | undefined
  readonly hub: HubAddress | undefined
  /** Words that series of a hub have to match; empty with an exporter. */
  readonly selector: string
  /** Statistics that are drawn of a hub's distributions. */
  readonly statistics: readonly Statistic[]
  readonly intervalS: number
  readonly timeoutS: number
  readonly board: BoardOptions
  readonly view: ViewOptions
}

const SCHEME = 'scope://'
/** Defaults of -s and -t, in seconds. */
const INTERVAL_S = 0.1
const TIMEOUT_S = 10

/** Makes the parser of a flag, which says what is wanted where the text is something else. */
function wanted<T>(parse: (text: string) => T | undefined, want: string): (text: string) => T {
  return (text) => {
    const value = parse(text)
    if (value === undefined) throw new InvalidArgumentError(`want ${want}`)
    return value
  }
}

/** Makes the parser of a flag that may be given several times. */
function repeated<T>(parse: (text: string) => T | undefined, want: string) {
  const one = wanted(parse, want)
  return (text: string, before: readonly T[]): readonly T[] => [...before, one(text)]
}

/** Reads `p50,p99.9,max`. */
function parseStatistics(text: string): readonly Statistic[] | undefined {
  const found = text.split(',').map((each) => parseStatistic(each.trim()))
  const known = found.filter((each) => each !== undefined)
  return known.length === found.length ? [...new Set(known)] : undefined
}

export function addFlags(command: Command): Command {
  return command
    .argument('[source]', 'HOST[:PORT] of an exporter, port 5001 unless given; with --hub a filter')
    .addOption(
      new Option(
        '-s, --sampling-interval <seconds>',
        'how often values are asked for; of a hub 0.01 to 0.999 (default: 0.1)',
      ).argParser(wanted(parseSeconds, 'seconds above 0, as 0.02')),
    )
    .addOption(
      new Option(
        '-t, --timeout <seconds>',
        'until an exporter is connected, or is taken for silent (default: 10)',
      ).argParser(wanted(parseSeconds, 'seconds above 0')),
    )
    .addOption(
      new Option('-w, --time-window <seconds>', 'time that is shown, 1 to 600')
        .argParser(wanted((text) => parseBounded(text, TIME_WINDOW_S), 'seconds, 1 to 600'))
        .default(TIME_WINDOW_S.standard),
    )
    .option(
      '--chart-cols <count>',
      'plots side by side, 1 to 10 (default: two, where they fit)',
      wanted((text) => parseBoundedCount(text, CHART_COLUMNS), 'a whole number, 1 to 10'),
    )
    .option(
      '--chart-aspect <factor>',
      "a plot's width by its height, 1 to 5 (default: as the screen has room)",
      wanted((text) => parseBounded(text, CHART_ASPECT), 'a number, 1 to 5'),
    )
    .addOption(
      new Option('--y-range <plot=min,max>', 'ends of a Y axis; either may be empty; repeatable')
        .argParser(repeated(parseYRange, 'PLOT=[MIN],[MAX], with MIN below MAX'))
        .default([], 'automatic'),
    )
    .addOption(
      new Option('--sma <key=window>', 'moving average over samples, or 2s; repeatable')
        .argParser(repeated(parseSma, 'KEY=SAMPLES or KEY=SECONDSs'))
        .default([], 'none'),
    )
    .addOption(
      new Option('--trigger <key=below,above>', 'hold at a value; either may be empty; repeatable')
        .argParser(repeated(parseTrigger, 'KEY=[BELOW],[ABOVE]'))
        .default([], 'none'),
    )
    .addOption(
      new Option('--plot <name=plot>', 'put a series into a plot by hand; repeatable')
        .argParser(repeated(parsePlot, 'NAME=PLOT'))
        .default([], 'as their senders say'),
    )
    .option('--hide-legend', 'no names and values above the plots')
    .addOption(
      new Option('--theme <theme>', 'paper of the terminal')
        .choices(['system', 'dark', 'light'])
        .default('system'),
    )
    .option('--hub <host:port>', 'series of a hub, those that match the filter', parseHub)
    .addOption(
      new Option('--statistics <list>', 'drawn of distributions: mean, min, max, p50, p99.9')
        .argParser(wanted(parseStatistics, 'mean, min, max or percentiles, with commas'))
        .default(['p50', 'p99'], 'p50,p99'),
    )
    .option('--record <file>', 'keep what the exporter sends, with its times, in a new file')
    .option('--replay <file>', 'play a recording, at its own interval, in place of an exporter')
    .option('--no-color', 'no colours; NO_COLOR in the environment does the same')
    .option('--json', 'one JSON line per snapshot')
}

/** @throws {CommandError} of wrong usage, for a source that is none */
export function requestOf(source: string | undefined, args: ScopeArguments): ScopeRequest {
  const { hub, statistics, record, replay } = args
  checkSource(source, args)
  const intervalS = args.samplingInterval ?? INTERVAL_S
  return {
    exporter: hub === undefined && replay === undefined ? exporterOf(source) : undefined,
    selector: hub === undefined ? '' : (source ?? ''),
    ...{ hub, statistics, record, replay },
    intervalS: hub === undefined ? intervalS : streamIntervalS(intervalS),
    timeoutS: args.timeout ?? TIMEOUT_S,
    board: {
      windowS: args.timeWindow,
      yRanges: args.yRange,
      averages: args.sma,
      triggers: args.trigger,
      plots: Object.fromEntries(args.plot.map(({ name, plot }) => [name, plot])),
    },
    view: {
      hasLegend: args.hideLegend !== true,
      chartColumns: args.chartCols,
      chartAspect: args.chartAspect,
    },
  }
}

/** @throws {CommandError} of wrong usage, for options that go with no such source */
function checkSource(source: string | undefined, args: ScopeArguments): void {
  const { hub, record, replay, samplingInterval, timeout } = args
  if (replay !== undefined && (source !== undefined || hub !== undefined || record !== undefined)) {
    const message = '--replay has all in its file: no source, --hub or --record goes with it'
    throw new CommandError(message, EXIT_USAGE)
  }
  if (replay !== undefined && (samplingInterval !== undefined || timeout !== undefined)) {
    const flag = samplingInterval === undefined ? '-t' : '-s'
    const message = `${flag} is for an exporter: a recording plays in its own time, leave it out`
    throw new CommandError(message, EXIT_USAGE)
  }
  if (hub === undefined) return
  if (record !== undefined) {
    const message = '--record keeps what an exporter sends: give HOST[:PORT] in place of --hub'
    throw new CommandError(message, EXIT_USAGE)
  }
  if (timeout !== undefined) {
    const message = '-t is for an exporter: with --hub leave it out'
    throw new CommandError(message, EXIT_USAGE)
  }
}

function exporterOf(source: string | undefined): SourceAddress {
  if (source === undefined) {
    const message = 'scope of what? Give HOST[:PORT] of an exporter, --hub or --replay'
    throw new CommandError(message, EXIT_USAGE)
  }
  const text = source.startsWith(SCHEME) ? source.slice(SCHEME.length).replace(/\/$/, '') : source
  const address = parseSource(text)
  if (address !== undefined) return address
  throw new CommandError(
    `${source} is no address: want HOST, HOST:PORT, [V6]:PORT, with a port of 1 to 65535`,
    EXIT_USAGE,
  )
}
