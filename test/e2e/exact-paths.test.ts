/**
 * What is sent is counted, or counted as dropped, refused or bad: to the line, by every way of the
 * bytes into the hub, with every number of ingest threads, also after these have been ended. A way
 * that the program has and no table here names fails the first test.
 */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { metricsBytes } from '../../src/dialects/wallaroo/test/frames.ts'
import { composeOptions } from '../../src/hub/config/house-options.ts'
import { openLibc } from '../../src/hub/listen/batched-udp/libc.ts'
import type { SourcesAnswer, WorkerStatus } from '../../src/hub/status/status.ts'
import { packet } from '../support/hub/hub.ts'
import { type HubProcess, startHubProcessWith } from '../support/hub/hub-process.ts'

const THREADS = [0, 1, 2]
/** What own-memory.ts says. */
const GIVEN = 'shared memory is given'
const REFUSED = 'shared memory is refused'

/** How bytes are received. */
interface Receive {
  readonly udpReceive: string
  /** Whether WebAssembly takes them where they lie. */
  readonly isInPlace: boolean
}
const RECEIVES: Readonly<Record<string, Receive>> = {
  'recvmmsg, in place': { udpReceive: 'recvmmsg', isInPlace: true },
  'recvmmsg, JavaScript alone': { udpReceive: 'recvmmsg', isInPlace: false },
  'dgram, in place': { udpReceive: 'dgram', isInPlace: true },
  'dgram, JavaScript alone': { udpReceive: 'dgram', isInPlace: false },
}

/** What was sent, and what a hub says of it. */
interface Account {
  /** Lines that are counted in their series, or as refused by a limit. */
  lines: number
  /** Sum of their values, 1 each: of their series, and of the overflow series. */
  sum: number
  badLines: number
  /** Text frames that were cut off. */
  cutFrames: number
  /** Messages of windows, counted likewise. */
  messages: number
  badWindows: number
  cutWindows: number
}
const NOTHING: Account = {
  ...{ lines: 0, sum: 0, badLines: 0, cutFrames: 0, messages: 0, badWindows: 0, cutWindows: 0 },
}

/** Bytes of one round, and what the hub is to count of them. */
interface Load {
  readonly listener: 'text' | 'stream'
  readonly bytes: Buffer
  readonly counts: Partial<Account>
  /** Places at which the bytes are cut: from the second byte to here. */
  readonly cutTo: number
  /** A part of one more frame, and what its end makes of it. */
  readonly part: Uint8Array
  readonly cut: Partial<Account>
}
interface Way {
  load(round: number): Load
  send(run: Run, load: Load): Promise<void>
  /** Whether bytes come by connections, which may be reset. */
  readonly isStream: boolean
}
const WAYS: Readonly<Record<string, Way>> = {
  'statshero udp': { load: datagramOf, send: sendDatagrams, isStream: false },
  'statshero tcp': { load: framesOf, send: sendAtEveryCut, isStream: true },
  'wallaroo tcp': { load: windowsOf, send: sendAtEveryCut, isStream: true },
}
/** Reads of viewers: nothing comes in. */
const READERS = ['scope tcp']

/** Series that have room; with those of all ways the limit is met in the first round. */
const SERIES_LIMIT = 30
const SENDERS = 4
/** Looks that see the same, some seconds of them, after which nothing more is waited for. */
const UNCHANGED_MAX = 250
const DATAGRAMS = 100

/** Lines of which some are bad, and some are of series that soon are too many. */
function mixedLines(name: string, round: number) {
  const names = Array.from({ length: 12 }, (_, i) => `${name}.new${round}.${i}`)
  const good = [name, ...names, name, names[0]!, names[11]!, name]
  const text = good.map((each, i) => `${each}:1|m\n${i % 3 === 0 ? 'bad\n' : ''}`).join('')
  return {
    body: `${text}x:y|m\n${name}:1|m`,
    lines: good.length + 1,
    sum: good.length + 1,
    badLines: 7,
  }
}

function datagramOf(round: number): Load {
  const { body, ...counts } = mixedLines('exact.udp', round)
  return { listener: 'text', bytes: packet(body), counts, cutTo: 0, part: Buffer.of(), cut: {} }
}

