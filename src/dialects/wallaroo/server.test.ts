import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { RawPeer } from '../../../test/support/raw-peer.ts'
import { RecordedReports } from '../../../test/support/recorded-reports.ts'
import type { Budget } from '../../time/budget.ts'
import type { ConnectionProgress } from '../endpoints.ts'
import { encodeConnect, encodeJoin } from './codec/encode.ts'
import { dialect as wallaroo } from './dialect.ts'
import { RECEIVE_DEFAULTS } from './options.ts'
import { Workers } from './server/workers.ts'
import { noteBit } from './spec.ts'
import { metricsBytes } from './test/frames.ts'

const OPENING = Buffer.concat([encodeConnect(), encodeJoin('golden-app', 'initializer')])
const WINDOW = metricsBytes({ bins: { 3: '2' }, min_ns: '5', max_ns: '8' })

/** A server on a port of its own and what reaches its receivers, as lines. */
async function setUp(
  context: TestContext,
  options: Partial<typeof RECEIVE_DEFAULTS> = {},
  budget?: Budget,
) {
  const lines: string[] = []
  const reports = new RecordedReports()
  const clock = new FakeClock()
  const accepted: Socket[] = []
  const progress: ConnectionProgress[] = []
  let wake = (): void => {}
  const say = (line: string): void => {
    lines.push(line)
    wake()
  }
  const server = new Workers({
    open: () => ({
      join: (application, worker) => say(`join ${application} ${worker}`),
      metrics: (frame) => {
        say(`metrics ${frame.name} ${frame.total()}`)
        return noteBit('late_window')
      },
      close: () => say('close'),
    }),
    ...RECEIVE_DEFAULTS,
    ...options,
    clock,
    reports,
  })
  const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    accepted.push(socket)
    progress.push(server.accept(socket, undefined, undefined, budget))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  context.after(async () => {
    await server.stop()
    listener.close()
  })
  const { port } = listener.address() as AddressInfo
  const until = async (count: number): Promise<void> => {
    while (lines.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  const connect = () => RawPeer.connect(port)
  return { server, lines, reports, clock, accepted, progress, until, port, connect }
}

describe('a server', () => {
  it('hands over joins and windows, and the end of a connection', async (context) => {
    const { connect, lines, until, reports } = await setUp(context)
    const peer = await connect()
    peer.write(OPENING)
    peer.write(WINDOW)
    peer.socket.end()
    await until(3)
    await peer.ended()
    assert.deepEqual(lines, ['join golden-app initializer', 'metrics Check 2', 'close'])
    assert.deepEqual(reports.errors, [])
    assert.deepEqual(reports.counts, { 'decode_notes late_window': 1 })
  })

  it('keeps the rest of a read for later turns, and the end behind it', async (context) => {
    const { connect, lines, until, progress } = await setUp(context, {}, { isSpent: true })
    const peer = await connect()
    peer.write(Buffer.concat([OPENING, ...new Array<Uint8Array>(100).fill(WINDOW)]))
    peer.socket.end()
    await until(2)
    const [connection] = progress
    while (connection!.hasRest || !lines.includes('close')) {
      if (connection!.hasRest) connection!.goOn!()
      await setImmediate()
    }
    assert.equal(lines.filter((line) => line.startsWith('metrics')).length, 100)
    assert.equal(lines.at(-1), 'close')
  })

  it('takes what waits of a read whose connection is reset', async (context) => {
    const { connect, lines, until, progress } = await setUp(context, {}, { isSpent: true })
    const peer = await connect()
    peer.write(Buffer.concat([OPENING, ...new Array<Uint8Array>(100).fill(WINDOW)]))
    await until(2)
    assert.equal(progress[0]!.hasRest, true)
    peer.socket.resetAndDestroy()
    await until(102)
    assert.deepEqual(lines.slice(-2), ['metrics Check 2', 'close'])
  })

  it('never writes a byte, whatever comes', async (context) => {
    const { connect, accepted, until } = await setUp(context)
    const frames = [OPENING, OPENING, WINDOW, Buffer.from('0000000109', 'hex'), WINDOW]
    const peer = await connect()
    for (const frame of frames) peer.write(frame)
    const foreign = await connect()
    foreign.write(Buffer.from('GET / HTTP/1.1\r\n\r\n'))
    await foreign.ended()
    await until(5)
    peer.socket.end()
    await peer.ended()
    assert.deepEqual([peer.received.length, foreign.received.length], [0, 0])
    assert.deepEqual(
      accepted.map(({ bytesWritten }) => bytesWritten),
      [0, 0],
    )
  })

  it('closes after a length above the limit, and says what it may have been', async (context) => {
    const { connect, lines, reports, until } = await setUp(context)
    for (const [text, hint] of [
      ['474554202f', 'looks like HTTP'],
      ['1603010200', 'looks like TLS'],
      ['ffffffff01', undefined],
    ] as const) {
      const peer = await connect()
      peer.write(Buffer.concat([OPENING.subarray(0, 0), Buffer.from(text, 'hex')]))
      await peer.ended()
      assert.equal(reports.lines.at(-1)?.facts.hint, hint)
      assert.equal(reports.lines.at(-1)?.facts.hex, text)
    }
    await until(3)
    assert.deepEqual(lines, ['close', 'close', 'close'])
    assert.deepEqual(
      reports.errors.map(({ code }) => code),
      ['frame_too_large', 'frame_too_large', 'frame_too_large'],
    )
  })

  it('counts every bad frame and logs one a minute of each code', async (context) => {
    const { connect, reports, clock, until } = await setUp(context)
    const bad = Buffer.from('0000000109', 'hex')
    const peer = await connect()
    peer.write(Buffer.concat([OPENING, bad, bad, Buffer.alloc(4), WINDOW]))
    await until(2)
    assert.equal(reports.errors.length, 3)
    assert.equal(reports.lines.length, 2)
    clock.advance(60_000)
    peer.write(Buffer.concat([bad, bad, WINDOW]))
    await until(3)
    assert.equal(reports.errors.length, 5)
    assert.equal(reports.lines.length, 3)
  })

  it('shows of each connection its order, binning, lengths, notes and rejects', async (context) => {
    const { connect, server, accepted, until } = await setUp(context)
    const swapped = { bins: { 3: '1', 9: '1' }, min_ns: '5', max_ns: '256' }
    const peer = await connect()
    const frames = [OPENING, metricsBytes(swapped, 'document'), WINDOW, Buffer.alloc(4)]
    peer.write(Buffer.concat(frames))
    await until(3)
    const [status] = server.connections()
    assert.deepEqual(status?.facts, {
      ...{ windows: 2, joins: 1, connects: 1, rejected: 1 },
      ...{ order: 'mixed', binning: 'mixed', lengths: 'exclusive' },
      ...{ document_order: 1, late_window: 2, empty_frame: 1, bytesHeld: 0 },
    })
    peer.close()
    await once(accepted[0]!, 'close')
    assert.deepEqual(server.connections(), [])
  })

  it('understands the command that anybody may try', async (context) => {
    const { lines, until, reports, port } = await setUp(context)
    const child = spawn('bash', ['-c', wallaroo.tryIt!('127.0.0.1', port)])
    await until(2)
    assert.deepEqual([lines, reports.errors], [['join a w', 'close'], []])
    if (child.exitCode === null) await once(child, 'exit')
    assert.equal(child.exitCode, 0)
  })

  it('goes on with others when one breaks, and notes what was cut off', async (context) => {
    const { connect, lines, reports, until } = await setUp(context, { maxFrameBytes: 2000 })
    const [good, broken] = [await connect(), await connect()]
    good.write(OPENING)
    broken.write(Buffer.concat([OPENING, WINDOW.subarray(0, 100)]))
    await until(2)
    broken.socket.end()
    await broken.ended()
    good.write(WINDOW)
    await until(4)
    assert.deepEqual(lines.slice(2), ['close', 'metrics Check 2'])
    assert.equal(reports.counts['decode_notes truncated_at_close'], 1)
  })

  it('stops without calling anything cut off', async (context) => {
    const { connect, server, reports, lines, until } = await setUp(context)
    const peer = await connect()
    peer.write(Buffer.concat([OPENING, WINDOW.subarray(0, 9)]))
    await until(1)
    await server.stop()
    await peer.ended()
    assert.deepEqual([lines.at(-1), reports.counts], ['close', {}])
  })
})
