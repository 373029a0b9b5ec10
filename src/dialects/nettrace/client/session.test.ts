/** One session at a runtime, how it begins, what it brings, and how it ends. */
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { CounterStream, START_MS } from '../test/counter-stream.ts'
import {
  type FakeOptions,
  recording,
  startFakeRuntime,
  temporaryFolder,
  until,
} from '../test/fake-runtime.ts'
import { readFacts, sendCommand } from './command.ts'
import { socketDoor } from './door.ts'
import { EventPipeSession, type SessionEnd } from './session.ts'

const PROVIDERS = [
  { name: 'App', keywords: 0, level: 4, arguments: 'EventCounterIntervalSec=1' },
] as const

async function open(t: TestContext, options: FakeOptions, clock = new FakeClock()) {
  const fake = await startFakeRuntime(t, options)
  const names: string[] = []
  const times: number[] = []
  const ends: SessionEnd[] = []
  const codes: string[] = []
  const session = new EventPipeSession({
    ...{ door: socketDoor(fake.path), providers: PROVIDERS, clock },
    onEvent: ({ metadata }, timeMs) => {
      names.push(metadata.name)
      times.push(timeMs)
    },
    onError: ({ code }) => codes.push(code),
    onEnd: (end) => ends.push(end),
  })
  t.after(() => session.abort())
  return { ...fake, clock, session, names, times, ends, codes }
}

suite('a command', () => {
  test('leaves whole, and its reply may come in pieces', async (t) => {
    const { runtime, path } = await startFakeRuntime(t)
    const facts = await readFacts(socketDoor(path), new FakeClock())
    assert.deepEqual(
      [facts.pid, facts.entryAssembly, facts.clrVersion],
      ['4242', 'Shop', '10.0.12'],
    )
    assert.deepEqual(runtime.names, ['ProcessInfo3'])
  })

  test('of an old process is asked in its own words', async (t) => {
    const unknown = ['ProcessInfo3', 'ProcessInfo2']
    const { runtime, path } = await startFakeRuntime(t, { unknown })
    const facts = await readFacts(socketDoor(path), new FakeClock())
    assert.deepEqual([facts.pid, facts.clrVersion], ['4242', undefined])
    assert.deepEqual(runtime.names, ['ProcessInfo3', 'ProcessInfo2', 'ProcessInfo'])
  })

  const BAD: readonly [string, FakeOptions['answer'], string, RegExp][] = [
    ['no words of its own', () => Buffer.from('HTTP/1.1 200 OK'), 'bad_reply', /no known words/],
    ['nothing but an end', () => 'close', 'closed', /without a reply/],
    ['half a reply', () => Buffer.from('DOTNET_IPC_V1\0\x1c\0\xff', 'latin1'), 'closed', /without/],
    [
      'a size below that of its head',
      () => Buffer.from('DOTNET_IPC_V1\0\x13\0\xff\0\0\0', 'latin1'),
      ...(['bad_reply', /no known words/] as const),
    ],
    [
      'an error with more bytes than usual',
      () => Buffer.from('DOTNET_IPC_V1\0\x1c\0\xff\xff\0\0\x05\x40\0\x80\0\0\0\0', 'latin1'),
      ...(['refused', /fail \(80004005\)/] as const),
    ],
  ]
  for (const [what, answer, reason, message] of BAD) {
    test(`that is answered with ${what} is an error, and the connection ends`, async (t) => {
      const { path, server } = await startFakeRuntime(t, { answer: answer! })
      const asked = sendCommand(socketDoor(path), { message: 'ProcessInfo' }, new FakeClock())
      await assert.rejects(asked, (error: Error & { reason?: string }) => {
        assert.match(error.message, message)
        return error.reason === reason
      })
      await new Promise((resolve) => server.close(resolve))
    })
  }

  test('that is not answered within 5 s is given up, with a word on why', async (t) => {
    const clock = new FakeClock()
    const { runtime, path } = await startFakeRuntime(t, { answer: () => 'hang' })
    const asked = sendCommand(socketDoor(path), { message: 'ProcessInfo' }, clock)
    await until(() => runtime.commands.length > 0)
    clock.advance(4999)
    clock.advance(1)
    await assert.rejects(asked, { reason: 'timeout', message: /hangs, or another tool holds it/ })
    assert.equal(clock.pending, 0)
  })

  test('to a socket without a process says so', async (t) => {
    const { path, kill } = await startFakeRuntime(t)
    await kill()
    const clock = new FakeClock()
    const gone = sendCommand(socketDoor(path), { message: 'ProcessInfo' }, clock)
    await assert.rejects(gone, { reason: 'connect', message: /its process has ended/ })
    assert.equal(clock.pending, 0)
  })
})

