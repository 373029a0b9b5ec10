/** A scope server under a clock that the test moves, and viewers that it drives by hand. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { RawPeer } from '../../../../test/support/raw-peer.ts'
import { RecordedReports } from '../../../../test/support/recorded-reports.ts'
import { encodeSettings } from '../codec/encode.ts'
import { frame } from '../codec/framing.ts'
import { decodePacket } from '../codec/packet.ts'
import { CallbackSource } from '../server/callback-source.ts'
import type { ScopeServerOptions } from '../server.ts'
import { ScopeServer } from '../server.ts'
import type { Info, Packet, Snapshot } from '../spec.ts'

/** Nanoseconds of a millisecond. */
export const MS = 1_000_000n
const cleanups: (() => unknown)[] = []

/** Closes what a test has opened, the last first; for `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}

export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup)
}

/** A server on its own port over a source of callbacks. */
export async function startServer(options: Partial<ScopeServerOptions> = {}) {
  const clock = new FakeClock()
  const reports = new RecordedReports()
  const source = new CallbackSource(reports)
  const server = new ScopeServer({ source, port: 0, ...options, clock, reports })
  atEnd(() => server.close())
  await server.start()
  return { clock, reports, source, server, port: server.port }
}

/** A viewer that has read the version. */
export async function connectViewer(port: number): Promise<RawPeer> {
  const peer = await RawPeer.connect(port)
  atEnd(() => peer.close())
  assert.deepEqual([...(await peer.take(2))], [1, 0])
  return peer
}

/** A viewer that has had its first Info and its first snapshot. */
export async function attachViewer(port: number, intervalNs: bigint): Promise<RawPeer> {
  const peer = await connectViewer(port)
  peer.write(frame(encodeSettings(intervalNs)))
  await takeInfo(peer)
  assert.equal((await takeSnapshot(peer)).t, 0n)
  return peer
}

export async function takePacket(peer: RawPeer): Promise<Packet> {
  return decodePacket(await peer.takeFrame(), { strict: true })
}

export async function takeSnapshot(peer: RawPeer): Promise<Snapshot> {
  const packet = await takePacket(peer)
  if (packet.kind !== 'snapshot') throw new assert.AssertionError({ message: 'an Info came' })
  return packet
}

export async function takeInfo(peer: RawPeer): Promise<Info> {
  const packet = await takePacket(peer)
  if (packet.kind !== 'info') throw new assert.AssertionError({ message: 'a snapshot came' })
  return packet
}

export function valuesOf({ names, values }: Snapshot): Record<string, number> {
  return Object.fromEntries(names.map((name, i) => [name, values[i]!]))
}

/** Lets sockets work until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn()
}
