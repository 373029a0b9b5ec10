/**
 * Peaks of single samples, from a sender at 50 Hz to a range of the API. The sender is a peer made
 * by hand of scope.md, sections 3 and 4, with the habits of the real exporter (section 5): framed,
 * an Info first, times on a grid, missed ticks as a burst with equal times. It shares no code with
 * the product.
 */
import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { RangeAnswer, SeriesPage } from '../../src/http/api.ts'
import { type RunningHub, startHub } from '../../src/hub/index.ts'
import { FREE_PORTS } from '../support/ports.ts'

const INTERVAL_NS = 20_000_000n
/** Settings of a client that wants 20 ms, in a frame: a map of one key and a u32. */
const SETTINGS = `1800000081b1${hex('sampling_interval')}ce01312d00`
const LABELS = `81a6${hex('labels')}81a4${hex('plot')}a1${hex('p')}`
const INFO = `81a7${hex('metrics')}81a5${hex('motor')}${LABELS}`

const USUAL = 10
const PEAKS = [63, 97, 41, 88]
const PEAK_EVERY = 15
const VALUES = PEAKS.flatMap((peak) => [...new Array<number>(PEAK_EVERY - 1).fill(USUAL), peak])

function hex(text: string): string {
  return Buffer.from(text).toString('hex')
}

function framed(payload: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(payload.length)
  return Buffer.concat([length, payload])
}

/** Writes an unsigned number in the shortest form of those that a time has. */
function uint(value: bigint): Buffer {
  if (value < 128n) return Buffer.of(Number(value))
  const isLong = value > 0xffff_ffffn
  const bytes = Buffer.alloc(isLong ? 9 : 5)
  bytes[0] = isLong ? 0xcf : 0xce
  if (isLong) bytes.writeBigUInt64BE(value, 1)
  else bytes.writeUInt32BE(Number(value), 1)
  return bytes
}

function snapshot(t: bigint, value: number): Buffer {
  const double = Buffer.alloc(8)
  double.writeDoubleBE(value)
  const entry = Buffer.from(`a1${hex('d')}81a5${hex('motor')}cb`, 'hex')
  return framed(Buffer.concat([Buffer.from(`82a1${hex('t')}`, 'hex'), uint(t), entry, double]))
}

interface Peer {
  readonly port: number
  /** Settles with the settings that were read, when the last value has been sent. */
  readonly sent: Promise<string>
}

async function startPeer(t: TestContext): Promise<Peer> {
  const sent = Promise.withResolvers<string>()
  const server = createServer((socket) => serve(t, socket, sent.resolve))
  t.after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as { port: number }).port, sent: sent.promise }
}

function serve(t: TestContext, socket: Socket, whenSent: (settings: string) => void): void {
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  socket.write(Buffer.of(1, 0))
  socket.once('data', (settings: Buffer) => {
    socket.write(framed(Buffer.from(INFO, 'hex')))
    socket.write(snapshot(0n, USUAL))
    const startNs = process.hrtime.bigint()
    let [last, place] = [0n, 0]
    const timer = setInterval(() => {
      const tick = (process.hrtime.bigint() - startNs) / INTERVAL_NS
      const value = VALUES[place] ?? USUAL
      if (tick > last) place++
      // what was missed comes at once, with the time and the value of now
      for (; last < tick; last++) socket.write(snapshot(tick * INTERVAL_NS, value))
      if (place === VALUES.length + 1) whenSent(settings.toString('hex'))
    }, 20)
    t.after(() => clearInterval(timer))
  })
}

async function getJson<T>(hub: RunningHub, path: string): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${hub.addresses.http!.port}/api/v1${path}`)
  assert.equal(answer.status, 200, path)
  return (await answer.json()) as T
}

test('peaks of an exporter at 50 Hz stand in every range as they were sent', async (t) => {
  const peer = await startPeer(t)
  const attach = [`scope://127.0.0.1:${peer.port}?interval=20ms`]
  const hub = await startHub({ config: { ...FREE_PORTS, ingestWorkers: 0, attach } })
  t.after(() => hub.close())
  const fromMs = Math.floor(Date.now() / 1000) * 1000
  assert.equal(await peer.sent, SETTINGS)
  const { series } = await getJson<SeriesPage>(hub, '/series?limit=1000')
  const { id } = series.find(({ name }) => name === 'motor')!
  const columnOf = async (stepS: number) => {
    const toMs = Math.ceil(Date.now() / 1000) * 1000
    const path = `/range?series=${id}&from=${fromMs}&to=${toMs}&step=${stepS}`
    const [column] = (await getJson<RangeAnswer>(hub, path)).columns
    assert.equal(column?.kind, 'gauge')
    return column as Extract<typeof column, { kind: 'gauge' }>
  }
  // what was sent last may be on its way
  const seen = async (stepS: number) => {
    const { max } = await columnOf(stepS)
    // the last value holds where the next one is late
    return max.filter((value, i) => value !== null && value > USUAL && value !== max[i - 1])
  }
  for (let turns = 0; (await seen(0.02)).length < PEAKS.length && turns < 500; turns++) {
    await pause(20)
  }
  assert.deepEqual(await seen(0.02), PEAKS)
  assert.deepEqual(await seen(0.1), PEAKS)
  for (const stepS of [1, 5]) {
    const maxOf = async () => Math.max(...(await columnOf(stepS)).max.map(Number))
    // the second of the last peak has to close before whole steps have it
    for (let turns = 0; (await maxOf()) < Math.max(...PEAKS) && turns < 250; turns++) {
      await pause(20)
    }
    const { max, min } = await columnOf(stepS)
    assert.equal(Math.max(...max.map(Number)), Math.max(...PEAKS), `${stepS} s`)
    assert.equal(Math.min(...min.filter((value) => value !== null)), USUAL, `${stepS} s`)
  }
})
