/**
 * What to scrape, of an address or of a target of a job: where, how often, and with which labels.
 * Rules for targets see the labels that Prometheus has for them: `__address__`, `__scheme__`,
 * `__metrics_path__`, `__param_NAME`, `__scrape_interval__` and `__scrape_timeout__`.
 */
import { addressText, hostOf } from '../../../model/text/address.ts'
import type { Target } from '../../endpoints.ts'
import {
  INTERVAL_MS_MAX,
  INTERVAL_MS_MIN,
  type JobConfig,
  type ScrapingOptions,
} from '../options.ts'
import { Relabelling } from '../relabel.ts'
import { METRICS_PATH, SCHEMES, USUAL_JOB } from '../spec.ts'

const PARAMETER = '__param_'
const PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 }
const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
/** Options of an address that are not the target's own. */
const OWN = { job: 'job', interval: 'interval', timeout: 'timeout' } as const

/** Address of a target as given. */
interface GivenTarget {
  readonly scheme: string
  /** `HOST:PORT`, the port perhaps left out. */
  readonly address: string
  readonly path: string
  /** Parameters that the target is asked with. */
  readonly query: URLSearchParams
  readonly job: string | undefined
  readonly intervalMs: number | undefined
  readonly timeoutMs: number | undefined
}

export interface ScrapeTarget {
  readonly url: URL
  readonly host: string
  readonly port: number
  /** Labels of all its series, sorted by nothing. */
  readonly labels: ReadonlyMap<string, string>
  /** Label instance, by which people know it. */
  readonly instance: string
  readonly intervalMs: number
  readonly timeoutMs: number
  readonly honorLabels: boolean
  readonly metricRules: Relabelling
}

/**
 * Makes a target of an address.
 * @returns undefined where the rules of its job drop it
 * @throws {TypeError} for an address that makes no sense
 */
export function scrapeTarget(
  target: Target,
  options: Pick<ScrapingOptions, 'jobs' | 'intervalMs' | 'timeoutMs'>,
): ScrapeTarget | undefined {
  const given = givenTarget(target.url ?? '')
  const job = options.jobs.find(({ name }) => name === given.job)
  const intervalMs = given.intervalMs ?? (job?.intervalMs || options.intervalMs)
  const timeoutMs = given.timeoutMs ?? (job?.timeoutMs || options.timeoutMs)
  const labels = discovered(given, job, intervalMs, timeoutMs)
  if (!new Relabelling(job?.relabel ?? []).apply(labels)) return undefined
  return relabelled(labels, given, job)
}

function discovered(
  { scheme, address, path, query, job: name = USUAL_JOB }: GivenTarget,
  job: JobConfig | undefined,
  intervalMs: number,
  timeoutMs: number,
): Map<string, string> {
  const labels = new Map(Object.entries(job?.labels ?? {}))
  labels.set('job', name)
  labels.set('__address__', address)
  labels.set('__scheme__', scheme)
  labels.set('__metrics_path__', path)
  labels.set('__scrape_interval__', `${intervalMs}ms`)
  labels.set('__scrape_timeout__', `${timeoutMs}ms`)
  for (const key of new Set(query.keys())) labels.set(PARAMETER + key, query.get(key)!)
  return labels
}

function relabelled(
  labels: Map<string, string>,
  { query }: GivenTarget,
  job: JobConfig | undefined,
): ScrapeTarget {
  const of = (name: string): string => labels.get(name) ?? ''
  const scheme = of('__scheme__')
  if (PORTS[scheme] === undefined) throw new TypeError(`scheme ${scheme}, want http or https`)
  const text = of('__address__')
  const address = /:\d+$/.test(text) ? text : `${text}:${PORTS[scheme]}`
  const base = `${scheme}://${address}${of('__metrics_path__')}`
  if (text === '' || !URL.canParse(base)) throw new TypeError(`${base} is no address`)
  const url = new URL(base)
  for (const [key, value] of query) url.searchParams.append(key, value)
  for (const [name, value] of labels) {
    const key = name.slice(PARAMETER.length)
    if (name.startsWith(PARAMETER) && query.get(key) !== value) url.searchParams.set(key, value)
  }
  const intervalMs = durationMs('__scrape_interval__', of('__scrape_interval__'))
  const timeoutMs = durationMs('__scrape_timeout__', of('__scrape_timeout__'))
  const instance = labels.get('instance') ?? address
  labels.set('instance', instance)
  return {
    ...{ url, host: hostOf(address), port: Number(address.slice(address.lastIndexOf(':') + 1)) },
    labels: new Map([...labels].filter(([name, value]) => !name.startsWith('__') && value !== '')),
    ...{ instance, intervalMs, timeoutMs: Math.min(timeoutMs, intervalMs) },
    honorLabels: job?.honorLabels ?? false,
    metricRules: new Relabelling(job?.metricRelabel ?? []),
  }
}

