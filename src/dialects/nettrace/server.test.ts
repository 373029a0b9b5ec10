/** The socket for the tools of .NET, with tools that behave, and others that do not. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { parseSocketName } from './codec/ipc/texts.ts'
import { writeIpc } from './codec/ipc/write.ts'
import { DotnetSocket, type DotnetSocketOptions } from './server.ts'
import { ManualCounters, meanEvent, sumEvent } from './test/manual-counters.ts'
import { collectCommand, TestTool, wanted } from './test/test-tool.ts'

async function bench(t: TestContext, options: Partial<DotnetSocketOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'socket-'))
  const clock = new FakeClock()
  const counters = new ManualCounters()
  const socket = new DotnetSocket({ source: counters, clock, folder, ...options })
  t.after(async () => {
    await socket.close()
    rmSync(folder, { recursive: true })
  })
  await socket.start()
  return { folder, clock, counters, socket, path: socket.path }
}

/** Waits for what another end has begun. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

const CODES = (reply: object | undefined): unknown => (reply as { code?: string })?.code

suite('file of the socket', () => {
  test('has the name that tools look for, is for one user, and goes at the end', async (t) => {
    const { folder, socket, path } = await bench(t)
    const [name, ...more] = readdirSync(folder)
    assert.deepEqual(more, [], 'nothing else is left in the folder')
    assert.equal(parseSocketName(name!)?.pid, process.pid)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    await socket.close()
    assert.deepEqual([readdirSync(folder), socket.path], [[], ''])
    await socket.close()
  })

  test('what a dead process of this id has left is removed, and what lives stays', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'socket-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const place = (key: number) => join(folder, `dotnet-diagnostic-${process.pid}-${key}-socket`)
    const [dead, living, plain] = [place(1), place(2), place(3)]
    const server = createServer().listen(living)
    t.after(() => server.close())
    await once(server, 'listening')
    // bound in another name, so that closing it leaves this one
    const other = createServer().listen(join(folder, 'x'))
    await once(other, 'listening')
    linkSync(join(folder, 'x'), dead)
    await new Promise((resolve) => other.close(resolve))
    writeFileSync(plain, '')
    const socket = new DotnetSocket({ source: new ManualCounters(), folder })
    await socket.start()
    assert.deepEqual([dead, living, plain].map(existsSync), [false, true, true])
    await socket.close()
  })

  test('a process has one: a second is refused in words, and harms nothing', async (t) => {
    const { folder, path } = await bench(t)
    const second = new DotnetSocket({ source: new ManualCounters(), folder })
    await assert.rejects(second.start(), /this process has a diagnostics socket already/)
    await second.close()
    assert.equal((await TestTool.ask(path, { message: 'ResumeRuntime' }))?.message, 'OK')
    assert.equal(readdirSync(folder).length, 1)
  })

  test('a folder whose path is too long is refused with what to do', async () => {
    const socket = new DotnetSocket({ source: new ManualCounters(), folder: `/${'x'.repeat(90)}` })
    await assert.rejects(socket.start(), /limit 10\d: set TMPDIR to a shorter folder/)
    const clrVersion = 'new'
    assert.throws(() => new DotnetSocket({ source: new ManualCounters(), clrVersion }), /8\.0\.0/)
  })
})

suite('commands', () => {
  test('every version of the question who it is has the answer of that version', async (t) => {
    const { path } = await bench(t, { clrVersion: '9.0.1' })
    const [one, two, three] = await Promise.all(
      (['ProcessInfo', 'ProcessInfo2', 'ProcessInfo3'] as const).map((message) => {
        return TestTool.ask(path, { message })
      }),
    )
    assert.ok(three?.message === 'ProcessInfo3Reply' && two?.message === 'ProcessInfo2Reply')
    assert.deepEqual([three.version, three.pid, three.clrVersion], [1, `${process.pid}`, '9.0.1'])
    assert.match(three.runtimeIdentifier!, /^(linux|osx)-/)
    assert.ok(three.commandLine.includes(process.execPath))
    const { message: _, version: __, runtimeIdentifier: ___, ...facts } = three
    assert.deepEqual(two, { message: 'ProcessInfo2Reply', ...facts })
    const { entryAssembly: ____, clrVersion: _____, ...first } = facts
    assert.deepEqual(one, { message: 'ProcessInfoReply', ...first })
  })

  test('what is refused has the runtime’s result, and the connection is closed', async (t) => {
    const { path, socket } = await bench(t)
    const info = writeIpc({ message: 'ProcessInfo' })
    const changed = (at: number, byte: number) => Buffer.from(info).fill(byte, at, at + 1)
    const userEvents = collectCommand({ message: 'CollectTracing5', sessionType: 0 })
    const typeOne = Buffer.from(writeIpc(userEvents)).fill(1, 20, 21)
    const older = collectCommand({ format: 0 })
    for (const [bytes, code] of [
      [changed(0, 0x58), '80131386'],
      [changed(14, 19), '80131384'],
      [changed(16, 1), '80131385'],
      [changed(17, 2), '80131385'],
      [typeOne, '80131515'],
      [writeIpc(older), '80131515'],
    ] as const) {
      const tool = await TestTool.connect(path)
      tool.send(bytes)
      assert.equal(CODES(await tool.reply()), code)
      await tool.ended()
      assert.equal(tool.bytes.length, 24)
    }
    assert.equal(socket.counts['commands_refused 80131385'], 2)
    const half = await TestTool.connect(path)
    half.socket.end(info.subarray(0, 10))
    assert.equal(CODES(await half.reply()), '80131384')
  })

  test('one command a connection, in any pieces; what is behind it does not matter', async (t) => {
    const { path } = await bench(t)
    const tool = await TestTool.connect(path)
    for (const byte of writeIpc({ message: 'StopTracing', session: '9007199254740993' })) {
      tool.send(Buffer.from([byte]))
    }
    const reply = { message: 'OK', session: '9007199254740993' }
    assert.deepEqual(await tool.reply(), reply, 'also of a session that is not there')
    const two = Buffer.concat([1, 2].map(() => writeIpc({ message: 'ResumeRuntime' })))
    const other = await TestTool.connect(path)
    other.send(two)
    await other.ended()
    assert.equal(other.bytes.length, 20)
  })
})

suite('sessions', () => {
  test('a tool gets the begin of its stream, its windows, and the end when it stops', async (t) => {
    const { path, clock, counters, socket } = await bench(t)
    const tool = await TestTool.collect(path)
    const [session] = counters.sessions
    assert.deepEqual(
      session!.wanted.map((each) => [each.name, [...each.arguments]]),
      [['Shop', [['EventCounterIntervalSec', '1']]]],
    )
    const windows = [meanEvent('latency', 2.5), sumEvent('orders', 3), meanEvent('depth', 7)]
    clock.advance(1000)
    session!.tell(windows, clock.wallMs())
    clock.advance(1000)
    session!.tell([meanEvent('latency', Number.POSITIVE_INFINITY)], clock.wallMs() - 10)
    const events = await tool.events(4)
    assert.deepEqual(
      events.map(({ provider, event, id, relMs }) => [provider, event, id, relMs]),
      [
        ['Shop', 'EventCounters', 1, 1000],
        ['Shop', 'EventCounters', 2, 1000],
        ['Shop', 'EventCounters', 1, 1000],
        ['Shop', 'EventCounters', 1, 1990],
      ],
    )
    // without a name to show it is shown by its own
    assert.deepEqual(events[1]!.payload, { ...windows[1]!.payload, DisplayName: 'orders' })
    assert.equal(events[3]!.payload!.Mean, 'Infinity')
    assert.deepEqual([socket.sessionCount, socket.valuesSent], [1, 4])
    const stopped = await TestTool.ask(path, { message: 'StopTracing', session: '1' })
    assert.deepEqual(stopped, { message: 'OK', session: '1' })
    await tool.ended()
    assert.deepEqual([tool.decoded().codes, session!.isOpen], [[], false])
    await until(() => socket.sessionCount === 0 && clock.pending === 0)
    assert.equal(socket.valuesSent, 4)
  })

  test('tools of other intervals and commands are served side by side', async (t) => {
    const { path, clock, counters } = await bench(t)
    const names = [1, 2, 3, 4, 5, 6].map((number) => {
      return number === 1 ? 'CollectTracing' : (`CollectTracing${number as 2}` as const)
    })
    const tools = await Promise.all(
      names.map((message, i) => {
        return TestTool.collect(path, { message, providers: [wanted('Shop', `${i + 1}`)] })
      }),
    )
    for (const { tell, wanted: asked } of counters.sessions) {
      const seconds = Number(asked[0]!.arguments.get('EventCounterIntervalSec'))
      tell([sumEvent('orders', seconds)], clock.wallMs())
    }
    for (const [i, tool] of tools.entries()) {
      const [event] = await tool.events(1)
      assert.equal(event!.payload!.Increment, i + 1)
    }
  })

  test('event ids that a tool names are let through or held back', async (t) => {
    const { path, clock, counters } = await bench(t)
    const message = 'CollectTracing5'
    const filters = [
      { enable: true, eventIds: [2] },
      { enable: true, eventIds: [] },
      { enable: false, eventIds: [2] },
    ]
    const tools: TestTool[] = []
    for (const filter of filters) {
      const providers = [{ ...wanted('SHOP'), filter }]
      tools.push(await TestTool.collect(path, { message, sessionType: 0, providers }))
    }
    for (const { tell } of counters.sessions) {
      tell([meanEvent('latency', 1), sumEvent('orders', 2)], clock.wallMs())
    }
    await TestTool.ask(path, { message: 'StopTracing', session: '2' })
    const ids = await Promise.all([
      tools[0]!.events(1),
      tools[1]!.ended().then(() => tools[1]!.decoded().events),
      tools[2]!.events(1),
    ])
    assert.deepEqual(
      ids.map((events) => events.map(({ id }) => id)),
      [[2], [], [1]],
    )
  })

  test('beyond the limit of sessions a tool is told so, until one has left', async (t) => {
    const { path, counters, socket } = await bench(t)
    counters.limit = 1
    const first = await TestTool.collect(path)
    assert.equal(CODES(await TestTool.ask(path, collectCommand())), '80004005')
    assert.equal(socket.sessionsRefused, 1)
    first.socket.destroy()
    await until(() => socket.sessionCount === 0)
    assert.equal((await TestTool.ask(path, collectCommand()))?.message, 'OK')
  })

  test('times never fall, whatever becomes of the wall clock', async (t) => {
    const { path, clock, counters } = await bench(t)
    const tool = await TestTool.collect(path)
    const { tell } = counters.sessions[0]!
    for (const setMs of [0, -3_600_000, 7_200_000, 0]) {
      clock.setWall(setMs)
      clock.advance(1000)
      tell([sumEvent('orders', 1)], clock.wallMs())
    }
    tell([sumEvent('orders', 1)], clock.wallMs() - 5000)
    const times = (await tool.events(5)).map(({ relMs }) => relMs)
    assert.deepEqual(times, [1000, 2000, 3000, 4000, 4000])
  })

  test('a sequence point comes every ten seconds, so that a silent session is alive', async (t) => {
    const { path, clock } = await bench(t)
    const tool = await TestTool.collect(path)
    await tool.until(() => tool.bytes.length >= 28 + 102)
    for (let i = 0; i < 3; i++) {
      const { length } = tool.bytes
      clock.advance(10_000)
      await tool.until(() => tool.bytes.length > length)
    }
    assert.equal(Buffer.from(tool.bytes).toString('latin1').split('SPBlock').length, 4)
  })
})

suite('tools that do not behave', () => {
  test('one that says nothing, or half a command, has five seconds', async (t) => {
    const { path, clock, socket } = await bench(t)
    const silent = await TestTool.connect(path)
    const half = await TestTool.connect(path)
    half.send(writeIpc(collectCommand()).subarray(0, 30))
    const good = await TestTool.ask(path, { message: 'ResumeRuntime' })
    assert.equal(good?.message, 'OK', 'others are served meanwhile')
    await until(() => clock.pending === 2)
    clock.advance(5000)
    await Promise.all([silent.ended(), half.ended()])
    assert.deepEqual([silent.bytes.length, half.bytes.length], [0, 0])
    assert.equal(socket.counts['commands_refused timeout'], 2)
  })

  test('a flood behind a command ends that connection alone', async (t) => {
    const { path, counters, socket } = await bench(t)
    const neighbour = await TestTool.collect(path)
    const tool = await TestTool.collect(path)
    const flood = Buffer.alloc(65_536, 7)
    while (!tool.socket.closed) {
      tool.socket.write(flood)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await until(() => counters.sessions.map(({ isOpen }) => isOpen).join() === 'true,false')
    assert.equal(socket.counts['connections_closed bytes_behind'], 1)
    counters.sessions[0]!.tell([sumEvent('orders', 1)], 0)
    assert.equal((await neighbour.events(1)).length, 1)
  })

  test('one that does not read costs a bounded buffer; it sees what it has lost', async (t) => {
    const { path, counters, socket } = await bench(t)
    const tool = await TestTool.collect(path)
    tool.socket.pause()
    const windows = Array.from({ length: 3000 }, (_, i) => sumEvent(`orders-${i}`, i))
    const { tell } = counters.sessions[0]!
    let said = 0
    while ((socket.counts['events_lost buffer_full'] ?? 0) === 0) {
      tell(windows, 0)
      said += windows.length
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.ok(process.memoryUsage().arrayBuffers < 64 * 1024 * 1024)
    tool.socket.resume()
    await until(
      () => socket.connections()[0]?.facts.lost === socket.counts['events_lost buffer_full'],
    )
    await TestTool.ask(path, { message: 'StopTracing', session: '1' })
    await tool.ended()
    const { events, codes, notes } = tool.decoded()
    const lost = said - events.length
    assert.deepEqual(codes, [])
    assert.equal(lost, socket.counts['events_lost buffer_full'])
    assert.ok(notes.includes(`the process has dropped ${lost} events`), notes.join())
  })

  test('one that leaves ends its session; one that only stops talking gets on', async (t) => {
    const { path, counters } = await bench(t)
    const leaving = await TestTool.collect(path)
    leaving.socket.destroy()
    await until(() => counters.sessions[0]!.isOpen === false)
    const listening = await TestTool.collect(path)
    listening.socket.end()
    await listening.until(() => Buffer.from(listening.bytes).includes('SPBlock'))
    counters.sessions[1]!.tell([sumEvent('orders', 1)], 0)
    assert.equal((await listening.events(1)).length, 1)
  })

  test('texts beyond what a reader takes are cut, what cannot be said is left out', async (t) => {
    const { path, counters, socket } = await bench(t)
    const tool = await TestTool.collect(path)
    const unsayable = sumEvent('a\0b', 1)
    const nameless = { ...sumEvent('z', 1), provider: 'Shop\0' }
    const long = sumEvent('x'.repeat(40_000), 1)
    counters.sessions[0]!.tell([long, unsayable, nameless, sumEvent('y', 2)], 0)
    const events = await tool.events(2)
    assert.deepEqual(
      events.map(({ payload }) => String(payload!.Name).length),
      [4096, 1],
    )
    assert.equal(socket.counts['events_lost cut_text'], 1)
    assert.equal(socket.counts['events_lost not_sayable'], 2)
  })

  test('a source that fails refuses the session, and nothing else', async (t) => {
    const source = {
      openEvents(): never {
        throw new TypeError('served by another thread')
      },
    }
    const { path, socket } = await bench(t, { source })
    assert.equal(CODES(await TestTool.ask(path, collectCommand())), '80004005')
    assert.equal(socket.counts['sessions source_failed'], 1)
  })

  test('a close ends every stream with its end mark, also of one that does not read', async (t) => {
    const { path, socket } = await bench(t)
    const [tool, idle] = [await TestTool.collect(path), await TestTool.connect(path)]
    await tool.until(() => tool.bytes.length >= 28 + 102)
    const closed = socket.close()
    await Promise.all([tool.ended(), idle.ended(), closed])
    assert.deepEqual(tool.decoded().codes, [])
  })
})
