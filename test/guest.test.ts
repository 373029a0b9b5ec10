/**
 * Proof that a dialect is one folder and one line: Semaphore (test/guest), of which the house knows
 * nothing, is handed to it as the registry's line would, and has its port, its threads, its options
 * with defaults, limits and errors, its flag and help, its command, its exports, its resident, its
 * route, its suite, vectors and fuzz target. test/package/guest-in-tree.test.ts puts the folder
 * into a copy of the tree, for what can only be seen there: the page, the rules, the build.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { createProgram } from '../src/cli/main.ts'
import { GUESTS } from '../src/dialects/registry.ts'
import { parseConfig } from '../src/hub/config/config.ts'
import { listenPorts } from '../src/hub/config/house-options.ts'
import { ConfigError } from '../src/hub/config/values.ts'
import { type HubOptions, type RunningHub, startHub } from '../src/start-hub.ts'
import { EncodeError } from '../src/wire/index.ts'
import { optionTable } from '../tools/tables.ts'
import { campaign } from './fuzz/engine/campaign.ts'
import { semaphore } from './guest/guest.ts'
import {
  decodeSemaphore,
  encodeSemaphore,
  type Message,
  SemaphoreClient,
  SemaphoreServer,
} from './guest/index.ts'
import { dialectSuite } from './suites/dialect.ts'
import { runnersOf, samplesOf, targetsOf } from './suites/tested.ts'
import { until } from './support/hub/hub.ts'
import { FREE_PORTS } from './support/ports.ts'
import { runVectorFile } from './vectors/run.ts'
import { readVectorFile } from './vectors/vector-file.ts'

const GUEST = { dialect: semaphore.dialect, folder: new URL('./guest/', import.meta.url) }
const ALL = [semaphore, ...GUESTS]
const DIALECTS = ALL.map(({ dialect }) => dialect)
const FREE: HubOptions = { ...FREE_PORTS, ingestWorkers: 2 }

dialectSuite(semaphore.dialect, await samplesOf(GUEST))

async function start(context: TestContext, options: HubOptions = {}): Promise<RunningHub> {
  const hub = await startHub({ guests: ALL, config: { ...FREE, ...options } })
  context.after(() => hub.close())
  return hub
}

async function say({ addresses }: RunningHub, lines: string, name = 'text'): Promise<void> {
  const { host, port } = addresses[name]!
  const socket = connect({ host, port })
  socket.end(lines)
  socket.resume()
  await once(socket, 'close')
}

/** Totals of Semaphore's series, by name. */
function totals(hub: RunningHub): Readonly<Record<string, unknown>> {
  const own = [...hub.series()].filter(({ metadata }) => metadata.dialect === 'semaphore')
  return Object.fromEntries(
    own.map(({ identity, total }) => {
      const value = total.kind === 'counter' ? total.total : total.kind === 'gauge' && total.value
      return [identity.name, value]
    }),
  )
}

