/** `pentameter send` against a hub, and against nobody. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { until } from '../../../test/support/hub/hub.ts'
import { type HubProcess, PROGRAM, startHubProcess } from '../../../test/support/hub/hub-process.ts'
import { GUESTS } from '../../dialects/registry.ts'

let hub: HubProcess
before(async () => {
  hub = await startHubProcess('serve')
})
after(() => hub.stop())

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function send(args: readonly string[], input = ''): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, 'send', ...args])
  child.stdin.end(input)
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await once(child, 'close')
  const [out, err] = await output
  return { code, out, err }
}

async function metrics(): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${hub.listeners.http.port}/metrics`)
  return answer.text()
}

for (const [transport, key, known] of [
  ['tcp', 'by.tcp', 'no refusal came back'],
  ['udp', 'by.udp', 'whether they arrived, udp does not tell'],
] as const) {
  test(`a line of text arrives by ${transport}, and what is known of it is said`, async () => {
    const place = `127.0.0.1:${hub.listeners.text.port}`
    const { code, err } = await send(['--to', `statshero+${transport}://${place}`, `${key}:5|m`])
    assert.deepEqual([code, err], [0, `handed 1 message to ${place} by ${transport}; ${known}\n`])
    await until(async () => /^by_\w+_total\S* 5$/m.test(await metrics()))
  })
}

test('lines of stdin are messages; an empty one is none', async () => {
  const url = `statshero+tcp://127.0.0.1:${hub.listeners.text.port}`
  const { code, err } = await send(['--to', url], 'piped:1|m\n\npiped:2|m\n')
  assert.equal(code, 0)
  assert.match(err, /^handed 2 messages /)
  await until(async () => /^piped_total\S* 3$/m.test(await metrics()))
})

test('a window of Wallaroo arrives to the nanosecond, from words without quotes', async () => {
  const url = `wallaroo://127.0.0.1:${hub.listeners.stream.port}`
  const names = 'application: a, category: computation, name: n, worker: w, pipeline: p, id: 1'
  const endNs = BigInt(Date.now()) * 1_000_000n + 1n
  const times = `min_ns: 9007199254740993, max_ns: 9007199254740995, period_ns: 1, end_ns: ${endNs}`
  const window = `{type: metrics, ${names}, bins: {54: 2}, ${times}}`
  const { code, err } = await send(['--to', url, '{type: connect}', window])
  assert.equal(code, 0, err)
  await until(async () => /^wallaroo_computation_messages_total\S* 2$/m.test(await metrics()))
  assert.match(await metrics(), /^wallaroo_computation_latency_seconds_count\S* 2$/m)
})

test('a viewer of scope is shown what comes back, from words without quotes', async () => {
  const url = `scope://127.0.0.1:${hub.listeners.stream.port}`
  const settings = '{kind: settings, sampling_interval: 100000000}'
  const { code, out } = await send(['--to', url, '--for', '0.5', settings])
  assert.equal(code, 0)
  const kinds = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).kind)
  assert.ok(kinds.length >= 2, out)
})

for (const [dialect, listener, message, sign] of [
  ['statshero+tcp', 'stream', 'a:1|m', /refused it: it (reset|closed) the connection; does it /],
  ['statshero+tcp', 'http', 'a:1|m', /speak Stats Hero: it answers "HTTP\/1\.1 400 Bad Request"$/m],
  ['wallaroo', 'text', '{type: connect}', /refused it: it (reset|closed) the connection; does it /],
  ['scope', 'text', '{kind: settings, sampling_interval: 1e9}', /refused it.* does it speak Scope/],
  ['scope', 'http', '{kind: settings, sampling_interval: 1e9}', /speak Scope: it answers "HTTP/],
] as const) {
  test(`${dialect} at the ${listener} port of a hub is refused, and the code is 1`, async () => {
    const { code, err } = await send([
      ...['--to', `${dialect}://127.0.0.1:${hub.listeners[listener]!.port}`, message],
    ])
    assert.match(err, sign)
    assert.equal(code, 1)
  })
}

/** Serves one peer for the time of a run. */
async function withPeer(serve: (socket: Socket) => void, run: (port: number) => Promise<void>) {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    serve(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await run((server.address() as AddressInfo).port)
  } finally {
    server.close()
  }
}

