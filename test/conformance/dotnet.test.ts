/**
 * The stock libraries of .NET as the tool that looks at this process (nettrace.md §12): they list
 * it, ask it who it is, and receive its counters; and at a hub that reads from a process of .NET,
 * so that what went in is what comes out.
 */
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { DotnetSocket } from '../../src/dialects/nettrace/server.ts'
import { DotnetPeer, whyNoDotnet } from '../../src/dialects/nettrace/test/dotnet-peer.ts'
import {
  CounterRegistry,
  EventCounter,
  EventSource,
  IncrementingEventCounter,
  PollingCounter,
} from '../../src/instrument/index.ts'
import { startHub } from '../../src/start-hub.ts'
import { FREE_PORTS } from '../support/ports.ts'

const skip = whyNoDotnet ?? false
/** Source of the peer as a process of .NET. */
const PROVIDER = 'Pentameter-Peer'
/** User who runs the tool that lists: as root it stops at the first process of the kernel. */
const NOBODY = 65_534

function placeOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sockets-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  return folder
}

/** Has this process look for sockets there, and have its own there. */
function setFolder(t: TestContext, folder: string): void {
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  t.after(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  })
}

/** This process with counters, and its socket. */
async function start(t: TestContext) {
  const folder = placeOf(t)
  const registry = new CounterRegistry()
  const shop = new EventSource('Shop', { registry })
  const latency = new EventCounter('latency', shop, { displayUnits: 'ms' })
  latency.addMetaData('zone', 'b')
  const rate = { displayName: 'Orders', displayRateTimeScale: 60 }
  const orders = new IncrementingEventCounter('orders', shop, rate)
  new PollingCounter('depth', shop, () => 7.5)
  const socket = new DotnetSocket({ source: registry, folder })
  await socket.start()
  t.after(() => socket.close())
  const write = (count: number): void => {
    for (let i = 0; i < count; i++) {
      latency.writeMetric(1 + (i % 4))
      orders.increment(3)
    }
  }
  return { folder, write, socket, shop }
}

test('the stock library lists this process, and reads who it is', { skip }, async (t) => {
  const { folder } = await start(t)
  const user = process.getuid?.() === 0 ? { uid: NOBODY } : {}
  const list = await DotnetPeer.start(t, { folder, ...user }, 'list')
  const { pids } = await list.line('pids')
  assert.ok((pids as number[]).includes(process.pid), `${process.pid} in ${pids}`)
  const asked = await DotnetPeer.start(t, { folder }, 'info', `${process.pid}`)
  const info = await asked.line('ProcessId')
  assert.equal(info.ProcessId, `${process.pid}`)
  assert.equal(info.ClrProductVersionString, '8.0.0')
  assert.equal(info.ManagedEntrypointAssemblyName, 'dotnet.test')
  assert.match(String(info.CommandLine), /dotnet\.test\.ts$/)
  assert.match(String(info.PortableRuntimeIdentifier), /^linux-|^osx-/)
})

test('tools get the windows of their own intervals, whatever others ask', { skip }, async (t) => {
  const { folder, write, socket } = await start(t)
  // each by another collect command, and one that goes without a word
  const asked = [
    ['2', '1'],
    ['3', '0.5'],
    ['4', '2'],
    ['2', '0.25'],
  ] as const
  const tools = await Promise.all(
    asked.map(([command, seconds]) => {
      return DotnetPeer.start(t, { folder }, 'counters', `${process.pid}`, command, seconds, 'Shop')
    }),
  )
  for (const tool of tools) await tool.line('opened')
  assert.equal(socket.sessionCount, 4)
  write(40)
  const [leaving] = tools.splice(3)
  await leaving!.until(() => leaving!.payloads('depth').length > 0)
  leaving!.signal('SIGKILL')
  for (const tool of tools) {
    await tool.until(() => tool.sum('orders', 'Increment') >= 120)
    assert.equal(tool.sum('latency', 'Count'), 40)
  }
  for (const [i, tool] of tools.entries()) {
    const series = `Interval=${Number(asked[i]![1]) * 1000}`
    const whole = tool.payloads('latency').find(({ Count }) => Count === 40)!
    const { IntervalSec: _, ...rest } = whole
    assert.deepEqual(rest, {
      ...{ Name: 'latency', DisplayName: 'latency', Mean: 2.5, StandardDeviation: Math.sqrt(1.25) },
      ...{ Count: 40, Min: 1, Max: 4, Series: series, CounterType: 'Mean' },
      ...{ Metadata: 'zone:b', DisplayUnits: 'ms' },
    })
    const [order] = tool.payloads('orders')
    assert.deepEqual(
      [order!.DisplayName, order!.DisplayRateTimeScale, order!.Series],
      ['Orders', '00:01:00', series],
    )
    assert.ok(tool.payloads('depth').every(({ Mean }) => Mean === 7.5))
    tool.tell('stop')
    assert.deepEqual(await tool.line('ended'), { ended: true, lost: 0 })
  }
})

