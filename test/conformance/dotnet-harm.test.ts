/**
 * Harm to a running .NET (nettrace.md §10): its heap, threads and memory before and after many
 * sessions, of which some end by a kill of the tool; beside a process that the stock library visits
 * in the same way at the same time, as memory that the runtime keeps for itself is its own.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { CounterSession, findProcess, socketDoor } from '../../src/dialects/nettrace/index.ts'
import { DotnetPeer, whyNoDotnet } from '../../src/dialects/nettrace/test/dotnet-peer.ts'
import { temporaryFolder } from '../../src/dialects/nettrace/test/fake-runtime.ts'
import type { Clock } from '../../src/time/clock.ts'
import { systemClock } from '../../src/time/system-clock.ts'
import { PROGRAM } from '../support/hub/hub-process.ts'

const skip = whyNoDotnet ?? false
const PROVIDER = 'Pentameter-Peer'
const INTERVAL_MS = 100
/** Sessions that end in good order, and by a kill of the tool. */
const VISITS = 40
const KILLS = 10
/** Bytes of the heap that a process may have more, of some hundred thousand. */
const HEAP_SLACK = 256 * 1024
/** Threads of its pool that come and go. */
const THREADS_SLACK = 2
/** Bytes of memory that may differ between two processes that were visited in the same way. */
const MEMORY_SLACK = 8 * 1024 * 1024

/** Clock of a patient tool: on a busy machine a runtime may take more than 5 s to answer. */
const PATIENT: Clock = {
  wallMs: () => systemClock.wallMs(),
  monotonicNs: () => systemClock.monotonicNs(),
  after: (delayMs, callback) => systemClock.after(20 * delayMs, callback),
}

interface Look {
  readonly heap: number
  readonly threads: number
  readonly rss: number
}

async function look(target: DotnetPeer): Promise<Look> {
  const seen = target.lines.length
  target.tell('look')
  await target.until((lines) => lines.slice(seen).some((line) => 'rss' in line))
  return target.lines.slice(seen).find((line) => 'rss' in line) as unknown as Look
}

/** Opens a session and ends it behind its first counter, as often as told. */
async function visit(pid: number, folder: string, count: number): Promise<void> {
  const { path } = (await findProcess(pid, { temporary: folder }))!
  for (let i = 0; i < count; i++) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const session = new CounterSession({
      ...{ door: socketDoor(path), clock: PATIENT },
      request: { providers: [PROVIDER], intervalMs: INTERVAL_MS, clrVersion: '10.0.0' },
      onReading: () => resolve(),
      onEnd: ({ message }) => reject(new Error(message)),
    })
    await promise
    await session.stop()
  }
}

/** Watches a process with the command, and kills it once it has shown a counter. */
async function watchAndKill(t: TestContext, pid: number, folder: string): Promise<void> {
  const args = [PROGRAM, 'counters', 'monitor', '-p', `${pid}`, '--counters', PROVIDER]
  const child = spawn(process.execPath, [...args, '--refresh-interval', `${INTERVAL_MS / 1000}`], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const closed = once(child, 'close')
  const shown = once(createInterface({ input: child.stdout }), 'line')
  await Promise.race([shown, closed.then(() => assert.fail('it ends without a counter'))])
  child.kill('SIGKILL')
  await closed
}

test('50 sessions, ten ended by kill, leave a process as the stock library does', {
  skip,
}, async (t) => {
  const folder = temporaryFolder(t)
  const start = async (): Promise<DotnetPeer> => {
    const target = await DotnetPeer.start(t, { folder }, 'target')
    await target.line('pid')
    return target
  }
  const [ours, theirs] = [await start(), await start()]
  const before = { ours: await look(ours), theirs: await look(theirs) }
  const seconds = `${INTERVAL_MS / 1000}`
  await visit(ours.pid, folder, VISITS)
  const visits = async (count: number): Promise<void> => {
    const args = ['visits', `${theirs.pid}`, `${count}`, seconds, PROVIDER]
    await (await DotnetPeer.start(t, { folder }, ...args)).line('visits')
  }
  await visits(VISITS)
  for (let i = 0; i < KILLS; i++) {
    await watchAndKill(t, ours.pid, folder)
    const watching = ['counters', `${theirs.pid}`, '2', seconds, PROVIDER]
    const tool = await DotnetPeer.start(t, { folder }, ...watching)
    await tool.line('payload')
    tool.signal('SIGKILL')
  }
  // it notices that those who were killed are gone when it writes, and is as usable as before
  await visit(ours.pid, folder, 1)
  await visits(1)
  const after = { ours: await look(ours), theirs: await look(theirs) }
  const grown = (name: keyof Look) => ({
    ours: after.ours[name] - before.ours[name],
    theirs: after.theirs[name] - before.theirs[name],
  })
  const text = (['heap', 'threads', 'rss'] as const).map((name) => {
    const { ours: one, theirs: other } = grown(name)
    return `${name} ${before.ours[name]} + ${one}, stock ${before.theirs[name]} + ${other}`
  })
  const figures = text.join('; ')
  t.diagnostic(figures)
  const [heap, threads, rss] = [grown('heap'), grown('threads'), grown('rss')]
  assert.ok(heap.ours <= Math.max(0, heap.theirs) + HEAP_SLACK, figures)
  assert.ok(threads.ours <= Math.max(0, threads.theirs) + THREADS_SLACK, figures)
  assert.ok(rss.ours <= Math.max(0, rss.theirs) + MEMORY_SLACK, figures)
})
