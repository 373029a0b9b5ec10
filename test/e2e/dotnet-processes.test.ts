/** Processes of .NET that dial a hub: in its series, its sources, and its numbers of losses. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { CounterStream } from '../../src/dialects/nettrace/test/counter-stream.ts'
import { dialPort, temporaryFolder } from '../../src/dialects/nettrace/test/fake-runtime.ts'
import { startHub } from '../../src/start-hub.ts'
import { FakeClock } from '../support/fake-clock.ts'

const OTHER = { facts: { pid: '4243', cookie: 'ff'.repeat(16) } }

test('each process is a peer and a source of its own, with what is known of it', async (t) => {
  const clock = new FakeClock()
  const path = join(temporaryFolder(t), 'hub.sock')
  const nettrace = { diagnosticPort: path, client: { providers: ['App'] } }
  const ports = { httpPort: 0, textPort: 0, streamPort: 0, ingestWorkers: 0 }
  const hub = await startHub({ clock, config: { ...ports, nettrace } })
  const eventually = async (holds: () => boolean): Promise<void> => {
    for (let i = 0; !holds(); i++) {
      if (i === 20_000) throw new Error(`it never holds: ${holds}`)
      await new Promise((resolve) => setImmediate(resolve))
      if (i % 20 === 19) clock.advance(50)
    }
  }
  t.after(async () => {
    let isClosed = false
    void hub.close().then(() => {
      isClosed = true
    })
    await eventually(() => isClosed)
  })
  const peers = () => hub.sources().peers ?? []
  await eventually(() => peers()[0]?.state === 'connected')
  const first = dialPort(t, path)
  await eventually(() => first.runtime.sessions.length === 1)
  const second = dialPort(t, path, OTHER)
  await eventually(() => second.runtime.sessions.length === 1)
  await eventually(() => peers().filter(({ state }) => state === 'connected').length === 3)
  assert.deepEqual(
    peers().map(({ name, source }) => [name, source]),
    [
      [`dotnet+listen://${path}`, undefined],
      ['dotnet://Shop', 'Shop'],
      ['dotnet://Shop~2', 'Shop~2'],
    ],
  )
  first.runtime.send(new CounterStream().sum(0, 'hits', 3).lose(2).sum(0, 'misses', 1).take())
  second.runtime.send(new CounterStream().sum(0, 'hits', 4).take())
  const totals = () =>
    [...hub.series()]
      .filter(({ identity }) => identity.name === 'hits')
      .map(({ identity, total }) => {
        const [, process] = identity.labels.find(([key]) => key === 'process')!
        return [process, total.kind === 'counter' ? Number(total.total) : 0]
      })
  await eventually(() => totals().length === 2 && totals().every(([, total]) => total !== 0))
  assert.deepEqual(Object.fromEntries(totals()), { Shop: 3, 'Shop~2': 4 })
  const connection = hub.sources().connections.find(({ facts }) => facts.pid === 4242)!
  const { process, runtime, providers, intervalMs, lost } = connection.facts
  assert.deepEqual(
    [process, runtime, providers, intervalMs, lost],
    ['Shop', '10.0.12', 'App', 1000, 2],
  )
  assert.match(connection.peer, /^unix process 4242 at /)
  const addresses = () => hub.sources().sources.map(({ address }) => address)
  await eventually(() => ['Shop', 'Shop~2'].every((each) => addresses().includes(each)))
  first.end()
  await eventually(() =>
    peers().some(({ name, state }) => name === 'dotnet://Shop' && state === 'lost'),
  )
})

test('an address that makes no sense is refused with what is wanted', async () => {
  for (const [address, wanted] of [
    ['dotnet://', /want dotnet:\/\/PID/],
    ['dotnet://Shop/x', /want dotnet:\/\/PID/],
    ['dotnet://0', /process 0, want 1/],
    ['dotnet://Shop?intervall=1', /unknown option intervall/],
    ['dotnet://Shop?interval=0', /interval "0", want a time/],
    ['dotnet://Shop?providers=A[', /provider "A\["/],
    ['dotnet+listen://app.sock', /want a whole path/],
  ] as const) {
    await assert.rejects(startHub({ config: { attach: [address] } }), wanted)
  }
  const attach = ['dotnet://Shop?providers=A', 'dotnet://Shop?providers=B']
  await assert.rejects(startHub({ config: { attach } }), /are read already/)
})
