/** Text for a person, or a line for a program, once the hub is up. */

import type { BoundAddress, PortAddresses } from '../dialects/endpoints.ts'
import type { Guest } from '../dialects/guest.ts'
import { HTTP_PORT } from '../dialects/options.ts'
import { GUESTS } from '../dialects/registry.ts'
import type { HistoryStatus, SourcesAnswer } from '../http/api.ts'
import { addressText } from '../model/text/address.ts'
import { tableLines } from '../terminal/index.ts'
import { failedPorts, failureLines } from './failed-ports.ts'
import type { LogFormat } from './log.ts'

/**
 * Writes the report. The address of the page comes last: what scrolls away is above it.
 * @param addresses by port; that of HTTP is always among them
 */
export function startReport(
  format: LogFormat,
  addresses: PortAddresses,
  { listeners, dialects, workers = [], workerFailure, exports = [], history }: SourcesAnswer,
  guests: readonly Guest[] = GUESTS,
): string {
  const failed = failedPorts(addresses)
  const running = workers.filter(({ state }) => state === 'running').length
  if (format === 'json') {
    const udpReceive = receiveOf(listeners)
    const targets = exports.map(({ name, url }) => ({ name, url }))
    const start = { ready: true, listeners: addresses, ingestWorkers: running, udpReceive }
    const alone = workerFailure !== undefined && { ingestFailure: workerFailure }
    const parts = [
      alone,
      failed.length > 0 && { failed },
      targets.length > 0 && { exports: targets },
      history !== undefined && { history },
    ]
    return `${JSON.stringify(Object.assign({}, start, ...parts))}\n`
  }
  const http = addresses[HTTP_PORT.name]!
  const base = `http://${hostInUrl(http)}`
  const servedByHttp = new Set(
    guests.filter(({ dialect }) => dialect.port === HTTP_PORT).map(({ dialect }) => dialect.name),
  )
  const failureOf = (name: string) =>
    servedByHttp.has(name) ? http.error : whyNotStarted(name, listeners)
  const rows: string[][] = []
  for (const { name, title, address } of dialects) {
    // one that only dials, or is dialled at a path, has no address of its own
    if (address === '') continue
    const failure = failureOf(name)
    rows.push([title, `${address}${failure === undefined ? '' : `   not started: ${failure}`}`])
  }
  if (http.error === undefined) rows.push(['Prometheus', `${base}/metrics`])
  rows.push(['ingest', ingestWords(running, workers.length, workerFailure)])
  for (const { name, url, intervalMs } of exports) {
    rows.push([name.toUpperCase(), `to ${url} every ${intervalMs / 1000} s`])
  }
  if (history !== undefined) {
    const [place, ...rest] = historyWords(history).split('\n')
    rows.push(['history', place!], ...rest.map((line) => ['', line]))
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
  const heading = headingOf(failed.length, Object.keys(addresses).length)
  const failures = failureLines(failed).map((line) => `  ${line}\n`)
  const body = `${heading}\n${failures.join('')}\n${table}\n\n${trying}`
  if (http.error !== undefined) return `${body}Ctrl-C stops. There is no page.\n`
  return `${body}Ctrl-C stops. The page: ${base}/\n`
}

/** Tells where the history is and how much of it there may be, or why there is none. */
function historyWords(history: HistoryStatus): string {
  const { place, state, message, bytesLimit = 0, keptS = [] } = history
  if (state === 'off') return `none: ${message}`
  const [seconds, minutes, hours] = keptS.map((s) => `${Math.round(s / 86_400)} days`)
  const kept = `seconds for ${seconds}, minutes for ${minutes}, hours for ${hours}`
  return `${place}\n${Math.round(bytesLimit / 2 ** 20)} MiB at most: ${kept}`
}

function headingOf(failed: number, all: number): string {
  if (failed === 0) return 'Pentameter is up.'
  return `Pentameter is up, without ${failed} of its ${all} ports; they are tried again:`
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

function ingestWords(running: number, threads: number, failure: string | undefined): string {
  if (failure !== undefined) return `in the main thread: no other one starts (${failure})`
  if (threads === 0) return 'in the main thread'
  if (running < threads) return `${running} of ${threads} threads; the others are tried again`
  return threads === 1 ? '1 thread' : `${threads} threads`
}

function hostInUrl({ host, port }: BoundAddress): string {
  return addressText(host === '0.0.0.0' || host === '::' ? 'localhost' : host, port)
}