test('a tool that stands still costs a bounded buffer, and is told its loss', {
  skip,
}, async (t) => {
  const { folder, socket, shop } = await start(t)
  const displayName = 'x'.repeat(500)
  const many = Array.from({ length: 300 }, (_, i) => {
    return new PollingCounter(`depth-${i}`, shop, () => i, {
      displayName,
      displayUnits: displayName,
    })
  })
  const args = ['counters', `${process.pid}`, '2', '0.05', 'Shop']
  const tool = await DotnetPeer.start(t, { folder }, ...args)
  await tool.until(() => tool.payloads('depth-299').length > 0)
  tool.signal('SIGSTOP')
  const lost = () => socket.counts['events_lost buffer_full'] ?? 0
  while (lost() < 10 * many.length) await setTimeout(50)
  assert.ok(process.memoryUsage().arrayBuffers < 64 * 1024 * 1024)
  tool.signal('SIGCONT')
  const before = tool.payloads('depth-299').length
  await tool.until(() => tool.payloads('depth-299').length > before + 5)
  tool.tell('stop')
  assert.deepEqual(await tool.line('ended'), { ended: true, lost: lost() })
})

test('the stock library gets from a hub what a process of .NET has told it', {
  skip,
}, async (t) => {
  const folder = placeOf(t)
  setFolder(t, folder)
  const target = await DotnetPeer.start(t, { folder }, 'target')
  await target.line('pid')
  const hub = await startHub({
    config: {
      ...FREE_PORTS,
      attach: [`dotnet://${target.pid}?providers=${PROVIDER}&interval=1`],
      nettrace: { dotnetSocket: true },
    },
  })
  t.after(() => hub.close())
  const args = ['counters', `${process.pid}`, '2', '1', PROVIDER]
  const tool = await DotnetPeer.start(t, { folder }, ...args)
  // every counter has come through, so that what is written now is seen by all
  const names = ['latency', 'orders', 'depth', 'bytes']
  await tool.until(() => names.every((name) => tool.payloads(name).length > 0))
  for (const count of [40, 100]) {
    target.tell(`write ${count}`)
    await target.until((lines) => lines.some(({ written }) => written === count))
  }
  await tool.until(() => tool.sum('orders', 'Increment') >= 420)
  await tool.until(() => tool.sum('latency', 'Count') >= 140)
  await tool.until(() => tool.sum('bytes', 'Increment') >= 140_000)
  tool.tell('stop')
  assert.deepEqual(await tool.line('ended'), { ended: true, lost: 0 })
  assert.equal(tool.sum('orders', 'Increment'), 420)
  assert.equal(tool.sum('bytes', 'Increment'), 140_000)
  assert.ok(tool.payloads('depth').every(({ Mean }) => Mean === 7.5))
  const written = tool.payloads('latency').filter(({ Count }) => Number(Count) > 0)
  const sum = written.reduce((total, each) => total + Number(each.Mean) * Number(each.Count), 0)
  assert.equal(sum, 350, '35 times 1 + 2 + 3 + 4')
  assert.deepEqual(
    written.map(({ Min, Max }) => [Min, Max]),
    written.map(() => [1, 4]),
  )
  const [latency, orders, bytes] = ['latency', 'orders', 'bytes'].map((name) => {
    return tool.payloads(name).at(-1)!
  })
  assert.match(String(latency!.Metadata), /(^|,)zone:b($|,)/)
  assert.deepEqual([latency!.DisplayName, latency!.DisplayUnits], ['Latency of orders', 'ms'])
  assert.deepEqual([orders!.DisplayName, orders!.DisplayRateTimeScale], ['Orders', '00:01:00'])
  assert.equal(bytes!.DisplayUnits, 'B')
})
