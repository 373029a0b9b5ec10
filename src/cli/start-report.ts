/** What a person, or a program, is told once the hub is up. */
import { dialect as eventcounters } from '../dialects/eventcounters/dialect.ts'
import type { SourcesAnswer } from '../http/api.ts'
import type { LogFormat } from './log.ts'

export interface Address {
  readonly host: string
  readonly port: number
  /** Why nothing listens there (yet). */
  readonly error?: string
}

export interface Addresses {
  readonly http: Address
  readonly text: Address | undefined
  readonly stream: Address | undefined
}

export function startReport(
  format: LogFormat,
  addresses: Addresses,
  { listeners, dialects, workers = [], exports = [] }: SourcesAnswer,
): string {
  if (format === 'json') {
    const udpReceive = receiveOf(listeners)
    const targets = exports.map(({ name, url }) => ({ name, url }))
    const start = { ready: true, listeners: addresses, ingestWorkers: workers.length, udpReceive }
    const whole = targets.length === 0 ? start : { ...start, exports: targets }
    return `${JSON.stringify(whole)}\n`
  }
  const base = `http://${hostInUrl(addresses.http)}`
  const httpState = addresses.http.error ? `   not started: ${addresses.http.error}` : ''
  const failureOf = (name: string) => whyNotStarted(name, listeners, addresses)
  const rows = [['page', `${base}/${httpState}`]]
  for (const { name, title, address } of dialects) {
    const failure = failureOf(name)
    rows.push([title, `${address}${failure === undefined ? '' : `   not started: ${failure}`}`])
  }
  rows.push(['Prometheus', `${base}/metrics`], ['ingest', ingestWords(workers.length)])
  for (const { name, url, intervalMs } of exports) {
    rows.push([name.toUpperCase(), `to ${url} every ${intervalMs / 1000} s`])
  }
  const receive = receiveOf(listeners)
  if (receive !== undefined) rows.push(['udp', receive])
  const width = Math.max(...rows.map(([label]) => label!.length)) + 2
  const table = rows.map(([label, text]) => `  ${label!.padEnd(width)}${text}`).join('\n')
  const tries = dialects
    .filter(({ name, tryIt }) => tryIt !== '' && failureOf(name) === undefined)
    .map(({ tryIt }) => `  ${tryIt}`)
    .join('\n')
  const trying = tries === '' ? '' : `Try:\n${tries}\n\n`
  return `Pentameter is up.\n\n${table}\n\n${trying}Ctrl-C stops.\n`
}

/** Why a dialect can't be reached; undefined where it can, and where nothing has to listen. */
function whyNotStarted(
  dialect: string,
  listeners: SourcesAnswer['listeners'],
  { http }: Addresses,
): string | undefined {
  if (dialect === eventcounters.name) return http.error
  const listener = listeners.find(({ dialects }) => dialects.includes(dialect))
  return listener?.state === 'failed' ? listener.message : undefined
}

/** How datagrams come in, where any do. */
function receiveOf(listeners: SourcesAnswer['listeners']): 'dgram' | 'recvmmsg' | undefined {
  return listeners.find(({ udpReceive }) => udpReceive !== undefined)?.udpReceive
}

function ingestWords(threads: number): string {
  if (threads === 0) return 'in the main thread'
  return threads === 1 ? '1 thread' : `${threads} threads`
}

function hostInUrl({ host, port }: Address): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `${name.includes(':') ? `[${name}]` : name}:${port}`
}
