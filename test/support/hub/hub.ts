/** A real hub for tests: free ports, a clock in the test's hand, the log in a list. */

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { GUESTS } from '../../../src/dialects/registry.ts'
import { parseConfig } from '../../../src/hub/config/config.ts'
import { Hub } from '../../../src/hub/hub.ts'
import { isDecrements, type SeriesRecord } from '../../../src/hub/series/record.ts'
import type { CreateWorker } from '../../../src/hub/threads/ingest-threads.ts'
import { DIALECTS } from '../dialects.ts'
import { FakeClock } from '../fake-clock.ts'
import { FREE_PORTS } from '../ports.ts'

export interface TestHub {
  readonly hub: Hub
  readonly clock: FakeClock
  readonly log: string[]
  readonly textPort: number
  readonly streamPort: number
}

/** Starts a hub, which stops with the test at the latest: one that fails ends its process, too. */
export async function startHub(
  options: Record<string, unknown> = {},
  parts: { readonly createWorker?: CreateWorker; readonly clock?: FakeClock } = {},
): Promise<TestHub> {
  const { clock = new FakeClock() } = parts
  const log: string[] = []
  const hub = new Hub({
    config: parseConfig({ ...FREE_PORTS, ingestWorkers: 0, ...options }, DIALECTS),
    clock,
    log: (level, message, facts) => {
      log.push(`${level} ${message} ${JSON.stringify(facts ?? {}, bigintText)}`)
    },
    guests: GUESTS,
    ...parts,
  })
  after(() => hub.stop())
  await hub.start()
  const { text, stream } = hub.addresses()
  return { hub, clock, log, textPort: text?.port ?? 0, streamPort: stream?.port ?? 0 }
}

/** Wraps lines into a Stats Hero packet. */
export function packet(body: string): Buffer {
  return Buffer.from(`1|${Buffer.byteLength(body)}\n${body}`)
}

/**
 * Sends datagrams and waits until the hub has seen them.
 * @param address of the sender, one of loopback's
 */
export async function sendUdp(
  { hub, textPort }: TestHub,
  datagrams: readonly Uint8Array[],
  address = '127.0.0.1',
): Promise<void> {
  const socket = createSocket('udp4')
  socket.bind(0, address)
  await once(socket, 'listening')
  for (const datagram of datagrams) {
    const before = seen(hub)
    await new Promise((resolve) => socket.send(datagram, textPort, '127.0.0.1', resolve))
    await until(() => seen(hub) !== before)
  }
  socket.close()
}

/** Sends bytes over one connection, in the given writes, and waits until the hub has closed it. */
export async function sendTcp(
  { textPort }: Pick<TestHub, 'textPort'>,
  writes: readonly Uint8Array[],
): Promise<void> {
  const socket = connect({ port: textPort, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => {})
  await once(socket, 'connect')
  for (const bytes of writes) {
    socket.write(bytes)
    await setImmediate()
  }
  socket.end()
  if (!socket.destroyed) await once(socket, 'close')
}

/** Measurements, errors and unclaimed datagrams: rises with everything that arrives. */
function seen(hub: Hub): string {
  const { dialects, errors } = hub.sources()
  const counts = [...hub.series]
    .filter(({ identity }) => /^pentameter\.(unclaimed|ingest|decode)/.test(identity.name))
    .map((record) => JSON.stringify(hub.total(record), bigintText))
  const taken = dialects.map(({ name }) => hub.measurements(name))
  return JSON.stringify([taken, errors.map(({ count }) => count), counts])
}

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

/** Turns from which on each lasts a millisecond: a disk may be slower than so many of them. */
const QUICK_TURNS = 50_000

/** Waits for something that real sockets bring about; ends the test when it does not come. */
export async function until(
  isTrue: () => boolean | Promise<boolean>,
  turns = 100_000,
): Promise<void> {
  for (let i = 0; i < turns; i++) {
    if (await isTrue()) return
    await (i < QUICK_TURNS ? setImmediate() : setTimeout(1))
  }
  throw new Error(`still not true after ${turns} turns of the event loop: ${isTrue}`)
}

/** The series of a name (and kind), as the only one or an error. */
export function seriesNamed(hub: Hub, name: string, kind?: string): SeriesRecord {
  const found = [...hub.series].filter(
    (record) =>
      record.identity.name === name &&
      !isDecrements(record) &&
      (kind === undefined || record.kind === kind),
  )
  if (found.length !== 1) throw new Error(`${found.length} series are named ${name}`)
  return found[0]!
}