function framesOf(round: number): Load {
  const { body, lines, sum, badLines } = mixedLines('exact.tcp', round)
  const bytes = Buffer.concat([packet(body), packet('exact.tcp:1|m\n')])
  const counts = { lines: lines + 1, sum: sum + 1, badLines }
  const part = bytes.subarray(0, 99)
  return { listener: 'text', bytes, counts, cutTo: bytes.length, part, cut: { cutFrames: 1 } }
}

function windowsOf(round: number): Load {
  const end_ns = `${BigInt(Date.now()) * 1_000_000n}`
  const known = { bins: { 9: '3', 12: '2' }, min_ns: '300', max_ns: '4096', end_ns }
  const first = metricsBytes(known)
  const other = metricsBytes({ ...known, name: `new ${round}`, pipeline: 'other' })
  const bytes = Buffer.concat([first, Uint8Array.of(0, 0, 0, 2, 9, 9), other, first])
  const counts = { messages: 15, badWindows: 1 }
  const part = first.subarray(0, 99)
  // behind the bad frame all comes again
  const cutTo = first.length + 12
  return { listener: 'stream', bytes, counts, cutTo, part, cut: { cutWindows: 1 } }
}

/** A hub, and what it has been sent. */
class Run {
  readonly sent = { ...NOTHING }
  round = 0
  readonly hub: HubProcess

  constructor(hub: HubProcess) {
    this.hub = hub
  }

  add(part: Partial<Account>, times = 1): void {
    for (const [name, count] of Object.entries(part)) {
      this.sent[name as keyof Account] += times * count
    }
  }

  async ask(path: string): Promise<Response> {
    const { host, port } = this.hub.listeners.http
    return fetch(`http://${host}:${port}${path}`)
  }

  async sources(): Promise<SourcesAnswer> {
    return (await this.ask('/api/v1/sources')).json() as Promise<SourcesAnswer>
  }

