/**
 * Receivers of what requests took: instruments of a registry, and clients that send lines under the
 * keys of Chef's services, which have dashboards.
 */
import { Counter } from '../plain/counter.ts'
import { Histogram } from '../plain/histogram.ts'
import { EventSource } from '../registry.ts'

/** Place and kind of a request, each text one component of a key. */
export interface RequestKind {
  readonly app: string
  readonly host: string
  /** Kind of request, as a route is one. */
  readonly label: string
  /** Way in which it is asked for, as a method is one. */
  readonly action: string
}

/** Sum of the calls under one label. */
export interface CallTime {
  readonly label: string
  /** Prefix that the label begins with; undefined for none of those that are sent. */
  readonly upstream: string | undefined
  readonly ms: number
  readonly count: number
}

export interface RequestReport extends RequestKind {
  /** Status of the answer, 200 for one. */
  readonly code: number
  readonly ms: number
  readonly calls: readonly CallTime[]
}

/** Receiver of requests; what it throws is counted and goes no further. */
export interface RequestSink {
  /** Takes note of a request that began; label and action lack while its kind is not known. */
  start(request: Pick<RequestKind, 'app' | 'host'> & Partial<RequestKind>): void
  /** Takes what it took, once. */
  report(request: RequestReport, isKindNew: boolean): void
  /** Takes note of an event of the application's own. */
  mark(request: Pick<RequestKind, 'app' | 'host'>, key: string): void
}

/** Client of a text protocol with meters and histograms. */
export interface LineSender {
  send(line: { readonly key: string; readonly value: number; readonly type: 'm' | 'h' }): void
}

/** Lines for requests, under the keys of Chef's services. */
export class RequestLines implements RequestSink {
  readonly #sender: LineSender
  readonly #hasCallCounts: boolean

  constructor(sender: LineSender, hasCallCounts: boolean) {
    this.#sender = sender
    this.#hasCallCounts = hasCallCounts
  }

  start({ app, host, label, action }: Parameters<RequestSink['start']>[0]): void {
    this.#meter(`${app}.application.allRequests`)
    this.#meter(`${app}.${host}.allRequests`)
    if (label !== undefined) this.#meter(`${app}.application.byRequestType.${label}.${action}`)
  }

  report({ app, host, label, action, code, ms, calls }: RequestReport, isKindNew: boolean): void {
    const byType = `${app}.application.byRequestType.${label}.${action}`
    if (isKindNew) this.#meter(byType)
    this.#meter(`${app}.application.byStatusCode.${code}`)
    this.#meter(`${app}.${host}.byStatusCode.${code}`)
    this.#time(`${app}.application.allRequests`, ms)
    this.#time(`${app}.${host}.allRequests`, ms)
    this.#time(byType, ms)
    const sent = calls.filter(({ upstream }) => upstream !== undefined)
    const sums = sumByUpstream(sent)
    for (const [upstream, sum] of sums) this.#time(`${app}.upstreamRequests.${upstream}`, sum.ms)
    for (const call of sent) {
      this.#time(`${app}.upstreamRequests.${call.label}`, call.ms)
      if (this.#hasCallCounts)
        this.#meter(`${app}.upstreamRequests.${call.label}.calls`, call.count)
    }
    for (const [upstream, sum] of sums) this.#time(`${byType}.upstreamRequests.${upstream}`, sum.ms)
  }

  mark({ app, host }: Pick<RequestKind, 'app' | 'host'>, key: string): void {
    this.#meter(`${app}.application.${key}`)
    this.#meter(`${app}.${host}.${key}`)
  }

  #meter(key: string, value = 1): void {
    this.#sender.send({ key, value, type: 'm' })
  }

  /** Sends whole milliseconds, cut off as the original does. */
  #time(key: string, ms: number): void {
    this.#sender.send({ key, value: Math.floor(ms), type: 'h' })
  }
}

/** Adds up calls by their upstream. */
export function sumByUpstream(
  calls: readonly CallTime[],
): ReadonlyMap<string, { ms: number; count: number }> {
  const sums = new Map<string, { ms: number; count: number }>()
  for (const { upstream, ms, count } of calls) {
    if (upstream === undefined) continue
    const sum = sums.get(upstream)
    if (sum === undefined) sums.set(upstream, { ms, count })
    else {
      sum.ms += ms
      sum.count += count
    }
  }
  return sums
}

/**
 * Makes instruments that take requests: a counter `requests` by route, method and status, and
 * distributions `request-time` and `upstream-time` in ms; on `/metrics`, in sessions, in a hub.
 * @param source where they are defined; `Requests` of the default registry when not given
 * @throws {ZoneFullError} where the registry's shared memory cannot be made
 * @example
 * import { RequestRecorder, requestInstruments } from 'pentameter/instrument'
 *
 * const requests = new RequestRecorder({ app: 'shop', to: [requestInstruments()] })
 * const request = requests.start('cart', 'GET')
 * request.report(200)
 */
export function requestInstruments(source = new EventSource('Requests')): RequestSink {
  const kind = ['route', 'method'] as const
  const started = new Counter('requests-started', source, { description: 'Requests begun' })
  const answered = new Counter('requests', source, {
    description: 'Requests answered',
    labels: [...kind, 'status'],
  })
  const time = new Histogram('request-time', source, { unit: 'ms', labels: kind })
  const upstreamTime = new Histogram('upstream-time', source, {
    unit: 'ms',
    labels: ['call'],
    description: 'Time of a request in calls under a label',
  })
  const marks = new Counter('marks', source, { labels: ['key'] })
  return {
    start: () => started.add(),
    report({ label: route, action: method, code, ms, calls }) {
      answered.with({ route, method, status: String(code) }).add()
      time.with({ route, method }).record(ms)
      for (const call of calls) upstreamTime.with({ call: call.label }).record(call.ms)
    },
    mark: (_request, key) => marks.with({ key }).add(),
  }
}