/**
 * Reads `prometheus+http://HOST:PORT/PATH?job=NAME&interval=15s&timeout=5s&…`.
 * @throws {TypeError} for an address that makes no sense
 */
function givenTarget(text: string): GivenTarget {
  const http = text.replace(/^[a-z]+\+/, '')
  if (!URL.canParse(http)) throw new TypeError(`want ${SCHEMES[0]}://HOST:PORT/PATH?interval=15s`)
  const url = new URL(http)
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('an address with a user name or password: it would be shown to all')
  }
  const { searchParams } = url
  const own = (name: string): string | undefined => {
    const values = searchParams.getAll(name)
    if (values.length > 1) throw new TypeError(`${name} is there twice`)
    searchParams.delete(name)
    return values[0]
  }
  const job = own(OWN.job)
  const [interval, timeout] = [own(OWN.interval), own(OWN.timeout)]
  const scheme = url.protocol.slice(0, -1)
  return {
    scheme,
    address: addressText(url.hostname, Number(url.port === '' ? PORTS[scheme] : url.port)),
    // the root is where nothing was said
    path: url.pathname === '/' ? METRICS_PATH : url.pathname,
    ...{ query: searchParams, job },
    intervalMs: interval === undefined ? undefined : durationMs(OWN.interval, interval),
    timeoutMs: timeout === undefined ? undefined : durationMs(OWN.timeout, timeout),
  }
}

/** Reads `15s`, `500ms`, `1m` or `1m30s`. */
function durationMs(name: string, text: string): number {
  const isTime = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)
  let ms = 0
  for (const [, number, unit] of isTime ? text.matchAll(/([\d.]+)(ms|s|m|h)/g) : []) {
    ms += Number(number) * MS_PER_UNIT[unit!]!
  }
  if (ms >= INTERVAL_MS_MIN && ms <= INTERVAL_MS_MAX) return Math.round(ms)
  throw new TypeError(`${name} ${JSON.stringify(text)}, want a time as 15s, 500ms or 1m`)
}

/** Tells whether both addresses are of one target of one job. */
export function sharesSeries(one: Target, other: Target): boolean {
  const [a, b] = [one, other].map(({ url = '' }) => {
    const { scheme, address, path, query, job = USUAL_JOB } = givenTarget(url)
    query.sort()
    return `${job}\n${scheme}://${address}${path}?${query}`
  })
  return a === b
}

/** Lists the addresses of the targets of jobs that their rules do not drop. */
export function jobAddresses(
  options: Pick<ScrapingOptions, 'jobs' | 'intervalMs' | 'timeoutMs'>,
): string[] {
  return options.jobs.flatMap((job) =>
    job.targets.flatMap((text) => {
      const hasScheme = /^[a-z+]+:\/\//.test(text)
      const plain = text.includes('/') ? text : text + job.path
      const address = hasScheme ? text.replace(/^prometheus\+/, '') : `${job.scheme}://${plain}`
      const mark = address.includes('?') ? '&' : '?'
      const url = `prometheus+${address}${mark}${OWN.job}=${encodeURIComponent(job.name)}`
      return isDropped(url, options) ? [] : [url]
    }),
  )
}

function isDropped(url: string, options: Parameters<typeof scrapeTarget>[1]): boolean {
  try {
    return scrapeTarget({ transport: 'tcp', host: '', port: 0, url }, options) === undefined
  } catch (error) {
    // who connects to it says what is wrong
    if (error instanceof TypeError) return false
    throw error
  }
}
