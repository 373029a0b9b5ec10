/**
 * The query of a request for a session (eventcounters.md §2): of a repeated parameter the first
 * occurrence counts, others than these are ignored, and no text makes the reading throw anything
 * but a QueryError.
 */
import type { Profile } from '../../decoder.ts'
import { type CounterFilter, FilterError, parseFilter } from '../codec/filter.ts'
import { type IntervalArgument, parseInterval } from '../codec/interval.ts'
import { INTERVAL_ARGUMENT, LIMITS } from '../spec.ts'

/** Parameter names; letter case matters. */
export const QUERY = Object.freeze({
  interval: INTERVAL_ARGUMENT,
  counters: 'counters',
  profile: 'profile',
  deliver: 'deliver',
})

type Deliver = 'own' | 'all'

export interface SessionQuery {
  readonly profile: Profile
  readonly deliver: Deliver
  /** Filter; undefined = every counter of every source. */
  readonly filter?: CounterFilter
  readonly interval: IntervalArgument
}

/** A request that is answered with 400; the message is the text of the answer. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
  /** Parameter that is to blame. */
  readonly parameter: 'counters' | 'profile' | 'deliver'

  constructor(parameter: QueryError['parameter'], message: string) {
    super(message)
    this.parameter = parameter
  }
}

/**
 * Reads the query of a request target (`/path?query`).
 * @throws {QueryError} for a bad filter or an unknown profile or deliver
 */
export function parseQuery(target: string): SessionQuery {
  const mark = target.indexOf('?')
  // Decodes without throwing: a broken percent sign stays as it is, broken UTF-8 is replaced.
  const parameters = new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1))
  const profile = parameters.get(QUERY.profile) ?? 'document'
  if (!isProfile(profile)) throw unknown('profile', profile, 'document or peer')
  const deliver = parameters.get(QUERY.deliver) ?? 'own'
  if (!isDeliver(deliver)) throw unknown('deliver', deliver, 'own or all')
  const counters = parameters.get(QUERY.counters)
  const filter = counters === null ? {} : { filter: readFilter(counters) }
  const interval = parseInterval(parameters.get(QUERY.interval) ?? undefined, profile)
  return { profile, deliver, interval, ...filter }
}

export function isProfile(text: string): text is Profile {
  return text === 'document' || text === 'peer'
}

export function isDeliver(text: string): text is Deliver {
  return text === 'own' || text === 'all'
}

function readFilter(text: string): CounterFilter {
  try {
    return limited(parseFilter(text))
  } catch (error) {
    if (error instanceof FilterError) throw new QueryError('counters', error.message)
    throw error
  }
}

/** @throws {QueryError} for a list that is longer than any in earnest */
function limited(filter: CounterFilter): CounterFilter {
  const { filterProviders, filterCounters } = LIMITS
  if (filter.length > filterProviders) {
    const message = `counters: ${filter.length} providers, limit ${filterProviders}`
    throw new QueryError('counters', message)
  }
  const size = filter.reduce((sum, { counters }) => sum + counters.length, 0)
  if (size <= filterCounters) return filter
  throw new QueryError('counters', `counters: ${size} names, limit ${filterCounters}`)
}

function unknown(parameter: 'profile' | 'deliver', text: string, known: string): QueryError {
  return new QueryError(parameter, `unknown ${parameter} ${JSON.stringify(text)}, want ${known}`)
}
