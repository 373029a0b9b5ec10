import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { Board, type BoardOptions } from '../../../../model/board/board.ts'
import { encodeInfo, encodeSnapshot } from '../../codec/encode.ts'
import { frame } from '../../codec/framing.ts'
import { hex, VECTORS } from '../../test/golden.ts'
import { until } from '../../test/scope-server.ts'
import { ExporterFeed } from './exporter-feed.ts'

const MS = 1_000_000n
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A viewer of a server that a test writes the bytes of. */
async function viewing(options: BoardOptions = {}, intervalS = 0.1, timeoutS = 10) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {}).resume()
    sockets.push(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const clock = new FakeClock()
  const board = new Board(options)
  const where = { host: '127.0.0.1', port, intervalS, timeoutS }
  const feed = new ExporterFeed(where, board, clock, () => {})
  cleanups.push(async () => {
    await feed.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await feed.start()
  /** The newest connection, greeted. */
  const accept = async (): Promise<Socket> => {
    const before = sockets.length
    await until(() => sockets.length > 0 && (before === 0 || sockets.length >= before))
    return sockets.at(-1)!
  }
  const send = async (socket: Socket, ...parts: readonly Uint8Array[]): Promise<void> => {
    for (const part of parts) socket.write(part)
    for (let i = 0; i < 20; i++) await turn()
  }
  const seen = async (count: number): Promise<void> => until(() => board.counts.samples >= count)
  return { board, feed, clock, sockets, accept, send, seen }
}

/** Times and values of a line, null at its gaps. */
function samplesOf(board: Board, key: string) {
  return board
    .lineOf(key)!
    .log.chunks.flatMap(({ times, values, breaks, length }) =>
      Array.from({ length }, (_, i) => [times[i]!, values[i]!, breaks[i]! === 1] as const),
    )
}

const snapshot = (t: bigint, values: Readonly<Record<string, number>>): Uint8Array =>
  frame(encodeSnapshot(t, Object.entries(values)))

suite('an exporter on a board', () => {
  for (const stream of VECTORS.streams) {
    test(`${stream.name}: what the real exporter sent is there`, async () => {
      const { board, accept, send } = await viewing()
      const socket = await accept()
      await send(socket, hex(stream.server_stream_hex))
      const names = new Set(
        (stream.packets as { d?: readonly (readonly [string, unknown])[] }[]).flatMap(
          ({ d = [] }) => d.map(([name]) => name),
        ),
      )
      await until(() => board.size >= names.size)
      assert.deepEqual(new Set([...board.lines].map(({ name }) => name)), names)
    })
  }

  test('has plots and colours of its labels', async () => {
    const { board, accept, send, seen } = await viewing()
    await send(await accept(), hex(VECTORS.streams[0]!.server_stream_hex))
    await seen(4)
    assert.deepEqual(
      board.plots().map(({ name, lines }) => [name, ...lines.map(({ key }) => key)]),
      [
        ['a', 'a'],
        ['p1', 'p1/b'],
      ],
    )
    assert.deepEqual(board.lineOf('p1/b')!.about.color, '#9cf')
    assert.deepEqual(
      samplesOf(board, 'p1/b').map(([time, value]) => [time, value]),
      [
        [0, -2],
        [0.1, -2],
      ],
    )
  })

  test('stands at its own times, whatever is skipped and whenever packets come', async () => {
    const { board, clock, accept, send, seen } = await viewing()
    const socket = await accept()
    await send(socket, hex('0100'), frame(encodeInfo([['a', []]])))
    const ticks = [0, 1, 3, 4, 6, 7, 9]
    for (const tick of ticks) {
      clock.advance(tick * 37)
      await send(socket, snapshot(BigInt(tick) * 100n * MS, { a: tick }))
    }
    await seen(ticks.length)
    assert.deepEqual(
      samplesOf(board, 'a').map(([time, value]) => [time.toFixed(6), value]),
      ticks.map((tick) => [(tick / 10).toFixed(6), tick]),
    )
  })

  test('keeps history, settings and colours over a reconnect, with a gap', async () => {
    const { board, feed, clock, sockets, accept, send, seen } = await viewing({
      yRanges: [{ plot: 'a', min: 0, max: 5 }],
      triggers: [{ key: 'a', below: null, above: 4 }],
    })
    const first = await accept()
    await send(first, hex('0100'), snapshot(0n, { a: 1 }), snapshot(100n * MS, { a: 4 }))
    await seen(2)
    assert.equal(board.events.latched?.value, 4)
    first.destroy()
    await until(() => feed.status().state === 'offline')
    assert.ok(feed.status().retryAtNs! > clock.monotonicNs())
    assert.equal(board.events.latched?.value, 4)
    clock.advance(2000)
    await until(() => sockets.length === 2)
    await send(sockets[1]!, hex('0100'), snapshot(0n, { a: 2 }), snapshot(100n * MS, { a: 3 }))
    await seen(4)
    const samples = samplesOf(board, 'a')
    assert.deepEqual(
      samples.map(([, value, isBreak]) => [value, isBreak]),
      [
        [1, true],
        [4, false],
        [2, true],
        [3, false],
      ],
    )
    assert.ok(samples[2]![0] - samples[1]![0] > 1.5)
    assert.equal(board.events.latched, undefined, 'an event that did not stop the view is over')
    assert.deepEqual(board.yRanges.typed('a'), { min: 0, max: 5 })
    assert.equal(feed.status().state, 'online')
    assert.equal(feed.errors, 1)
  })

  test('ends a line that a snapshot lacks, and goes on at the true time', async () => {
    const { board, accept, send, seen } = await viewing()
    await send(
      await accept(),
      ...[hex('0100'), snapshot(0n, { a: 1, b: 1 }), snapshot(100n * MS, { b: 2 })],
      snapshot(200n * MS, { a: 3, b: 3 }),
    )
    await seen(5)
    assert.deepEqual(samplesOf(board, 'a'), [
      [0, 1, true],
      [0.2, 3, true],
    ])
  })

  test('waits longer than the timeout where the interval is longer', async () => {
    const { board, clock, sockets, accept, send, seen } = await viewing({}, 20, 1)
    await send(await accept(), hex('0100'), frame(encodeInfo([['a', []]])), snapshot(0n, { a: 1 }))
    await seen(1)
    clock.advance(20_000)
    await send(sockets[0]!, snapshot(20_000n * MS, { a: 2 }))
    await seen(2)
    assert.equal(sockets.length, 1)
    assert.equal(board.newest, 20)
  })

  test('loses no more than the packet or the entry that is bad', async () => {
    const { board, feed, accept, send, seen } = await viewing()
    const bad = VECTORS.rejected.find((each) => each.lenient === null && each.for === 'packet')!
    await send(
      await accept(),
      ...[hex('0100'), snapshot(0n, { a: 1 }), frame(hex(bad.payload_hex))],
      snapshot(100n * MS, { a: 2 }),
    )
    await seen(2)
    assert.deepEqual(feed.status().troubles, ['1 bad packet'])
    assert.equal(board.lineOf('a')!.value, 2)
  })

  test('shows a metric without a name without harm, and a float t as seconds', async () => {
    const { board, accept, send, seen } = await viewing()
    const asSeconds = hex('82a174cb3ff8000000000000a16481a0cb4008000000000000')
    await send(await accept(), hex('0100'), snapshot(0n, { '': 1 }), frame(asSeconds))
    await seen(2)
    assert.deepEqual(samplesOf(board, ''), [
      [0, 1, true],
      [1.5, 3, false],
    ])
  })
})
