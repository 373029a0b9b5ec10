import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GUESTS } from '../dialects/registry.ts'
import type { DialectStatus, HistoryStatus, ListenerStatus, SourcesAnswer } from '../http/api.ts'
import { startReport } from './start-report.ts'

const ADDRESSES = {
  http: { host: '127.0.0.1', port: 4000 },
  text: { host: '127.0.0.1', port: 8125 },
}

/** What a hub with so many ingest threads says of itself. */
function sources(threads: number): SourcesAnswer {
  const worker = (thread: number) => ({
    thread,
    state: 'running' as const,
    segment: thread + 2,
    connections: 0,
    measurements: 0,
    ratePerSecond: 0,
    restarts: 0,
  })
  const none = { sources: [], connections: [], limits: [], errors: [], refusals: [] }
  const workers = Array.from({ length: threads }, (_, thread) => worker(thread))
  return { startedMs: 0, ...none, dialects: [], listeners: [], workers }
}

function dialectOf(name: string, title: string, address: string, tryIt: string): DialectStatus {
  const counts = { ratePerSecond: 0, recent: [], lastDataMs: null, errors: 0, connections: 0 }
  return { name, title, address, tryIt, ...counts, series: 0, role: 'receive' }
}

test('the report says how many threads take text', () => {
  const ingestLine = (threads: number): string | undefined =>
    startReport('text', ADDRESSES, sources(threads))
      .split('\n')
      .find((line) => line.includes('ingest'))
      ?.replace(/\s+/g, ' ')
  assert.equal(ingestLine(0), ' ingest in the main thread')
  assert.equal(ingestLine(1), ' ingest 1 thread')
  assert.equal(ingestLine(4), ' ingest 4 threads')
  const alone = { ...sources(0), workerFailure: 'EAGAIN' }
  assert.match(
    startReport('text', ADDRESSES, alone),
    /ingest +in the main thread: no other one starts \(EAGAIN\)$/m,
  )
  assert.equal(JSON.parse(startReport('json', ADDRESSES, alone)).ingestFailure, 'EAGAIN')
})

test('threads that do not run are not among those that are reported', () => {
  const all = sources(3)
  const [first, ...others] = all.workers!
  const answer = { ...all, workers: [{ ...first!, state: 'starting' as const }, ...others] }
  const report = startReport('text', ADDRESSES, answer)
  assert.match(report, /ingest +2 of 3 threads; the others are tried again$/m)
  assert.equal(JSON.parse(startReport('json', ADDRESSES, answer)).ingestWorkers, 2)
})

test('a dialect that nothing listens for has no line', () => {
  const dialects = [
    dialectOf('text', 'Text', 'udp+tcp 127.0.0.1:8125', ''),
    dialectOf('process', 'Processes', '', ''),
  ]
  const report = startReport('text', ADDRESSES, { ...sources(1), dialects })
  assert.match(report, /^ {2}udp\+tcp 127\.0\.0\.1:8125 +Text$/m)
  assert.doesNotMatch(report, /Processes/)
})

test('the line for machines has addresses and threads', () => {
  assert.deepEqual(JSON.parse(startReport('json', ADDRESSES, sources(2))), {
    ready: true,
    listeners: { http: ADDRESSES.http, text: ADDRESSES.text },
    ingestWorkers: 2,
  })
})

test('what to try leaves out what nothing listens for', () => {
  const place = { name: 'stream', host: '127.0.0.1', port: 5001, transports: ['tcp'] }
  const listener = { ...place, dialects: ['scope'], connections: 0 }
  const dialect = dialectOf('scope', 'Scope', 'tcp', 'nc 127.0.0.1 5001')
  const reportOf = (state: ListenerStatus): string => {
    return startReport('text', ADDRESSES, {
      ...sources(0),
      listeners: [state],
      dialects: [dialect],
    })
  }
  const up = reportOf({ ...listener, state: 'listening' })
  assert.match(up, /Try:\n {2}nc 127\.0\.0\.1 5001\n/)
  const message = 'port is taken by another process'
  const failed = reportOf({ ...listener, state: 'failed', message })
  assert.doesNotMatch(failed, /Try:/)
  assert.doesNotMatch(failed, /nc 127/)
})

