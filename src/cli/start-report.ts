/** Text for a person, or a line for a program, once the hub is up. */

import type { BoundAddress, PortAddresses } from '../dialects/endpoints.ts'
import type { Guest } from '../dialects/guest.ts'
import { HTTP_PORT } from '../dialects/options.ts'
import { GUESTS } from '../dialects/registry.ts'
import type { SourcesAnswer } from '../http/api.ts'
import { tableLines } from '../terminal/index.ts'
import type { LogFormat } from './log.ts'

/** @param addresses by port; that of HTTP is always among them */
export function startReport(
  format: LogFormat,
  addresses: PortAddresses,
  { listeners, dialects, workers = [], exports = [] }: SourcesAnswer,
  guests: readonly Guest[] = GUESTS,
): string {
  if (format === 'json') {
    const udpReceive = receiveOf(listeners)
    const targets = exports.map(({ name, url }) => ({ name, url }))
    const start = { ready: true, listeners: addresses, ingestWorkers: workers.length, udpReceive }
    const whole = targets.length === 0 ? start : { ...start, exports: targets }
    return `${JSON.stringify(whole)}\n`
  }
  const http = addresses[HTTP_PORT.name]!
  const base = `http://${hostInUrl(http)}`
  const httpState = http.error ? `   not started: ${http.error}` : ''
  const servedByHttp = new Set(
    guests.filter(({ dialect }) => dialect.port === HTTP_PORT).map(({ dialect }) => dialect.name),
  )
  const failureOf = (name: string) =>
    servedByHttp.has(name) ? http.error : whyNotStarted(name, listeners)
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
  const table = tableLines(rows)
    .map((line) => `  ${line}`)
    .join('\n')
  const tries = dialects
    .filter(({ name, tryIt }) => tryIt !== '' && failureOf(name) === undefined)
    .map(({ tryIt }) => `  ${tryIt}`)
    .join('\n')
  const trying = tries === '' ? '' : `Try:\n${tries}\n\n`
  return `Pentameter is up.\n\n${table}\n\n${trying}Ctrl-C stops.\n`
}

/** Tells why a dialect can't be reached; undefined where it can, and where nothing must listen. */
function whyNotStarted(dialect: string, listeners: SourcesAnswer['listeners']): string | undefined {
  const listener = listeners.find(({ dialects }) => dialects.includes(dialect))
  return listener?.state === 'failed' ? listener.message : undefined
}

/** Tells how datagrams come in, where any do. */
function receiveOf(listeners: SourcesAnswer['listeners']): 'dgram' | 'recvmmsg' | undefined {
  return listeners.find(({ udpReceive }) => udpReceive !== undefined)?.udpReceive
}

function ingestWords(threads: number): string {
  if (threads === 0) return 'in the main thread'
  return threads === 1 ? '1 thread' : `${threads} threads`
}

function hostInUrl({ host, port }: BoundAddress): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `${name.includes(':') ? `[${name}]` : name}:${port}`
}