suite('a dialect that the house has never heard of', () => {
  test('is told from its neighbours by its first bytes, in ingest threads', async (context) => {
    const hub = await start(context)
    assert.equal(hub.sources().workers?.length, 2)
    await say(hub, '!c levers.pulled 3\n!g lamp.voltage 11.5\n!x\n')
    await say(hub, '1|14\nneighbour:1|m\n')
    await until(() => Object.keys(totals(hub)).length === 2)
    assert.deepEqual(totals(hub), { 'levers.pulled': 3, 'lamp.voltage': 11.5 })
    const listener = hub.sources().listeners.find(({ name }) => name === 'text')
    assert.deepEqual(listener?.dialects, ['semaphore', 'statshero'])
    await until(() => hub.sources().errors.length > 0)
    const [error] = hub.sources().errors
    assert.deepEqual([error?.dialect, error?.code, error?.count], ['semaphore', 'bad_line', 1])
  })

  test('may have a port of its own, which the same ingest threads serve', async (context) => {
    const signal = { name: 'signal', number: 4710 }
    const apart = { ...semaphore, dialect: { ...semaphore.dialect, port: signal } }
    const config = { ...FREE, signalPort: 0, connectionsLimit: 3 }
    const hub = await startHub({ guests: [...GUESTS, apart], config })
    context.after(() => hub.close())
    const held = Array.from({ length: 3 }, () => connect(hub.addresses.text!))
    context.after(() => held.forEach((socket) => void socket.destroy()))
    await Promise.all(held.map((socket) => once(socket, 'connect')))
    await say(hub, '!c levers.pulled 3\n', 'signal')
    await until(() => totals(hub)['levers.pulled'] === 3)
    const { workers, listeners } = hub.sources()
    assert.equal(workers?.length, 2)
    assert.equal(
      workers?.reduce((sum, { measurements }) => sum + measurements, 0),
      1,
    )
    const names = listenPorts([...GUESTS, apart].map(({ dialect }) => dialect)).map(
      ({ name }) => name,
    )
    assert.equal(names.at(-1), 'signal')
    assert.deepEqual(
      listeners.map(({ name }) => name),
      names,
    )
    const speaking = (port: string) => listeners.find(({ name }) => name === port)?.dialects
    assert.deepEqual(speaking('text'), ['statshero'])
    assert.deepEqual(speaking('signal'), ['semaphore'])
  })

  test('sends as well: what one hub closes, another takes', async (context) => {
    const receiver = await start(context)
    const { host, port } = receiver.addresses.text!
    const relay = [`semaphore+tcp://${host}:${port}`]
    const sender = await start(context, { relay, semaphore: { emit: { prefix: 'far.' } } })
    await say(sender, '!c levers.pulled 3\n')
    await until(() => totals(receiver)['far.levers.pulled'] === 3)
  })

  test('has a client and a server for programs, with one codec', async (context) => {
    const got: Message[] = []
    const server = new SemaphoreServer({ port: 0, onMessage: (message) => got.push(message) })
    await server.start()
    context.after(() => server.close())
    const client = new SemaphoreClient({ port: server.port })
    const message: Message = { kind: 'g', name: 'lamp.voltage', value: 11.9 }
    client.send(message)
    await client.start()
    client.send(message)
    assert.throws(() => client.send({ ...message, name: 'a b' }), EncodeError)
    await until(() => got.length === 1)
    await client.close()
    assert.deepEqual(got, [message])
    assert.deepEqual(client.counts, { sent: 1, dropped: 1 })
    const { messages } = decodeSemaphore(Buffer.concat(encodeSemaphore([message, message])))
    assert.deepEqual(messages, [message, message])
  })

  test('has its options with defaults, limits and errors in the configuration', () => {
    const config = parseConfig({}, DIALECTS)
    const defaults = { maxLineBytes: 1024, lampsLimit: 100, emit: { prefix: '' } }
    assert.deepEqual(config.semaphore, defaults)
    assert.throws(
      () => parseConfig({ semaphore: { maxLineBytes: 8, lamps: 1 } }, DIALECTS),
      (error: ConfigError) => {
        assert.deepEqual(error.problems, [
          'semaphore.maxLineBytes: 8, want at least 16',
          'semaphore.lamps: no such option',
        ])
        return error instanceof ConfigError
      },
    )
  })

  test('has rows in the table of options, and a flag in the help of serve', async () => {
    const rows = optionTable(DIALECTS)
    assert.ok(rows.includes('| `semaphore.maxLineBytes` | `1024` | a longer line is refused |'))
    const serve = (await createProgram(ALL)).commands.find((each) => each.name() === 'serve')!
    assert.match(serve.helpInformation(), /--semaphore-max-line <bytes>\s+a longer line is refused/)
  })

  test('has its command', async () => {
    const names = (await createProgram(ALL)).commands.map((command) => command.name())
    assert.ok(names.includes('semaphore'))
  })

  test('has a resident that takes closed seconds, and says what its limit refused', async (t) => {
    const hub = await start(t, { semaphore: { lampsLimit: 1 } })
    await say(hub, '!g lamp.a 11.5\n!g lamp.b 12\n')
    const limit = () => hub.sources().limits.find(({ name }) => name === 'semaphore.lampsLimit')
    await until(() => limit()?.refused === 1)
    assert.equal(limit()?.used, 1)
  })

  test('has a route and an export by its own rules', async (context) => {
    const hub = await start(context)
    const base = `http://127.0.0.1:${hub.addresses.http!.port}`
    await say(hub, '!g lamp.a 11.5\n')
    await until(() => totals(hub)['lamp.a'] === 11.5)
    const answer = await (await fetch(`${base}/api/v1/semaphore/lamps`)).json()
    assert.deepEqual(Object.keys(answer as object), ['lamps'])
    assert.match(await (await fetch(`${base}/metrics`)).text(), /^semaphore_lamp_a 11\.5$/m)
  })

  test('has golden vectors that hold', async () => {
    const file = readVectorFile(
      new URL('vectors/semaphore.json', GUEST.folder).pathname,
      'semaphore',
    )
    const results = await runVectorFile(file, await runnersOf(GUEST))
    assert.deepEqual(
      results.flatMap(({ failures }) => failures),
      [],
    )
    assert.deepEqual(
      results.map(({ category, passed, skipped }) => [category, passed > 0, skipped]),
      [
        ['decode', true, 0],
        ['encode', true, 0],
      ],
    )
  })

  test('has a fuzz target that holds, and whose planted bug is found', async () => {
    const lines: string[] = []
    const budget = { seed: 1, runs: 2000 }
    const verdict = await campaign((await targetsOf(GUEST))[0]!, budget, (line) => lines.push(line))
    assert.deepEqual(verdict, { passed: 2, failed: 0 }, lines.join('\n'))
  })
})
