/** A process that dials in: the first one is watched and told to begin, others are left alone. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, linkSync, statSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { CounterStream } from '../test/counter-stream.ts'
import { dialPort, startFakeRuntime, temporaryFolder, until } from '../test/fake-runtime.ts'
import { readTarget } from './target.ts'

/** A feed at a port in a folder of its own; what it tells is gathered. */
function waiting(t: TestContext, values: Readonly<Record<string, unknown>> = {}) {
  const path = join(temporaryFolder(t), 'tool.sock')
  const said: string[] = []
  const clock = new FakeClock()
  const open = readTarget(
    { diagnosticPort: path, ...values },
    { counters: 'EventCounters\\App', intervalMs: 1000, seriesLimit: 10 },
  )!
  const feed = open(
    {
      onWait: (text) => said.push(`wait: ${text}`),
      onOpen: () => said.push(`open: ${feed.target}`),
      onWindow: ({ counter }) => said.push(`window: ${counter.name}`),
      onNote: (text) => said.push(`note: ${text}`),
      onError: ({ message, advice }) => said.push(`error: ${message} / ${advice}`),
      onEnd: (message) => said.push(`end: ${message}`),
    },
    clock,
  )
  t.after(() => feed.close())
  return { path, said, feed, clock }
}

test('the first process that dials is watched, and told to begin', async (t) => {
  const { path, said, feed } = waiting(t)
  const started = feed.start()
  await until(() => existsSync(path) && (statSync(path).mode & 0o777) === 0o600)
  assert.deepEqual(said, [
    `wait: waiting for a runtime that dials ${path}: DOTNET_DiagnosticPorts=${path}`,
  ])
  const { runtime, dials } = dialPort(t, path)
  const other = dialPort(t, path, { facts: { pid: '5', cookie: 'ff'.repeat(16) } })
  await started
  await until(() => runtime.names.includes('ResumeRuntime') && other.dials() > 0)
  assert.deepEqual(runtime.names, ['ProcessInfo3', 'CollectTracing2', 'ResumeRuntime'])
  runtime.send(new CounterStream().sum(1, 'hits', 1).take())
  await until(() => said.length === 3)
  assert.deepEqual(said.slice(1), ['open: Shop, pid 4242, .NET 10.0.12', 'window: hits'])
  await until(() => dials() === 4)
  await feed.close()
  assert.deepEqual([runtime.names.at(-1), other.runtime.names], ['StopTracing', []])
  assert.equal(existsSync(path), false)
})

test('--resume-runtime false leaves it waiting', async (t) => {
  const { path, said, feed } = waiting(t, { resumeRuntime: false })
  const started = feed.start()
  await until(() => existsSync(path))
  const { runtime, dials } = dialPort(t, path)
  await started
  await until(() => said.length === 2 && dials() === 3)
  assert.deepEqual(runtime.names, ['ProcessInfo3', 'CollectTracing2'])
})

test('a connection that is no runtime is closed, and the wait goes on', async (t) => {
  const { path, feed, clock, said } = waiting(t)
  const started = feed.start()
  await until(() => existsSync(path))
  for (const words of ['GET / HTTP/1.1\r\nHost: a\r\n\r\n and more', 'short']) {
    const socket = createConnection({ path })
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.resume()
    socket.write(words)
    let isClosed = false
    socket.on('close', () => {
      isClosed = true
    })

    await until(() => {
      if (words === 'short') clock.advance(1000)
      return isClosed
    })
  }
  const { dials } = dialPort(t, path)
  await started
  // the last one waits for the command that ends the session
  await until(() => said.length === 2 && dials() === 4)
})

test('a wait that is ended leaves nothing behind', async (t) => {
  const { path, feed, said } = waiting(t)
  const started = feed.start()
  await until(() => existsSync(path))
  await feed.close()
  await started
  await until(() => !existsSync(path))
  assert.equal(said.length, 1)
})

test('a socket that a dead program has left is taken', async (t) => {
  const { path, feed, said } = waiting(t)
  const server = createServer().listen({ path: `${path}.first` })
  await once(server, 'listening')
  linkSync(`${path}.first`, path)
  server.close()
  const started = feed.start()
  const { runtime } = dialPort(t, path)
  await until(() => said.length > 1 || runtime.sessions.length === 1)
  await started
  assert.equal(runtime.sessions.length, 1)
})

test('a path where another program listens is told', async (t) => {
  const used = waiting(t)
  const server = createServer().listen({ path: used.path })
  t.after(() => server.close())
  await once(server, 'listening')
  await used.feed.start()
  assert.match(used.said[1]!, /^error: .*tool\.sock is in use: another program listens there \/ /)
})

test('PATH,connect asks a socket that is there', async (t) => {
  const { path, runtime } = await startFakeRuntime(t)
  const { feed, said } = waiting(t, { diagnosticPort: `${path},connect` })
  await feed.start()
  await until(() => said.length === 1)
  assert.deepEqual(runtime.names, ['ProcessInfo3', 'CollectTracing2'])
})

test('a port that is none is wrong usage', () => {
  const request = { counters: undefined, intervalMs: 1000, seriesLimit: 1 }
  for (const diagnosticPort of ['', 'a,b', `/${'a'.repeat(107)}`]) {
    const wrong = { exitCode: 2, message: /^--diagnostic-port argument error: want PATH/ }
    assert.throws(() => readTarget({ diagnosticPort }, request), wrong)
  }
})
