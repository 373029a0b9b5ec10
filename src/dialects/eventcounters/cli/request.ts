/** What both commands are asked for: their shared flags, checked before anything is connected. */
import { type Command, InvalidArgumentError } from 'commander'
import { CommandError, EXIT_USAGE } from '../../../terminal/exit.ts'
import { wholeNumber } from '../../../terminal/flag-values.ts'
import type { EventCountersClientOptions } from '../client.ts'
import { type CounterFilter, FilterError, parseFilter } from '../codec/filter.ts'
import { LIMITS } from '../spec.ts'

export interface RequestArguments {
  readonly counters?: string
  readonly refreshInterval: number
  readonly duration?: number
  readonly maxTimeSeries: number
}

export interface CounterRequest {
  readonly client: EventCountersClientOptions
  readonly filter: CounterFilter | undefined
  readonly intervalMs: number
  readonly durationMs: number | undefined
  readonly seriesLimit: number
}

const MS_PER_S = 1000
const SERIES_LIMIT = 1000
const parseCount = wholeNumber({ min: 1, max: 1_000_000 })

export function addRequestOptions(command: Command): Command {
  return command
    .argument(
      '<url>',
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
}

/** @throws {CommandError} of wrong usage, for a list of counters that is none */
export function requestOf(url: string, args: RequestArguments): CounterRequest {
  const { counters, refreshInterval, duration, maxTimeSeries } = args
  return {
    client: {
      url: url.includes('://') ? url : `http://${url}`,
      intervalMs: refreshInterval * MS_PER_S,
      profile: Number.isInteger(refreshInterval) ? 'document' : 'peer',
      ...(counters === undefined ? {} : { counters }),
    },
    filter: counters === undefined ? undefined : filterOf(counters),
    intervalMs: Math.round(refreshInterval * MS_PER_S),
    durationMs: duration === undefined ? undefined : duration * MS_PER_S,
    seriesLimit: maxTimeSeries,
  }
}

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
  const most = Number.isInteger(seconds)
    ? LIMITS.documentIntervalSecMax
    : LIMITS.peerIntervalMsMax / MS_PER_S
  const isInRange = seconds >= LIMITS.peerIntervalMsMin / MS_PER_S && seconds <= most
  if (/^\d*\.?\d+$/.test(text) && isInRange) return seconds
  throw new InvalidArgumentError(`want seconds from 0.001 to ${most}, as 1 or 0.25`)
}

/** @returns seconds */
function parseDuration(text: string): number {
  const match = /^(\d{1,5}):([01]?\d|2[0-3]):([0-5]?\d):([0-5]?\d)$/.exec(text)
  const [days, hours, minutes, seconds] = (match?.slice(1) ?? []).map(Number)
  const total = ((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!
  if (total > 0) return total
  throw new InvalidArgumentError('want dd:hh:mm:ss, as 00:00:01:30 for a minute and a half')
}
