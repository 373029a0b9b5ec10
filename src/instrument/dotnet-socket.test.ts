/** A registry that the tools of .NET see, in this process and in one that ends. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { TestTool, wanted } from '../dialects/nettrace/test/test-tool.ts'
import {
  EventCounter,
  IncrementingEventCounter,
  PollingCounter,
} from './counters/event-counters.ts'
import { CounterRegistry, EventSource } from './registry.ts'

const INSTRUMENT = fileURLToPath(new URL('index.ts', import.meta.url))

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

test('tools have windows of their own intervals, and none notices another', async (t) => {
  place(t)
  const clock = new FakeClock()
  const registry = new CounterRegistry({ clock, dotnetSocket: true })
  const socket = await registry.dotnetSocket!
  t.after(() => socket.close())
  const shop = new EventSource('Shop', { registry })
  const latency = new EventCounter('latency', shop, { displayUnits: 'ms' })
  const orders = new IncrementingEventCounter('orders', shop)
  new PollingCounter('depth', shop, () => 7.5)
  const open = (seconds: string) => {
    return TestTool.collect(socket.path, { providers: [wanted('shop', seconds)] })
  }
  const slow = await open('2')
  const fast = await open('0.5')
  for (let i = 0; i < 4; i++) {
    latency.writeMetric(i)
    orders.increment(2)
    clock.advance(500)
  }
  const payloads = (await slow.events(3)).map(({ payload }) => payload!)
  assert.deepEqual(
    payloads.map((each) => [each.Name, each.Series, each.Count ?? each.Increment, each.Mean]),
    [
      ['latency', 'Interval=2000', 4, 1.5],
      ['orders', 'Interval=2000', 8, undefined],
      ['depth', 'Interval=2000', 1, 7.5],
    ],
  )
  assert.deepEqual(payloads[0]!.IntervalSec, 2)
  const means = (await fast.events(12)).filter(({ payload }) => payload!.Name === 'latency')
  assert.deepEqual(
    means.map(({ payload }) => [payload!.Series, payload!.Count, payload!.Mean]),
    [0, 1, 2, 3].map((mean) => ['Interval=500', 1, mean]),
  )
})

test('without an interval, or with one that is none, a tool is served in silence', async (t) => {
  place(t)
  const clock = new FakeClock()
  const registry = new CounterRegistry({ clock, dotnetSocket: true })
  const socket = await registry.dotnetSocket!
  t.after(() => socket.close())
  new IncrementingEventCounter('orders', new EventSource('Shop', { registry }))
  const none = { ...wanted('Shop'), arguments: '' }
  const providers = [none, wanted('Other'), wanted('Zero', '0'), wanted('Far', '1e30')]
  const tool = await TestTool.collect(socket.path, { providers })
  clock.advance(5000)
  assert.equal(registry.counts.invalid_intervals, 1)
  await TestTool.ask(socket.path, { message: 'StopTracing', session: '1' })
  await tool.ended()
  assert.deepEqual([tool.decoded().events, tool.decoded().codes], [[], []])
})

test('a socket that cannot be bound is told of, and the registry works without', async (t) => {
  place(t)
  const first = new CounterRegistry({ dotnetSocket: true })
  const socket = await first.dotnetSocket!
  t.after(() => socket.close())
  const told: string[] = []
  const log = (message: string): void => void told.push(message)
  const second = new CounterRegistry({ dotnetSocket: true, log })
  await assert.rejects(second.dotnetSocket!, /has a diagnostics socket already/)
  assert.equal(second.counts.dotnet_socket_errors, 1)
  assert.match(told[0]!, /^no socket for \.NET's tools: this process has/)
  const joined = CounterRegistry.open(second.share(), { dotnetSocket: true, log })
  await assert.rejects(joined.dotnetSocket!, /the thread that shared the registry/)
  assert.equal(new CounterRegistry().dotnetSocket, undefined)
})

test('it keeps no process alive; with it streams end, and the file is gone', async (t) => {
  const folder = place(t)
  const program = `
    import { CounterRegistry, EventSource, PollingCounter } from ${JSON.stringify(INSTRUMENT)}
    const registry = new CounterRegistry({ dotnetSocket: true })
    new PollingCounter('depth', new EventSource('Shop', { registry }), () => 7.5)
    console.log((await registry.dotnetSocket).path)
    await new Promise((resolve) => process.stdin.once('data', resolve))
    process.stdin.destroy()
  `
  const flags = ['--input-type=module', '-e', program]
  const stdio = ['pipe', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, flags, { stdio: [...stdio] })
  t.after(() => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  const path = line.toString().trim()
  assert.ok(path.startsWith(folder) && existsSync(path))
  const tool = await TestTool.collect(path, { providers: [wanted('Shop', '0.05')] })
  await tool.events(2)
  child.stdin!.write('end\n')
  await once(child, 'close')
  await tool.ended()
  assert.deepEqual(tool.decoded().codes, [], 'the end mark has come')
  assert.ok(!existsSync(path))
})
