/** The feed of an address: a client over HTTP, with advice for people where it fails. */
import { CommandError, EXIT_USAGE } from '../../../terminal/exit.ts'
import type { Clock } from '../../../time/clock.ts'
import type { CounterFeed, FeedError, FeedObserver, OpenFeed } from '../../command-line.ts'
import type { ClientError } from '../client/attempt.ts'
import type { ClientCounts } from '../client/session-reader.ts'
import {
  EventCountersClient,
  type EventCountersClientOptions,
  type EventCountersClientStatus,
  type EventCountersObserver,
} from '../client.ts'
import { seriesText } from '../codec/interval.ts'
import { NAME } from '../spec.ts'

/** The part of a client that is needed. */
interface CounterClient {
  readonly status: Pick<EventCountersClientStatus, 'endpoint'>
  readonly counts: Readonly<ClientCounts>
  start(): Promise<void>
  close(): Promise<void>
}

/** Makes the client; a parameter, so that tests need no socket. */
type Connect = (
  options: EventCountersClientOptions,
  observer: EventCountersObserver,
  clock: Clock,
) => CounterClient

const connectOverHttp: Connect = (options, observer, clock) =>
  new EventCountersClient({ ...options, ...observer, clock })

/** Makes options of a client: whole seconds in the document's grammar, others in .NET's. */
export function clientOptions(
  url: string,
  { counters, refreshInterval }: { readonly counters?: string; readonly refreshInterval: number },
): EventCountersClientOptions {
  return {
    url: url.includes('://') ? url : `${NAME}://${url}`,
    intervalMs: refreshInterval * 1000,
    profile: Number.isInteger(refreshInterval) ? 'document' : 'peer',
    ...(counters === undefined ? {} : { counters }),
  }
}

/** Intervals within which the first window is there. */
const FIRST_WINDOW_INTERVALS = 2

export function httpFeed(
  options: EventCountersClientOptions,
  connect: Connect = connectOverHttp,
): OpenFeed {
  return (observer, clock) => new HttpFeed(options, connect, observer, clock)
}

class HttpFeed implements CounterFeed {
  readonly #options: EventCountersClientOptions
  readonly #client: CounterClient
  readonly troubles: readonly string[] = []
  /** Series as the server names it. */
  #series: string | undefined

  /** @throws {CommandError} of wrong usage, for an address that is none */
  constructor(
    options: EventCountersClientOptions,
    connect: Connect,
    observer: FeedObserver,
    clock: Clock,
  ) {
    this.#options = options
    const own: EventCountersObserver = {
      onOpen: ({ series }) => {
        this.#series = series
        observer.onOpen()
      },
      onWindow: (window) => observer.onWindow(window),
      onError: (error, retryInMs) => observer.onError(feedError(error), retryInMs),
    }
    try {
      this.#client = connect(options, own, clock)
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof RangeError)) throw error
      throw new CommandError(error.message, EXIT_USAGE)
    }
  }

  get target(): string {
    return this.#client.status.endpoint
  }

  get name(): string {
    return this.target
  }

  get errors(): number {
    const { badPayloads, linesTooLong } = this.#client.counts
    return badPayloads + linesTooLong
  }

  silence(intervals: number): string | undefined {
    if (this.#series === 'none') return 'the address asks for no interval: nothing will come'
    const { intervalMs = 1000, profile = 'document', counters } = this.#options
    // another interval than the flag's is one of the address, or of another server
    if (this.#series !== seriesText(Math.round(intervalMs), profile)) return undefined
    if (intervals < 1) return undefined
    const names = counters === undefined ? '' : ' of the names in --counters'
    // a hub closes windows on its own seconds, as they come from elsewhere
    if (intervals < FIRST_WINDOW_INTERVALS) {
      return `no counter${names} yet: the first may take two intervals`
    }
    return counters === undefined ? 'no counters there so far' : `no counter${names}`
  }

  start(): Promise<void> {
    return this.#client.start()
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

function feedError(error: ClientError): FeedError {
  const advice = adviceFor(error)
  return { message: error.message, ...(advice === undefined ? {} : { advice }) }
}

/** Advises what to do about an error, where that can be known. */
function adviceFor({ reason, status }: ClientError): string | undefined {
  if (reason === 'connect') {
    return 'is it running, and does it serve its counters there (EventCountersServer)?'
  }
  if (reason === 'content_type' || reason === 'bad_answer' || reason === 'timeout') {
    return 'something else answers there: check host and port'
  }
  if (reason === 'redirect') return 'give the address that it redirects to'
  if (status === 404) return 'check the path; without one it is /api/v1/eventcounters'
  if (status === 503) return 'too many viewers: end one, or raise the limit of sessions there'
  return undefined
}
