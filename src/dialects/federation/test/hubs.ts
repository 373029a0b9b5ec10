/**
 * Hubs of one process that are attached to each other over loopback: their clocks are in the test's
 * hand, and pass together.
 */
import { after } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { seriesNamed, startHub, type TestHub, until } from '../../../../test/support/hub/hub.ts'
import { createHttpServer, type HttpServer } from '../../../http/server.ts'
import type { Hub } from '../../../hub/hub.ts'
import { Histogram, type Identity } from '../../../model/index.ts'
import type { Ingest } from '../../ingest.ts'
import { GUESTS } from '../../registry.ts'

/** A hub with its HTTP port, and an ingest that stands for its own senders. */
export interface ServedHub extends TestHub {
  readonly port: number
  readonly ingest: Ingest
  /** Ends the hub. */
  stop(): Promise<void>
  /** Ends its HTTP side alone, and begins it anew at a port. */
  stopDoor(): Promise<void>
  openDoor(port: number): Promise<void>
}

export async function servedHub(
  options: Record<string, unknown> = {},
  clock: FakeClock = new FakeClock(),
  port = 0,
): Promise<ServedHub> {
  const federation = { client: { reconnectFirstMs: 0, reconnectLimitMs: 0, reconnectJitter: 0 } }
  const started = await startHub({ federation, ...options }, { clock })
  const { hub } = started
  let server = serverOf(hub, port)
  const { port: bound } = await server.start()
  const stopDoor = (): Promise<void> => server.stop()
  const openDoor = async (again: number): Promise<void> => {
    server = serverOf(hub, again)
    await server.start()
  }
  const stop = async (): Promise<void> => {
    await server.stop()
    await hub.stop()
  }
  after(stop)
  const ingest = hub.createIngest('statshero')
  ingest.begin('10.0.0.1')
  return { ...started, port: bound, ingest, stop, stopDoor, openDoor }
}

function serverOf(hub: Hub, port: number): HttpServer {
  return createHttpServer({
    ...{ view: hub, webRoot: '/nonexistent', host: '127.0.0.1', port, guests: GUESTS },
    reportsOf: (dialect) => hub.reports.for(dialect),
  })
}

export function addressOf({ port }: ServedHub, query = ''): string {
  return `pentameter://127.0.0.1:${port}${query}`
}

/** Facts that a hub shows of another that it is attached to. */
export function factsOf(hub: ServedHub, to: ServedHub): Readonly<Record<string, unknown>> {
  const found = hub.hub.sources().connections.find(({ dialect, openedBy, peer }) => {
    return dialect === 'federation' && openedBy === 'hub' && peer.endsWith(`:${to.port}`)
  })
  return found?.facts ?? {}
}

/** State of a hub's way to another, with the reason for it. */
export function stateOf(hub: ServedHub, to: Pick<ServedHub, 'port'>) {
  const { peers = [] } = hub.hub.sources()
  const found = peers.find(({ name }) => new RegExp(`:${to.port}(\\?|$)`).test(name))
  return { state: found?.state, message: found?.message }
}

/** Waits until a hub is attached to others. */
export async function attached(hub: ServedHub, ...others: readonly ServedHub[]): Promise<void> {
  await until(() => {
    hub.clock.advance(0)
    return others.every((other) => stateOf(hub, other).state === 'connected')
  })
}

/** Lets a second pass for all hubs, and waits until one of them has handed it on. */
export async function second(clock: FakeClock, ...hubs: readonly ServedHub[]): Promise<number> {
  const endMs = Math.floor(clock.wallMs() / 1000) * 1000 + 1000
  clock.advance(endMs - clock.wallMs())
  await until(() => hubs.every(({ hub }) => hub.live.newest?.endMs === endMs))
  return endMs
}

const encoder = new TextEncoder()

/** Slot of a series of a hub's own senders. */
function slot(ingest: Ingest, identity: Identity, isWindowed = false): number {
  const key = encoder.encode(JSON.stringify(identity))
  const unit = identity.kind === 'counter' ? {} : { unit: 'ms' }
  return ingest.slot(key, 0, key.length, isWindowed ? 1 : 0, key.length, () => ({
    identity,
    metadata: { dialect: 'statshero', type: 'm', description: 'of a test', ...unit },
    isWindowed,
  }))
}

export function count({ ingest }: ServedHub, name: string, value: number | bigint): void {
  ingest.count(slot(ingest, { name, kind: 'counter', labels: [] }), value, 1)
}

export function set({ ingest }: ServedHub, name: string, value: number): void {
  ingest.set(slot(ingest, { name, kind: 'gauge', labels: [] }), value)
}

export function observe({ ingest }: ServedHub, name: string, values: readonly number[]): void {
  const at = slot(ingest, { name, kind: 'histogram', labels: [] })
  for (const value of values) ingest.observe(at, value, 1)
}

export function observeWindow(
  { ingest }: ServedHub,
  name: string,
  values: readonly number[],
): void {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  const at = slot(ingest, { name, kind: 'histogram', labels: [] }, true)
  ingest.merge(at, { kind: 'histogram', histogram })
}

export function summarize({ ingest }: ServedHub, name: string, value: number): void {
  const summary = { count: 1, mean: value, squares: 0, min: value, max: value }
  const at = slot(ingest, { name, kind: 'summary', labels: [] })
  ingest.merge(at, { kind: 'summary', summary })
}

/** Cell of a series in the newest second of a hub; undefined where nothing happened to it. */
export function cellOf({ hub }: ServedHub, name: string, endMs = hub.live.newest?.endMs ?? 0) {
  const record = seriesNamed(hub, name)
  return hub.live.holding(endMs)?.cell(record.id, record.kind)
}

export function totalOf({ hub }: ServedHub, name: string) {
  return hub.total(seriesNamed(hub, name))
}
