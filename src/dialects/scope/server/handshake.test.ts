import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { afterEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { ModelIngest } from '../../../../test/support/model-ingest.ts'
import { RawPeer } from '../../../../test/support/raw-peer.ts'
import { NO_REPORTS } from '../../endpoints.ts'
import { encodeSettings } from '../codec/encode.ts'
import { frame } from '../codec/framing.ts'
import { decodePacket } from '../codec/packet.ts'
import { createServer as createScopeServer } from '../server.ts'
import type { Packet } from '../spec.ts'
import { hex } from '../test/golden.ts'
import {
  atEnd,
  attachViewer,
  cleanUp,
  connectViewer,
  MS,
  startServer,
  takeInfo,
  takePacket,
  takeSnapshot,
  until,
} from '../test/scope-server.ts'
import { CallbackSource } from './callback-source.ts'

afterEach(cleanUp)

describe('handshake', () => {
  it('sends the version at once, and nothing more until the settings', async () => {
    const { port, clock, server } = await startServer()
    const peer = await connectViewer(port)
    clock.advance(59_000)
    await turn()
    assert.equal(peer.received.length, 0)
    assert.equal(server.connections()[0]?.facts.phase, 'handshake')
    peer.write(frame(encodeSettings(10n * MS)))
    assert.equal((await takeInfo(peer)).metrics.size, 0)
    assert.equal((await takeSnapshot(peer)).t, 0n)
  })

  it('takes settings that came before the version was read', async () => {
    const { port } = await startServer()
    const peer = await RawPeer.connect(port)
    peer.write(frame(encodeSettings(10n * MS)))
    atEnd(() => peer.close())
    await peer.take(2)
    assert.equal((await takePacket(peer)).kind, 'info')
  })

  it('answers every client in its own framing, with its own time base', async () => {
    const { port, clock, source } = await startServer()
    source.add('x', () => 1)
    const framings = {
      'framed map': frame(encodeSettings(10n * MS)),
      'framed array': frame(hex('91ce00989680')),
      'bare map': encodeSettings(10n * MS),
      'bare short array': hex('9105'),
    }
    for (const [name, settings] of Object.entries(framings)) {
      const peer = await connectViewer(port)
      const timers = clock.pending
      peer.write(settings)
      if (name === 'bare short array') {
        await until(() => clock.pending === timers + 1)
        clock.advance(250)
      }
      const isFramed = name.startsWith('framed')
      const take = async (size: number): Promise<Packet> =>
        decodePacket(isFramed ? await peer.takeFrame() : await peer.take(size))
      const info = await take(32)
      assert.equal(info.kind, 'info', name)
      const snapshot = await take(18)
      assert.equal(snapshot.kind === 'snapshot' && snapshot.t, 0n, name)
      clock.advance(10)
      const next = await take(22)
      const t = name === 'bare short array' ? MS : 10n * MS
      assert.equal(next.kind === 'snapshot' && next.t, t, name)
    }
  })

  it('takes settings that dribble in byte by byte, framed and bare', async () => {
    const { port, clock } = await startServer()
    for (const settings of [frame(encodeSettings(7n * MS)), encodeSettings(7n * MS)]) {
      const peer = await connectViewer(port)
      for (const byte of settings) {
        peer.write(new Uint8Array([byte]))
        await turn()
        clock.advance(20)
      }
      assert.notEqual((await peer.take(4)).length, 0)
      peer.close()
    }
  })

  const refusals: Readonly<Record<string, readonly [Uint8Array, string]>> = {
    'a float': [frame(hex('81b173616d706c696e675f696e74657276616ccb412e848000000000')), 'type'],
    zero: [frame(hex('9100')), 'range'],
    'a negative number': [frame(hex('91ff')), 'range'],
    text: [frame(hex('91a135')), 'type'],
    'an empty map': [frame(hex('80')), 'shape'],
    'a reserved byte': [frame(hex('c1')), 'malformed'],
    'a length of zero': [hex('00000000'), 'empty'],
    'a length above the cap': [hex('01100000'), 'too_large'],
    HTTP: [Buffer.from('GET / HTTP/1.1\r\n\r\n'), 'too_large'],
    TLS: [hex('160301020001'), 'too_large'],
    'bare text that never ends': [hex('81dbffffffff'), 'too_large'],
  }
  for (const [name, [bytes, word]] of Object.entries(refusals)) {
    it(`refuses ${name} as settings_${word}: one line, nothing after the version`, async () => {
      const { port, reports, clock } = await startServer()
      const other = await attachViewer(port, 10n * MS)
      const peer = await connectViewer(port)
      peer.write(bytes)
      await peer.ended()
      assert.equal(peer.received.length, 0)
      const code = `settings_${word}`
      assert.equal(reports.counts[`handshake_refused ${code}`], 1)
      assert.deepEqual(
        reports.errors.map((error) => error.code),
        [code],
      )
      const lines = reports.lines.filter(({ level }) => level === 'warn')
      assert.equal(lines.length, 1)
      assert.equal(lines[0]?.facts.code, code)
      assert.match(String(lines[0]?.facts.hex), /^([0-9a-f]{2}){1,16}$/)
      clock.advance(10)
      assert.equal((await takeSnapshot(other)).t, 10n * MS)
    })
  }

  it('closes clients whose settings are not complete in time', async () => {
    const { port, clock, reports } = await startServer({ handshakeTimeoutMs: 1000 })
    const silent = await connectViewer(port)
    const slow = await connectViewer(port)
    slow.write(hex('1800'))
    await until(() => clock.pending === 3)
    clock.advance(999)
    await turn()
    assert.equal(silent.isEnded, false)
    clock.advance(1)
    await Promise.all([silent.ended(), slow.ended()])
    assert.equal(reports.counts['handshake_refused handshake_timeout'], 2)
  })

  it('forbids the other framing when one is forced', async () => {
    for (const [framing, settings] of [
      ['framed', encodeSettings(MS)],
      ['bare', frame(encodeSettings(MS))],
    ] as const) {
      const { port, reports } = await startServer({ framing })
      const peer = await connectViewer(port)
      peer.write(settings)
      await peer.ended()
      assert.equal(reports.counts['handshake_refused framing'], 1)
    }
  })

  it('closes clients beyond the limit at once, without a version', async () => {
    const { port, reports } = await startServer({ maxClients: 1 })
    const first = await attachViewer(port, 10n * MS)
    const second = await RawPeer.connect(port)
    await second.ended()
    assert.equal(second.received.length, 0)
    assert.equal(reports.counts['handshake_refused max_clients'], 1)
    assert.equal(first.isEnded, false)
  })

  it('gives a place of the address that has most to a viewer of one that has fewer', async () => {
    const { port, reports, server, clock } = await startServer({ maxClients: 4 })
    const held: RawPeer[] = []
    for (let i = 1; i <= 4; i++) {
      const peer = await RawPeer.connect(port, '127.0.0.1', '127.0.0.2')
      atEnd(() => peer.close())
      held.push(peer)
      await peer.take(2)
      // the last one says nothing
      if (i < 4) peer.write(frame(encodeSettings(10n * MS)))
    }
    await until(() => reports.lines.length === 3)
    clock.advance(300)
    const viewers = [await attachViewer(port, 10n * MS), await attachViewer(port, 10n * MS)]
    await Promise.all([held[3]!.ended(), held[0]!.ended()])
    assert.deepEqual(
      held.map(({ isEnded }) => isEnded),
      [true, false, false, true],
    )
    for (const address of ['127.0.0.1', '127.0.0.2']) {
      const refused = await RawPeer.connect(port, '127.0.0.1', address)
      await refused.ended()
      assert.equal(refused.received.length, 0)
    }
    assert.ok(viewers.every(({ isEnded }) => !isEnded))
    assert.equal(server.connections().length, 4)
    assert.equal(reports.counts['clients_closed made_room'], 2)
    assert.equal(reports.counts['handshake_refused max_clients'], 2)
    const told = reports.lines.filter(({ message }) => /make room|refused/.test(message))
    assert.deepEqual(
      told.map(({ message }) => message),
      ['viewers closed to make room for others', 'viewers refused: too many clients'],
    )
  })

  it('keeps its promises on a socket that its listener would close at half', async () => {
    const clock = new FakeClock()
    const server = createScopeServer({
      ...{ openSnapshot: () => new CallbackSource(), clock, reports: NO_REPORTS, options: {} },
      ingest: new ModelIngest(),
    })
    const listener = createServer((socket) => server.accept!(socket, hex('0200')))
    atEnd(() => listener.close())
    atEnd(() => server.stop())
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const peer = await RawPeer.connect((listener.address() as { port: number }).port)
    atEnd(() => peer.close())
    // it has spoken: the version comes once these are settings
    peer.write(hex('0000'))
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(peer.received.length, 0)
    peer.write(hex('9105'))
    peer.socket.end()
    assert.deepEqual([...(await peer.take(2))], [1, 0])
    assert.equal((await takeInfo(peer)).metrics.size, 0)
    assert.equal((await takeSnapshot(peer)).t, 0n)
    clock.advance(3)
    assert.equal((await takeSnapshot(peer)).t, MS)
  })
})