  /** Reads what the hub has counted, and datagrams that it or its kernel has dropped. */
  async counted(): Promise<{ account: Account; dropped: number }> {
    const text = await (await this.ask('/metrics')).text()
    const sum = (pattern: RegExp): number =>
      text
        .split('\n')
        .filter((line) => pattern.test(line))
        .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0)
    const account = {
      lines: sum(/^(exact_\w+_total\{|pentameter_ingest_refused_total\{.*dialect="statshero")/),
      sum: sum(/^(exact_\w+_total\{|pentameter_overflow_total\{dialect="statshero")/),
      badLines: sum(/^pentameter_decode_errors_total\{code="(parse_error|bad_value)"/),
      cutFrames: sum(/^pentameter_decode_errors_total\{code="truncated"/),
      messages: sum(/^wallaroo_computation_messages_total/),
      badWindows: sum(/^pentameter_decode_errors_total\{code="unknown_type"/),
      cutWindows: sum(/^pentameter_decode_notes_total\{.*truncated_at_close/),
    }
    return { account, dropped: sum(/^pentameter_udp_(kernel_drops|dropped)_total/) }
  }

  /** Waits until all that was sent is counted, and sees that it is not more. */
  async settle(): Promise<void> {
    const { counts } = datagramOf(0)
    let last = ''
    for (let unchanged = 0; ; unchanged++) {
      const { account, dropped } = await this.counted()
      if (last !== JSON.stringify(account)) unchanged = 0
      last = JSON.stringify(account)
      const wanted = {
        ...this.sent,
        lines: this.sent.lines - dropped * counts.lines!,
        sum: this.sent.sum - dropped * counts.sum!,
        badLines: this.sent.badLines - dropped * counts.badLines!,
      }
      const isThere = Object.entries(wanted).every(
        ([name, count]) => account[name as keyof Account] >= count,
      )
      if (isThere || unchanged === UNCHANGED_MAX) {
        assert.deepEqual(account, wanted)
        return
      }
      await setTimeout(20)
    }
  }
}

async function sendDatagrams(run: Run, { listener, bytes, counts }: Load): Promise<void> {
  const sockets = Array.from({ length: SENDERS }, () => createSocket('udp4'))
  const { host, port } = run.hub.listeners[listener]
  for (let i = 0; i < DATAGRAMS; i++) {
    const socket = sockets[i % SENDERS]!
    await new Promise((resolve) => socket.send(bytes, port, host, resolve))
    if (i % SENDERS === 0) await setImmediate()
  }
  for (const socket of sockets) socket.close()
  run.add(counts, DATAGRAMS)
}

/** Sends a stream once for each place where it may be cut, in two writes. */
async function sendAtEveryCut(run: Run, { listener, bytes, counts, cutTo }: Load): Promise<void> {
  const socket = await open(run.hub.listeners[listener].port)
  for (let cut = 1; cut < cutTo; cut++) {
    socket.write(bytes.subarray(0, cut))
    // the next read may begin here
    await setImmediate()
    if (!socket.write(bytes.subarray(cut))) await once(socket, 'drain')
  }
  socket.end()
  await once(socket.resume(), 'close')
  run.add(counts, cutTo - 1)
}

/** Resets a connection in the midst of a frame, once the hub has got as far. */
async function reset(run: Run, { listener, bytes, counts, part, cut }: Load): Promise<void> {
  const socket = await open(run.hub.listeners[listener].port)
  socket.write(bytes)
  run.add(counts)
  await run.settle()
  socket.write(part)
  for (let held = false; !held; await setTimeout(10)) {
    const { connections } = await run.sources()
    held = connections.some(({ facts }) => Number(facts.bytesHeld) > 0)
  }
  socket.resetAndDestroy()
  run.add(cut)
  await run.settle()
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** Ends the ingest threads, and waits until each has been started again. */
async function endThreads(run: Run, threads: number, times: number): Promise<void> {
  run.hub.endThreads('ingest')
  for (;;) {
    const { workers = [] } = await run.sources()
    const isBack = ({ state, restarts }: WorkerStatus) => state === 'running' && restarts >= times
    if (workers.length === threads && workers.every(isBack)) return
    await setTimeout(50)
  }
}

async function start(t: TestContext, threads: number, receive: Receive): Promise<HubProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-exact-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const config = join(folder, 'hub.json')
  const { udpReceive, isInPlace } = receive
  const limits = { seriesLimit: SERIES_LIMIT, seriesLimitPerSource: SERIES_LIMIT }
  writeFileSync(config, JSON.stringify({ ingestWorkers: threads, udpReceive, ...limits }))
  const memory = new URL('../support/hub/own-memory.ts', import.meta.url).href
  const execArgv = ['--import', isInPlace ? memory : `${memory}?refused`]
  const hub = await startHubProcessWith({ execArgv, isWatched: true }, 'serve', '--config', config)
  t.after(() => hub.stop())
  return hub
}

// most of the time each waits for the end of a second
suite('sent = counted, and counted as refused, bad or dropped', { concurrency: 4 }, () => {
  test('by every way that there is', async (t) => {
    const ways = new Set(Object.values(RECEIVES).map(({ udpReceive }) => udpReceive))
    const { choices } = composeOptions([]).udpReceive
    assert.deepEqual([...ways, 'auto'].sort(), [...choices].sort())
    const run = new Run(await start(t, 0, RECEIVES['dgram, in place']!))
    const { listeners } = await run.sources()
    const served = listeners.flatMap(({ dialects, transports }) =>
      dialects.flatMap((name) => transports.map((transport) => `${name} ${transport}`)),
    )
    assert.deepEqual(served.sort(), [...Object.keys(WAYS), ...READERS].sort())
  })

  for (const [name, receive] of Object.entries(RECEIVES)) {
    const libc = receive.udpReceive === 'recvmmsg' ? openLibc() : undefined
    const skip = typeof libc === 'string' && libc
    for (const threads of THREADS) {
      test(`${name}, ${threads} ingest threads`, { skip }, async (t) => {
        const run = new Run(await start(t, threads, receive))
        const { listeners } = await run.sources()
        assert.equal(listeners[0]!.udpReceive, receive.udpReceive)
        for (run.round = 0; run.round < 2; run.round++) {
          if (run.round > 0 && threads > 0) await endThreads(run, threads, 1)
          const ways = Object.values(WAYS)
          const loads = ways.map((way) => way.load(run.round))
          await Promise.all(ways.map((way, i) => way.send(run, loads[i]!)))
          await run.settle()
          for (const [i, { isStream }] of ways.entries()) if (isStream) await reset(run, loads[i]!)
        }
        const log = run.hub.log()
        assert.equal(log.includes(GIVEN), receive.isInPlace)
        assert.equal(log.includes(REFUSED), !receive.isInPlace)
      })
    }
  }
})
