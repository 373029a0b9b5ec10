import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Command } from 'commander'
import { systemClock } from '../../../time/system-clock.ts'
import { endpointAddress } from '../client/address.ts'
import { CounterEndpoint } from '../test/counter-endpoint.ts'
import { clientOptions } from './http-feed.ts'
import { addCommands } from './index.ts'
import { monitorAsLines } from './monitor/json-lines.ts'
import { type RequestArguments, requestOf } from './request.ts'

const ARGUMENTS: RequestArguments = { refreshInterval: 1, maxTimeSeries: 1000 }

async function run(...args: readonly string[]): Promise<unknown> {
  const program = new Command('pentameter').exitOverride().configureOutput({ writeErr() {} })
  await addCommands(program, { counterSources: async () => [] })
  return program.parseAsync(['counters', ...args], { from: 'user' })
}

const SECONDS = /want seconds from 0\.001 to 2147483\.647, whole ones up to 4294967295/

for (const [args, message] of [
  [
    ['--counters', 'A,,B'],
    /Error parsing --counters argument: Expected non-empty counter_provider/,
  ],
  [
    ['--counters', 'A[x]y'],
    /argument: Unexpected characters after closing ']' in counter_provider/,
  ],
  [['--counters', 'A[x[y'], /argument: Expected to find closing ']' in counter_provider/],
  [['--refresh-interval', '0'], SECONDS],
  [['--refresh-interval', 'abc'], SECONDS],
  [['--refresh-interval', '1e9'], SECONDS],
  [['--refresh-interval', '2147483.648'], SECONDS],
  [['--refresh-interval', '4294967296'], SECONDS],
  [['--duration', '10'], /want dd:hh:mm:ss/],
  [['--duration', '00:24:00:00'], /want dd:hh:mm:ss/],
  [['--duration', '00:00:00:00'], /want dd:hh:mm:ss/],
  [['--max-time-series', '0'], /want a whole number/],
  [['--values', 'raw,mean'], /want one or more of raw, rate, second, minute, hour, total/],
  [['--sort', 'size'], /Allowed choices are name, value, change/],
  [['--threshold', 'cpu'], /want COUNTER>VALUE/],
] as const) {
  test(`wrong usage says what is wrong: ${args.join(' ')}`, async () => {
    await assert.rejects(run('monitor', 'http://127.0.0.1:1', ...args), ({ message: text }) => {
      assert.match(text, message)
      return true
    })
  })
}

test('an address that is none is wrong usage', async () => {
  await assert.rejects(run('collect', 'gopher://x'), { exitCode: 2, message: /scheme gopher:/ })
  await assert.rejects(run('collect', 'http://'), { exitCode: 2 })
  await assert.rejects(run('collect'), { message: /missing required argument/ })
  await assert.rejects(run('collect', 'x', '--format', 'xml'), { message: /choices are csv, json/ })
})

test('a folder, or nothing, is no name of a file', async () => {
  for (const output of [tmpdir(), 'folder/', '']) {
    const wrong = { exitCode: 2, message: /want the name of a file/ }
    await assert.rejects(run('collect', 'http://127.0.0.1:1', '-o', output), wrong)
  }
})

test('a file that can not be looked at is met when it is written', async () => {
  const output = join(tmpdir(), 'x'.repeat(300))
  const told = { message: /^no connection to 127\.0\.0\.1:1/ }
  await assert.rejects(run('collect', 'http://127.0.0.1:1', '-o', output), told)
})

test('an address may leave out its scheme, and then its port, which is that of a hub', () => {
  for (const [text, endpoint] of [
    ['localhost:80', 'localhost:80'],
    ['localhost', 'localhost:4000'],
    ['http://localhost', 'localhost:80'],
  ] as const) {
    assert.equal(endpointAddress(clientOptions(text, ARGUMENTS)).endpoint, endpoint)
  }
  assert.equal(clientOptions('eventcounters://h', ARGUMENTS).url, 'eventcounters://h')
})

test('whole seconds are asked for in the document’s grammar, fractions in that of .NET', () => {
  const asked = (refreshInterval: number) => {
    const args = { ...ARGUMENTS, refreshInterval }
    const { intervalMs, profile } = clientOptions('h', args)
    return [intervalMs, profile, requestOf('h', args).intervalMs]
  }
  assert.deepEqual(asked(1), [1000, 'document', 1000])
  assert.deepEqual(asked(4_294_967_295), [4_294_967_295_000, 'document', 4_294_967_295_000])
  assert.deepEqual(asked(0.25), [250, 'peer', 250])
  assert.deepEqual(asked(1.5), [1500, 'peer', 1500])
})

for (const [what, code, type, body, message] of [
  ['another path', 404, 'application/json', '{}', /status 404[\s\S]*check the path/],
  ['a refusal', 400, 'application/json', '{"error":"bad filter"}', /status 400: bad filter/],
  ['too many viewers', 503, 'application/json', '{"error":"x"}', /status 503: x\n {2}too many/],
  ['a page', 200, 'text/html', '<p>', /type "text\/html"[\s\S]*something else answers/],
  ['a redirect', 302, 'text/html', '', /redirects to "\/there"[\s\S]*give the address/],
] as const) {
  test(`${what} ends with 1, a message and what to do`, async (t) => {
    const endpoint = await CounterEndpoint.start()
    t.after(() => endpoint.stop())
    endpoint.answer = (outgoing) => {
      outgoing.writeHead(code, { 'content-type': type, location: '/there' })
      outgoing.end(body)
    }
    const silent = { write() {} }
    const process = Object.assign(new EventEmitter(), { exit() {} })
    const parts = { output: silent, errors: silent, process, clock: systemClock }
    const request = requestOf(endpoint.url, ARGUMENTS)
    const done = monitorAsLines(request, { views: ['raw'], thresholds: [] }, parts)
    await assert.rejects(done, { exitCode: 1, message })
    assert.deepEqual(process.eventNames(), [])
  })
}
