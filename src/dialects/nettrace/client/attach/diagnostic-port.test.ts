/** Runtimes that dial in: met, read from once, told to begin, and followed through restarts. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { attachedHub, eventually, passTime } from '../../test/attached.ts'
import { CounterStream } from '../../test/counter-stream.ts'
import { dialPort, startFakeRuntime } from '../../test/fake-runtime.ts'
import { portAddress } from './address.ts'

const OTHER_COOKIE = 'ff'.repeat(16)

/** A hub that listens at a port, which it has opened. */
async function listening(t: TestContext, client = {}) {
  const hub = attachedHub(t, client)
  const path = join(hub.places.temporary, 'hub.sock')
  const address = `${portAddress(path)}?providers=App`
  const { source, peers } = hub.attach(address)
  await eventually(hub.clock, () => peers()[0]!.link.isConnected)
  const processes = () => peers().slice(1)
  return { ...hub, path, address, source, peers, processes }
}

suite('a runtime that dials in', () => {
  test('is read from as any other, and told to begin', async (t) => {
    const { path, processes, clock, series } = await listening(t)
    const { runtime, dials } = dialPort(t, path)
    await eventually(clock, () => processes()[0]?.link.isConnected === true)
    await eventually(clock, () => runtime.names.includes('ResumeRuntime'))
    assert.deepEqual(runtime.names, ['ProcessInfo3', 'CollectTracing2', 'ResumeRuntime'])
    runtime.send(new CounterStream().sum(0, 'hits', 3).take())
    await eventually(clock, () => series('hits')[0]?.total === 3)
    assert.deepEqual(
      processes().map(({ name, source }) => [name, source]),
      [['dotnet://Shop', 'Shop']],
    )
    // one connection waits for the next command, whatever time passes
    await passTime(clock, 10_000)
    assert.equal(dials(), 4)
  })

  test('is told to begin, where there is no room for it', async (t) => {
    const { path, clock } = await listening(t, { processesLimit: 1 })
    const first = dialPort(t, path)
    await eventually(clock, () => first.runtime.sessions.length === 1)
    const { runtime } = dialPort(t, path, { facts: { pid: '5', cookie: OTHER_COOKIE } })
    await eventually(clock, () => runtime.names.includes('ResumeRuntime'))
    assert.deepEqual(runtime.names, ['ProcessInfo3', 'ResumeRuntime'])
  })

  test('that ends is gone, and its next start goes on with its series', async (t) => {
    const { path, processes, clock, series } = await listening(t)
    const first = dialPort(t, path)
    await eventually(clock, () => first.runtime.sessions.length === 1)
    first.runtime.send(new CounterStream().sum(0, 'hits', 3).take())
    await eventually(clock, () => series('hits')[0]?.total === 3)
    first.end()
    await passTime(clock, 5000)
    assert.deepEqual(
      processes().map(({ link }) => [link.isConnected, link.reason]),
      [[false, 'the process has ended']],
    )
    const { runtime } = dialPort(t, path, { facts: { pid: '5', cookie: OTHER_COOKIE } })
    await eventually(clock, () => runtime.sessions.length === 1)
    runtime.send(new CounterStream().sum(0, 'hits', 4).take())
    await eventually(clock, () => series('hits')[0]!.total === 7)
    assert.equal(series('hits').length, 1)
  })

  test('whose session breaks off has one again, and never two', async (t) => {
    const { path, processes, clock } = await listening(t)
    const { runtime } = dialPort(t, path)
    for (const reconnects of [1, 2]) {
      await eventually(clock, () => runtime.sessions.length === 1)
      await eventually(clock, () => processes()[0]!.link.isConnected)
      runtime.sessions[0]!.socket.destroy()
      await eventually(clock, () => processes()[0]!.facts.reconnects === reconnects)
    }
    await eventually(clock, () => runtime.sessions.length === 1)
    await passTime(clock, 3000)
    assert.equal(runtime.sessions.length, 1)
  })

  test('is only told to begin, while its ordinary socket is read from', async (t) => {
    const hub = await listening(t)
    const ordinary = await startFakeRuntime(t, {}, hub.process(4242, 'dotnet'))
    const other = hub.attach('dotnet://Shop?providers=App')
    await eventually(hub.clock, () => other.peers()[0]!.link.isConnected)
    const { runtime, dials } = dialPort(t, hub.path)
    await passTime(hub.clock, 20_000)
    // a word at the ordinary socket would not let it begin
    assert.deepEqual(runtime.names, ['ProcessInfo3', 'ResumeRuntime'])
    assert.deepEqual([dials(), ordinary.runtime.sessions.length], [3, 1])
    await other.source.close()
    await eventually(hub.clock, () => runtime.sessions.length === 1)
  })

  test('that answers in no known words is asked again ever later, not in a loop', async (t) => {
    const { path, clock, reports } = await listening(t)
    const { runtime, dials } = dialPort(t, path, { answer: () => Buffer.from('what?') })
    await passTime(clock, 60_000)
    assert.ok(runtime.commands.length > 2 && dials() < 10, `${dials()} dials`)
    assert.ok(Number(reports.counts['connect_failed bad_reply']) > 2)
  })
})

suite('a connection to the port', () => {
  for (const [what, words] of [
    ['other words', 'GET / HTTP/1.1\r\n\r\n'],
    ['more than its name', `ADVR_V1\0${'x'.repeat(27)}`],
    ['half of its name', 'ADVR_V1\0abc'],
  ] as const) {
    test(`that says ${what} is closed and counted; others are not affected`, async (t) => {
      const { path, clock, reports, processes } = await listening(t)
      const socket = createConnection({ path })
      t.after(() => socket.destroy())
      socket.write(words)
      const closed = once(socket.resume(), 'close')
      await eventually(clock, () => reports.errors.length === 1)
      await closed
      assert.equal(reports.errors[0]!.code, 'bad_message')
      dialPort(t, path)
      await eventually(clock, () => processes()[0]?.link.isConnected === true)
    })
  }
})

suite('the port', () => {
  test('belongs to its user alone, and goes with the hub', async (t) => {
    const { path, source, clock } = await listening(t)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    await source.close()
    assert.deepEqual([existsSync(path), clock.pending], [false, 0])
  })

  test('that another program has is said so, and tried again', async (t) => {
    const { clock, attach, places } = attachedHub(t)
    const path = join(places.temporary, 'taken.sock')
    const server = createServer().listen({ path })
    await once(server, 'listening')
    const { peers } = attach(portAddress(path))
    await eventually(clock, () => peers()[0]!.link.reason !== undefined)
    assert.match(peers()[0]!.link.reason!, /is in use: another program listens there/)
    server.close()
    await once(server, 'close')
    await eventually(clock, () => peers()[0]!.link.isConnected)
  })
})
