import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { compileFilter } from '../../../../../test/filters/compile.ts'
import { filterText } from '../../../../../test/filters/hostile.ts'
import { assembleWat } from '../../../../../test/filters/wat.ts'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { Zone } from '../../../../shm/index.ts'
import { openZoneSpace } from '../../store/space.ts'
import { FilterHost } from '../host.ts'
import { FilterModule } from '../module/module.ts'
import type { FilterLogLine, FilterOptions } from '../options.ts'
import type { FilterOutcome, FilterRequest } from './exchange.ts'

const messages = FilterModule.compile(await compileFilter('messages'))

async function pass(
  request: FilterRequest,
  options: Partial<FilterOptions> = {},
): Promise<FilterOutcome> {
  const space = openZoneSpace({ shared: Zone.create().shared })
  const parts = { space, clock: new FakeClock() }
  return FilterHost.start(await messages, { name: 'f', ...options }, parts).request(request)
}

/** What the filter told of itself. */
function told(outcome: FilterOutcome): Record<string, string> {
  return Object.fromEntries(outcome.response.headers.filter(([name]) => name.startsWith('x-')))
}

test('headers are added, replaced without regard to case, and removed', async () => {
  const headers = [
    [':path', '/'],
    ['x-twice', 'a'],
    ['X-Secret', 'word'],
    ['x-twice', 'b'],
  ] as const
  const outcome = await pass({ headers })
  assert.equal(outcome.verdict, 'completed')
  assert.deepEqual(outcome.request.headers, [
    [':path', '/'],
    ['x-twice', 'once'],
    ['x-new', 'first'],
    ['x-new', 'second'],
  ])
  assert.equal(told(outcome)['x-seen'], '4 1')
  assert.equal(told(outcome)['x-pairs'], 'true')
})

test('a whole map is read and written in one call', async () => {
  const outcome = await pass({
    headers: [
      [':path', '/copy'],
      ['ü', '✓'],
    ],
    trailers: [],
  })
  assert.deepEqual(outcome.request.trailers, outcome.request.headers)
  assert.ok(outcome.request.trailers.some(([name, value]) => name === 'ü' && value === '✓'))
})

test('bodies are read in parts and changed at both ends and within', async () => {
  const outcome = await pass({
    headers: [[':path', '/']],
    body: 'abcdefg',
    response: { body: 'old' },
  })
  assert.equal(told(outcome)['x-body'], '7 1 7')
  assert.equal(told(outcome)['x-part'], 'cde')
  assert.equal(Buffer.from(outcome.request.body).toString(), '<<>bcdefg>')
  assert.equal(Buffer.from(outcome.response.body).toString(), 'changed')
})

test('the last callback of a side is told that it is the last', async () => {
  const headers = [[':path', '/']] as const
  const trailers = [['a', 'b']] as const
  assert.equal(told(await pass({ headers }))['x-seen'], '1 1')
  const outcome = await pass({ headers, body: 'x', trailers })
  assert.equal(told(outcome)['x-seen'], '1 0')
  assert.equal(told(outcome)['x-body'], '1 0 1')
  assert.equal(told(outcome)['x-trailers'], '1')
})

test('a response of the filter’s own ends the request there', async () => {
  const outcome = await pass({ headers: [[':path', '/deny']], body: 'unread' })
  assert.equal(outcome.verdict, 'answered')
  assert.equal(outcome.status, 403)
  assert.equal(outcome.reason, 'by rule')
  assert.equal(Buffer.from(outcome.response.body).toString(), 'changed')
  assert.deepEqual(told(outcome), { 'x-denied': '403' })
})

test('a stream that waits fails, one that was continued goes on', async () => {
  const waiting = await pass({ headers: [[':path', '/wait']] })
  assert.equal(waiting.verdict, 'paused')
  assert.equal(waiting.status, 500)
})

test('properties of plugin, request and host are found by their paths', async () => {
  const outcome = await pass(
    {
      headers: [
        [':path', '/'],
        [':method', 'PUT'],
        [':authority', 'there'],
      ],
      body: '12345',
    },
    { rootId: 'root', properties: { 'node.id': 'here' } },
  )
  const seen = told(outcome)
  assert.equal(seen['x-plugin_name'], 'f')
  assert.equal(seen['x-plugin_root_id'], 'root')
  assert.equal(seen['x-request-method'], 'PUT')
  assert.equal(seen['x-request-host'], 'there')
  assert.equal(seen['x-node-id'], 'here')
  assert.equal(seen['x-no-such'], 'status 1')
  assert.equal(seen['x-own'], 'kept')
})

test('time is the host’s clock, contexts are those that there are', async () => {
  const seen = told(await pass({ headers: [[':path', '/']] }))
  assert.equal(seen['x-time'], '1700000000000000000')
  assert.equal(seen['x-contexts'], '0 0 2 0')
  assert.equal(seen['x-outside'], '2', 'no headers in the root context')
})

async function lines(text: string, options: Partial<FilterOptions> = {}): Promise<FilterLogLine[]> {
  const seen: FilterLogLine[] = []
  const module = await FilterModule.compile(await assembleWat(text))
  const space = openZoneSpace({ shared: Zone.create().shared, host: 'nginx' })
  const parts = { space, clock: new FakeClock(), onLog: (line: FilterLogLine) => seen.push(line) }
  const host = FilterHost.start(module, { name: 'f', ...options }, parts)
  host.request()
  host.request()
  return seen
}

test('WASI’s output goes into the log, its environment is what was given', async () => {
  const text = filterText({
    imports: `
      (import "wasi_unstable" "environ_sizes_get" (func $sizes (param i32 i32) (result i32)))
      (import "wasi_unstable" "environ_get" (func $environ (param i32 i32) (result i32)))
      (import "wasi_unstable" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))`,
    onRequest: `
      (drop (call $sizes (i32.const 64) (i32.const 68)))
      (drop (call $environ (i32.const 128) (i32.const 256)))
      (i32.store (i32.const 32) (i32.load (i32.const 132)))
      (i32.store (i32.const 36) (i32.sub (i32.load (i32.const 68)) (i32.const 5)))
      (i32.or
        (call $write (i32.const 2) (i32.const 32) (i32.const 1) (i32.const 72))
        (i32.ne (call $write (i32.const 1) (i32.const 32) (i32.const -1) (i32.const 72))
          (i32.const 21)))`,
  })
  const seen = await lines(text, { environment: { A: 'b', LONG: 'name' } })
  assert.deepEqual(seen[0], { level: 'error', text: 'LONG=name\0'.slice(0, 9) })
})

test('a filter that catches what a host call throws is over nevertheless', async () => {
  const text = filterText({
    imports: `(import "env" "proxy_get_metric" (func $get (param i32 i32) (result i32)))
      (import "env" "proxy_log" (func $log (param i32 i32 i32) (result i32)))`,
    onRequest: `
      (try (do (drop (call $get (i32.const 5) (i32.const 32)))) (catch_all))
      (i32.const 0)`,
  })
  const trap = 'host trap (internal error): could not retrieve metric id "5": metric not found'
  assert.deepEqual(await lines(text), [
    { level: 'error', text: trap },
    { level: 'error', text: trap },
  ])
})
