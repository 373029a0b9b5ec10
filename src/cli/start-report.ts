/** Text for a person, or a line for a program, once the hub is up. */

import type { BoundAddress, PortAddresses } from '../dialects/endpoints.ts'
import type { Guest } from '../dialects/guest.ts'
import { HTTP_PORT } from '../dialects/options.ts'
import { GUESTS } from '../dialects/registry.ts'
import type { DialectStatus, HistoryStatus, SourcesAnswer } from '../http/api.ts'
import { addressText } from '../model/text/address.ts'
import { tableLines, textWidth } from '../terminal/index.ts'
import { failedPorts, failureLines } from './failed-ports.ts'
import type { LogFormat } from './log.ts'

/** Size of a terminal, in characters. */
interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

/** Rows beside the report: five of a command that npm has told first, and that of the cursor. */
const OTHER_ROWS = 6

/**
 * Writes the report. The address of the page comes last: what scrolls away is above it. Where the
 * screen is known, nothing does with usual options: what to try, which weighs least, gives way.
 * @param addresses by port; that of HTTP is always among them
 * @param screen the terminal that shows it; none where it is written elsewhere
 */
export function startReport(
  format: LogFormat,
  addresses: PortAddresses,
  { listeners, dialects, workers = [], workerFailure, exports = [], history }: SourcesAnswer,
  guests: readonly Guest[] = GUESTS,
  screen?: ScreenSize,
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
  const rows: string[][] = listenerRows(dialects, failureOf)
  if (http.error === undefined) rows.push(['Prometheus', `${base}/metrics`])
  const receive = receiveOf(listeners)
  const ingest = ingestWords(running, workers.length, workerFailure)
  rows.push(['ingest', receive === undefined ? ingest : `${ingest}; udp by ${receive}`])
  for (const { name, url, intervalMs } of exports) {
    rows.push([name.toUpperCase(), `to ${url} every ${intervalMs / 1000} s`])
  }
  if (history !== undefined) {
    const [place, ...rest] = historyWords(history).split('\n')
    rows.push(['history', place!], ...rest.map((line) => ['', line]))
  }
  const table = tableLines(rows).map((line) => `  ${line}`)
  const failures = failureLines(failed).map((line) => `  ${line}`)
  const heading = headingOf(failed.length, Object.keys(addresses).length)
  const page = http.error === undefined ? `The page: ${base}/` : 'There is no page.'
  const above = [heading, ...failures, '', ...table, '']
  const below = ['', `Ctrl-C stops. ${page}`]
  const commands = dialects
    .filter(({ name, tryIt }) => tryIt !== '' && failureOf(name) === undefined)
    .map(({ tryIt }) => `  ${tryIt}`)
  const room = screen === undefined ? Infinity : screen.rows - OTHER_ROWS
  const columns = screen?.columns ?? Infinity
  const others = http.error === undefined ? `"tryIt" in ${base}/api/v1/sources` : 'a larger screen'
  const rest = `  more of them: ${others}`
  const tries = triesWithin(commands, room - rowsOf([...above, ...below], columns), columns, rest)
  return `${[...above, ...tries, ...(tries.length === 0 ? below.slice(1) : below)].join('\n')}\n`
}

/** Writes a row for each address, with all that is spoken there. */
function listenerRows(
  dialects: readonly DialectStatus[],
  failureOf: (name: string) => string | undefined,
): string[][] {
  // one that only dials, or is dialled at a path, has no address of its own
  const listening = dialects.filter(({ address }) => address !== '')
  return [...Map.groupBy(listening, ({ address }) => address)].map(([address, there]) => {
    const failure = failureOf(there[0]!.name)
    const titles = there.map(({ title }) => title).join(', ')
    return [address, `${titles}${failure === undefined ? '' : `   not started: ${failure}`}`]
  })
}

/** Chooses the commands to try for which there is room; where not for all, the rest ends them. */
function triesWithin(
  commands: readonly string[],
  room: number,
  columns: number,
  rest: string,
): string[] {
  if (commands.length === 0) return []
  const all = ['Try:', ...commands]
  if (rowsOf(all, columns) <= room) return all
  const chosen = ['Try:']
  for (const line of commands) {
    if (rowsOf([...chosen, line, rest], columns) <= room) chosen.push(line)
  }
  return [...chosen, rest]
}

/** Counts the rows that a terminal of so many columns takes for these lines. */
function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0)
}

/** Tells where the history is and how much of it there may be, or why there is none. */
function historyWords(history: HistoryStatus): string {
  const { place, state, message, bytesLimit = 0, keptS = [], isRead, isWritten } = history
  if (state === 'off') return `none: ${message}`
  if (isRead) {
    const failing = message === undefined ? '' : `\nfails: ${message}; it is tried again`
    const written = isWritten
      ? 'what the relay writes is read here'
      : 'this hub writes nothing to it'
    return `${place}\n${written}; totals begin at 0 with each start${failing}`
  }
  const [seconds, minutes, hours] = keptS.map((s) => `${Math.round(s / 86_400)} days`)
  const kept = `seconds for ${seconds}, minutes for ${minutes}, hours for ${hours}`
  const away = state === 'failing' ? `\nnot open yet: ${message}; it is tried again` : ''
  return `${place}\n${Math.round(bytesLimit / 2 ** 20)} MiB at most: ${kept}${away}`
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