suite('a session', () => {
  for (const name of ['counters-1s', 'as-dotnet-counters', 'meters', 'runtime-events']) {
    test(`brings all events of the recording ${name}, and ends with it`, async (t) => {
      const { names, ends, session } = await open(t, { stream: recording(name) })
      await until(() => ends.length > 0)
      assert.deepEqual([ends[0]!.reason, session.lost], ['ended', 0])
      assert.equal(names.length, session.events)
      assert.ok(names.length > 10)
    })
  }

  test('asks once, without rundown, and tells times by the clock of the process', async (t) => {
    const { runtime, names, times } = await open(t, {})
    await until(() => runtime.sessions.length === 1)
    runtime.send(new CounterStream().sum(250, 'hits', 3).take())
    await until(() => names.length === 1)
    assert.deepEqual([names, times], [['EventCounters'], [START_MS + 250]])
    assert.deepEqual(runtime.commands, [
      {
        ...{ message: 'CollectTracing2', bufferMB: 256, format: 1, rundown: false },
        providers: PROVIDERS,
      },
    ])
  })

  test('of an old process is asked for in older words once', async (t) => {
    const { runtime, session, ends } = await open(t, { unknown: ['CollectTracing2'] })
    await until(() => session.isOpen)
    assert.deepEqual(runtime.names, ['CollectTracing2', 'CollectTracing'])
    const other = await open(t, { unknown: ['CollectTracing2', 'CollectTracing'] })
    await until(() => other.ends.length > 0)
    assert.equal(other.ends[0]!.result, '80131385')
    assert.deepEqual([other.runtime.commands.length, ends.length], [2, 0])
  })

  test('that is stopped tells the process, and reads to the end', async (t) => {
    const { runtime, session, ends, clock } = await open(t, {})
    await until(() => session.isOpen)
    runtime.send(new CounterStream().sum(0, 'a', 1).take())
    await until(() => session.events === 1)
    const { id } = runtime.sessions[0]!
    await session.stop()
    assert.deepEqual(runtime.commands.at(-1), { message: 'StopTracing', session: id })
    assert.deepEqual([ends.length, ends[0]!.reason, session.events], [1, 'ended', 1])
    assert.equal(clock.pending, 0)
  })

  test('whose process does not hear that it is stopped is over after 5 s', async (t) => {
    const answer: FakeOptions['answer'] = (command) => {
      return command?.message === 'StopTracing' ? 'hang' : undefined
    }
    const { runtime, session, ends, clock } = await open(t, { answer })
    await until(() => session.isOpen)
    runtime.send(new CounterStream().sum(0, 'a', 1).take())
    await until(() => session.events === 1)
    const stopped = session.stop()
    await until(() => runtime.commands.length === 2)
    clock.advance(5000)
    await stopped
    assert.equal(ends.length, 1)
    assert.equal(clock.pending, 0)
  })

  test('of a process that is killed keeps what came in whole blocks', async (t) => {
    const bytes = recording('process-killed')
    const { runtime, ends, session, kill, codes } = await open(t, { stream: bytes })
    await until(() => session.events === 21)
    assert.equal(runtime.sessions.length, 1)
    await kill()
    await until(() => ends.length > 0)
    assert.deepEqual([ends[0]!.reason, codes], ['truncated', ['truncated']])
    assert.match(ends[0]!.message, /the process is gone/)
  })

  const BROKEN: readonly [string, number, number, string][] = [
    ['magic', 3, 0x5a, 'bad_magic'],
    ['tag', 102, 0x5a, 'bad_tag'],
  ]
  for (const [what, at, byte, code] of BROKEN) {
    test(`whose stream has a wrong ${what} ends, with its code`, async (t) => {
      const bytes = Uint8Array.from(recording('idle'))
      bytes[at] = byte
      const { ends, codes } = await open(t, { stream: bytes })
      await until(() => ends.length > 0)
      assert.deepEqual([ends[0]!.reason, codes], ['bad_stream', [code]])
    })
  }

  test('whose stream has its head twice says why, and what to do', async (t) => {
    // what .NET 10 sends after a session that came and went while it waited; read by no tool
    const head = recording('idle').subarray(0, 102)
    const { ends } = await open(t, { stream: Buffer.concat([head, recording('idle')]) })
    await until(() => ends.length > 0)
    assert.equal(ends[0]!.reason, 'bad_stream')
    assert.match(ends[0]!.message, /bad_tag at byte 102.* head twice .* start the process again/)
  })

  test('of a process that has yet to begin is closed, and it is told nothing', async (t) => {
    const { runtime, session } = await open(t, {})
    await until(() => session.isOpen)
    await session.stop()
    assert.deepEqual([session.isOpen, runtime.names], [false, ['CollectTracing2']])
  })

  test('whose stream begins behind the reply in one piece loses nothing', async (t) => {
    const reply = Buffer.from('DOTNET_IPC_V1\0\x1c\0\xff\0\0\0\x07\0\0\0\0\0\0\0', 'latin1')
    const answer = () => Buffer.concat([reply, recording('counters-1s')])
    const { ends, session } = await open(t, { answer })
    await until(() => ends.length > 0)
    assert.deepEqual([ends[0]!.reason, session.events], ['ended', 43])
  })

  test('of no process ends at once, and nothing waits', async (t) => {
    const clock = new FakeClock()
    const ends: SessionEnd[] = []
    const door = socketDoor(`${temporaryFolder(t)}/dotnet-diagnostic-1-2-socket`)
    const options = { door, providers: PROVIDERS, clock }
    new EventPipeSession({ ...options, onEnd: (end) => ends.push(end) })
    await until(() => ends.length > 0)
    assert.deepEqual([ends[0]!.reason, ends[0]!.errno, clock.pending], ['connect', 'ENOENT', 0])
  })
})
