import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SourcesAnswer } from '../http/api.ts'
import { startReport } from './start-report.ts'

const ADDRESSES = {
  http: { host: '127.0.0.1', port: 4000 },
  text: { host: '127.0.0.1', port: 8125 },
  stream: undefined,
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
  return { ...none, dialects: [], listeners: [], workers }
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
})

test('the line for machines has addresses and threads', () => {
  assert.deepEqual(JSON.parse(startReport('json', ADDRESSES, sources(2))), {
    ready: true,
    listeners: { http: ADDRESSES.http, text: ADDRESSES.text },
    ingestWorkers: 2,
  })
})

test('what to try leaves out what nothing listens for', () => {
  const listener = { host: '127.0.0.1', transports: ['tcp'], peers: 0, recent: [] }
  const scope = { ...listener, name: 'stream', port: 5001, dialects: ['scope'] }
  const failed = { ...scope, state: 'failed', message: 'port is taken by another process' }
  const dialect = { name: 'scope', title: 'Scope', address: 'tcp', tryIt: 'nc 127.0.0.1 5001' }
  const reportOf = (state: object): string => {
    const answer = { ...sources(0), listeners: [state], dialects: [dialect] }
    return startReport('text', ADDRESSES, answer as unknown as SourcesAnswer)
  }
  assert.match(reportOf({ ...scope, state: 'listening' }), /Try:\n {2}nc 127\.0\.0\.1 5001\n/)
  assert.doesNotMatch(reportOf(failed), /Try:|nc 127/)
})

test('EventCounters are served with the page, and fail with it', () => {
  const tryIt = "curl -sN 'http://127.0.0.1:4000/api/v1/eventcounters'"
  const title = 'EventCounters'
  const dialect = { name: 'eventcounters', title, address: 'tcp 127.0.0.1:4000', tryIt }
  const answer = { ...sources(0), dialects: [dialect] } as unknown as SourcesAnswer
  const up = startReport('text', ADDRESSES, answer)
  assert.match(up, /EventCounters +tcp 127\.0\.0\.1:4000\n/)
  assert.ok(up.includes(`Try:\n  ${tryIt}\n`))
  const http = { ...ADDRESSES.http, error: 'port is taken by another process' }
  const down = startReport('text', { ...ADDRESSES, http }, answer)
  assert.match(down, /EventCounters .*not started: port is taken/)
  assert.doesNotMatch(down, /Try:/)
})