test('EventCounters are served with the page, and fail with it', () => {
  const tryIt = "curl -sN 'http://127.0.0.1:4000/api/v1/eventcounters'"
  const dialect = dialectOf('eventcounters', 'EventCounters', 'tcp 127.0.0.1:4000', tryIt)
  const answer = { ...sources(0), dialects: [dialect] }
  const up = startReport('text', ADDRESSES, answer)
  assert.match(up, /tcp 127\.0\.0\.1:4000 +EventCounters\n/)
  assert.ok(up.includes(`Try:\n  ${tryIt}\n`))
  const http = { ...ADDRESSES.http, error: 'port is taken by another process' }
  const down = startReport('text', { ...ADDRESSES, http }, answer)
  assert.match(down, /EventCounters .*not started: port is taken/)
  assert.doesNotMatch(down, /Try:/)
})

test('dialects of one port share its line', () => {
  const [udp, tcp] = ['udp+tcp 127.0.0.1:8125', 'tcp 127.0.0.1:5001']
  const dialects = [
    dialectOf('text', 'Text', udp, ''),
    dialectOf('scope', 'Scope', tcp, ''),
    dialectOf('wallaroo', 'Wallaroo', tcp, ''),
  ]
  const lines = startReport('text', ADDRESSES, { ...sources(1), dialects }).split('\n')
  assert.deepEqual(lines.slice(2, 4), [`  ${udp}  Text`, `  ${tcp}      Scope, Wallaroo`])
})

test('of a usual hub all is seen in 80 columns and 24 rows, behind what npm says', async () => {
  const wide = { host: '127.0.0.1', port: 14000 }
  const dialects = await Promise.all(
    GUESTS.map(async ({ dialect }) => {
      const { name, title, roles, transports, tryIt } = dialect
      const port = { text: 8125, stream: 5001, http: 14000 }[dialect.port?.name ?? '']
      const address = roles.server && port ? `${transports.join('+')} 127.0.0.1:${port}` : ''
      return dialectOf(name, title, address, address && (tryIt?.('127.0.0.1', port!) ?? ''))
    }),
  )
  const history = {
    state: 'on',
    place: '/home/somebody/.local/state/pentameter/history',
    bytesLimit: 2 ** 30,
    keptS: [86_400 * 30, 86_400 * 90, 86_400 * 900],
  } as unknown as HistoryStatus
  const answer = { ...sources(1), dialects, history }
  const reportOf = (screen?: Parameters<typeof startReport>[4]): string[] =>
    startReport('text', { ...ADDRESSES, http: wide }, answer, GUESTS, screen)
      .trimEnd()
      .split('\n')
  const rowsAt = (lines: string[], columns: number): number =>
    lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / columns)), 0)

  const small = reportOf({ columns: 80, rows: 24 })
  assert.ok(rowsAt(small, 80) <= 18, small.join('\n'))
  assert.equal(small.at(-1), 'Ctrl-C stops. The page: http://127.0.0.1:14000/')
  assert.equal(small.at(-3), '  more of them: "tryIt" in http://127.0.0.1:14000/api/v1/sources')
  // what weighs more stays
  const everything = reportOf()
  const tried = everything.indexOf('Try:')
  assert.deepEqual(small.slice(0, tried + 2), everything.slice(0, tried + 2))
  for (const { tryIt } of dialects) assert.ok(tryIt === '' || everything.includes(`  ${tryIt}`))
  assert.deepEqual(reportOf({ columns: 200, rows: 60 }), everything)
})

test('the address of the page is in the last line', () => {
  const report = startReport('text', ADDRESSES, sources(1))
  assert.match(report, /^Pentameter is up\.\n/)
  assert.match(report, /\nCtrl-C stops\. The page: http:\/\/127\.0\.0\.1:4000\/\n$/)
})

test('ports that failed are counted first, each with who holds it and the flag that helps', () => {
  const error = 'port is taken by another process'
  const addresses = { ...ADDRESSES, text: { ...ADDRESSES.text, error } }
  const lines = startReport('text', addresses, sources(1)).split('\n')
  assert.equal(lines[0], 'Pentameter is up, without 1 of its 2 ports; they are tried again:')
  assert.match(lines[1]!, /^ {2}text port 8125: .+; --text-port PORT takes another$/)
  const { ready, failed } = JSON.parse(startReport('json', addresses, sources(1)))
  assert.equal(ready, true)
  assert.partialDeepStrictEqual(failed, [{ name: 'text', port: 8125, error, flag: '--text-port' }])
})

test('a hub without its page says so where the page would stand', () => {
  const http = { ...ADDRESSES.http, error: 'port is taken by another process' }
  const report = startReport('text', { ...ADDRESSES, http }, sources(1))
  assert.match(report, /\nCtrl-C stops\. There is no page\.\n$/)
  assert.doesNotMatch(report, /http:\/\//)
})
