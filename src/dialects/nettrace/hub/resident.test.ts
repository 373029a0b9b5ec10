/** The hub's own socket for the tools of .NET. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { packet, sendUdp, startHub, until } from '../../../../test/support/hub/hub.ts'
import { TestTool, wanted } from '../test/test-tool.ts'

const SOCKET = { nettrace: { dotnetSocket: true, clrVersion: '10.0.0' } }

/** Folder that tools would look into. */
function place(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'socket-'))
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  t.after(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

test('tools of .NET get every series of a hub as the counters of one process', async (t) => {
  const folder = place(t)
  const started = await startHub(SOCKET)
  const { hub, clock, log } = started
  const [name] = readdirSync(folder)
  const path = join(folder, name!)
  assert.ok(log.some((line) => line.startsWith('info the tools of .NET see this hub')))
  const facts = await TestTool.ask(path, { message: 'ProcessInfo3' })
  assert.ok(facts?.message === 'ProcessInfo3Reply' && facts.clrVersion === '10.0.0')
  await sendUdp(started, [packet('shop.orders:1|m'), packet('shop.depth:7|g')])
  clock.advance(1000)
  const tool = await TestTool.collect(path, { providers: [wanted('statshero'), wanted('nobody')] })
  clock.advance(1000)
  await sendUdp(started, [packet('shop.orders:3|m')])
  clock.advance(1000)
  const events = await tool.events(2)
  const payloads = events.map(({ provider, payload }) => {
    return [provider, payload!.Name, payload!.Series, payload!.Increment ?? payload!.Mean]
  })
  assert.deepEqual(payloads.sort(), [
    ['statshero', 'shop.depth', 'Interval=1000', 7],
    ['statshero', 'shop.orders', 'Interval=1000', 3],
  ])
  const { connections } = hub.sources()
  const shown = connections.find(({ dialect }) => dialect === 'nettrace')
  assert.equal(shown?.peer, `unix ${path}`)
  assert.deepEqual(shown?.facts, { providers: 'statshero, nobody', sent: 2, lost: 0 })
  const limit = hub.sources().limits.find((each) => each.name === 'nettrace.sessions')
  assert.deepEqual([limit?.used, limit?.limit, limit?.refused], [1, 64, 0])
  await hub.stop()
  await tool.ended()
  assert.deepEqual([tool.decoded().codes, readdirSync(folder)], [[], []])
})

test('a hub goes on without the socket where it cannot be bound, and says why', async (t) => {
  place(t)
  await startHub(SOCKET)
  const { log, hub } = await startHub(SOCKET)
  const line = log.find((each) => each.startsWith('error no socket for the tools of .NET'))
  assert.match(line!, /has a diagnostics socket already/)
  await until(() => hub.isReady)
})