test('a peer that ends the connection instead of listening has refused', async () => {
  const serve = (socket: Socket): void => void socket.on('data', () => socket.end())
  await withPeer(serve, async (port) => {
    const { code, err } = await send(['--to', `statshero+tcp://127.0.0.1:${port}`, 'a:1|m'])
    assert.match(err, /refused it: it closed the connection; does it speak Stats Hero\?\n$/)
    assert.equal(code, 1)
  })
})

for (const [title, ends, expected] of [
  ['a hub that greeted too soon has not refused', false, [0, 'it greeted as Scope before it had']],
  ['a peer that greets and then ends it has', true, [1, 'refused it: it closed the connection']],
] as const) {
  test(title, async (t) => {
    const serve = (socket: Socket): void => {
      socket.write(Uint8Array.of(1, 0))
      socket.on('data', () => ends && socket.end())
      socket.on('end', () => socket.end())
    }
    const server = createServer({ allowHalfOpen: true }, serve).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const url = `wallaroo://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, err } = await send(['--to', url, '{type: connect}'])
    assert.equal(code, expected[0], err)
    assert.ok(err.includes(expected[1]), err)
  })
}

test('with --for nothing is printed once the time is over, whatever still comes', async () => {
  const scope = GUESTS.find(({ dialect }) => dialect.name === 'scope')!.dialect
  const messages = [
    { kind: 'info', metrics: [] },
    { kind: 'snapshot', t: { $u64: '1' }, d: [] },
  ]
  const options = { role: 'server', transport: 'tcp' } as const
  const [info, snapshot] = scope.encode(messages, options)
  await withPeer(
    (socket) => {
      socket.write(info!)
      // a server goes on for as long as the other side can be written to
      socket.on('end', () => {
        const timer = setInterval(() => socket.write(snapshot!), 10)
        socket.on('close', () => clearInterval(timer))
      })
      socket.resume()
    },
    async (port) => {
      const url = `scope://127.0.0.1:${port}`
      const settings = '{kind: settings, sampling_interval: 1e9}'
      const { code, out, err } = await send(['--to', url, '--for', '0.2', settings])
      assert.equal(out.trim().split('\n').length, 1, out)
      assert.deepEqual([code, /; it answers as Scope does$/m.test(err)], [0, true])
    },
  )
})

test('what is no message, and who does not listen, are said, and the code is 1', async () => {
  const listening = `statshero+tcp://127.0.0.1:${hub.listeners.text.port}`
  for (const [args, message] of [
    [['--to', listening, 'hello'], /^pentameter: hello: parse_error, no message of Stats Hero\n$/],
    [['--to', 'statshero+tcp://127.0.0.1:1', 'a:1|m'], /^pentameter: nobody listens at 127/],
    [['--to', 'statshero+udp://127.0.0.1:1', 'a:1|m'], /^pentameter: nobody listens at 127/],
    [['--to', 'scope://127.0.0.1:1', '{kind: x}'], /message of kind x; want what `pentameter dec/],
    [['--to', 'scope://127.0.0.1:1', '{kind'], /want what `pentameter decode scope` prints/],
  ] as const) {
    const { code, err } = await send(args)
    assert.equal(code, 1, err)
    assert.match(err, message)
  }
  assert.equal((await send([])).code, 2)
  const waiting = await send(['--to', 'statshero+udp://127.0.0.1:1', '--for', '1', 'a:1|m'])
  assert.deepEqual([waiting.code, /which come by tcp only/.test(waiting.err)], [2, true])
})

for (const { dialect } of GUESTS) {
  if (dialect.tryIt === undefined || dialect.createServer === undefined) continue
  test(`the command to try ${dialect.title} does what it says`, async () => {
    const { host, port } = hub.listeners[dialect.port!.name]!
    const command = dialect.tryIt!(host, port).replace(/^npx pentameter send /, '')
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, word]) => quoted ?? word!,
    )
    const { code, err } = await send(words)
    assert.equal(code, 0, err)
    assert.match(err, /^handed \d message/)
  })
}
