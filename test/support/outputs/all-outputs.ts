/**
 * All that leaves a hub in one second: answers of HTTP, a push by OTLP, and what a viewer of scope,
 * a session of EventCounters and a live stream are told; each as a text to look into.
 */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { eventCountersOf } from '../../../src/dialects/eventcounters/hub/resident.ts'
import { createDecoder, encodeScope } from '../../../src/dialects/scope/codec.ts'
import type { SeriesEvent } from '../../../src/http/api.ts'
import { OtlpExporter } from '../../../src/http/export/otlp/exporter.ts'
import { keyedHash } from '../../../src/model/index.ts'
import { unseenJson } from '../../../src/model/text/unseen.ts'
import { type RunningServer, serve } from '../http-client.ts'
import { type TestHub, until } from '../hub/hub.ts'
import { RawPeer } from '../raw-peer.ts'
import { readFamilies } from './metric-families.ts'
import { startCollector } from './otlp-collector.ts'

const OTLP_OPTIONS: Omit<ConstructorParameters<typeof OtlpExporter>[1], 'url'> = {
  encoding: 'protobuf',
  compression: 'none',
  headers: {},
  intervalMs: 1000,
  // answers take real time while the hub's clock leaps: a day, so that none is given up
  timeoutMs: 86_400_000,
  temporality: 'dialect',
  histogram: 'dialect',
  estimatedSum: false,
  resource: {},
}
const PROTOBUF =
  'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited'
const INTERVAL = { $u64: '1000000000' }

/** Name of a series that is there all the time, so that there is something to tell. */
const WITNESS = 'witness'

/** Outputs that can be asked at any time, sorted; and all that have series by name. */
export const ANSWERS = ['OpenMetrics', 'otlp preview', 'protobuf', 'series', 'text']
export const ALL = [...ANSWERS, 'event counters', 'otlp push', 'scope'].sort()

/**
 * Lists the outputs in which all of these series are, sorted; fails where one has only some. Names
 * may have been made legal, and have what follows behind them.
 */
export function outputsWith(
  names: readonly string[],
  told: ReadonlyMap<string, string>,
): readonly string[] {
  const found: string[] = []
  for (const [output, text] of told) {
    const there = names.filter((name) => new RegExp(name.replace('.', '[._]')).test(text))
    assert.ok(there.length % names.length === 0, `${output} has ${there} of ${names}`)
    if (there.length > 0) found.push(output)
  }
  return found.sort()
}

/** Gives the length of the list of series as a live stream was told it. */
export function listed(told: ReadonlyMap<string, string>): number {
  return Number(told.get('live stream'))
}

/** What is told to those who follow a hub; each call gives what came with one second. */
type Follower = () => Promise<string>

export class AllOutputs {
  readonly #hub: TestHub
  readonly #http: RunningServer
  readonly #followers: ReadonlyMap<string, Follower>

  private constructor(hub: TestHub, http: RunningServer, followers: Map<string, Follower>) {
    this.#hub = hub
    this.#http = http
    this.#followers = followers
  }

  /** Begins to follow a hub, which must not have closed a second yet. */
  static async open(t: TestContext, started: TestHub): Promise<AllOutputs> {
    const { hub, clock } = started
    addWitness(started)
    const http = await serve(t, { view: hub })
    const followers = new Map([
      ['otlp push', await followOtlp(t, started)],
      ['scope', await followScope(t, started)],
      ['event counters', followCounters(started)],
      ['live stream', await followLive(http)],
    ])
    // those who follow begin with the next second
    clock.advance(1000)
    return new AllOutputs(started, http, followers)
  }

  /**
   * Closes a second, and reads all that is said of it.
   * @param meanwhile what happens in the middle of it
   * @returns texts by output
   */
  async second(meanwhile?: () => Promise<void>): Promise<Map<string, string>> {
    const { clock } = this.#hub
    clock.advance(500)
    await meanwhile?.()
    clock.advance(500)
    const told = new Map<string, string>()
    for (const [name, follower] of this.#followers) told.set(name, await follower())
    for (const [name, text] of await this.answers()) told.set(name, text)
    return told
  }

  /** Deletes series by their name. */
  async remove(name: string): Promise<void> {
    const path = `/api/v1/series?name=${encodeURIComponent(name)}`
    const { status, text } = await this.#http.ask(path, { method: 'DELETE' })
    assert.equal(status, 200, text)
  }

  /** Asks for all that can be asked for now. */
  async answers(): Promise<Map<string, string>> {
    const ask = async (path: string, accept?: string) =>
      (await this.#http.ask(path, accept === undefined ? {} : { headers: { accept } })).bytes
    const families = readFamilies(await ask('/metrics', PROTOBUF))
    return new Map([
      ['text', String(await ask('/metrics'))],
      ['OpenMetrics', String(await ask('/metrics', 'application/openmetrics-text'))],
      ['protobuf', unseenJson([...families])],
      ['otlp preview', String(await ask('/api/v1/otlp'))],
      ['series', String(await ask('/api/v1/series?limit=5000'))],
    ])
  }
}

async function followOtlp(t: TestContext, { hub, clock }: TestHub): Promise<Follower> {
  const { url, taken } = await startCollector(t)
  const exporter = new OtlpExporter(hub, { ...OTLP_OPTIONS, url }, { count() {}, log() {} })
  hub.addSink(exporter)
  return async () => {
    const nowNs = `${clock.wallMs()}000000`
    await until(() => unseenJson(taken.at(-1)?.request).includes(nowNs))
    await exporter.settled()
    return unseenJson(taken.at(-1)!.request)
  }
}

interface Snapshot {
  readonly kind: string
  readonly d: readonly (readonly [name: string, value: unknown])[]
}

/** Follows snapshots: names that have a value, NaN being none. */
async function followScope(t: TestContext, { hub, streamPort }: TestHub): Promise<Follower> {
  const peer = await RawPeer.connect(streamPort)
  t.after(() => peer.socket.destroy())
  const [settings] = encodeScope([{ kind: 'settings', sampling_interval: INTERVAL }])
  peer.write(settings!)
  const decoder = createDecoder({ role: 'client', transport: 'tcp' })
  const told: Uint8Array[] = []
  peer.socket.on('data', (bytes: Uint8Array) => told.push(bytes))
  const snapshots = (): Snapshot[] => {
    for (const bytes of told.splice(0)) decoder.push(bytes)
    return (decoder.messages as Snapshot[]).filter(({ kind }) => kind === 'snapshot')
  }
  await until(() => hub.sources().connections.some(({ facts }) => facts.phase === 'streaming'))
  let seen = 0
  return async () => {
    await until(() => snapshots().length > seen)
    seen = snapshots().length
    const { d } = snapshots().at(-1)!
    return unseenJson(d.filter(([, value]) => typeof value === 'number' && !Number.isNaN(value)))
  }
}

/** Follows windows of one second. */
function followCounters({ hub }: TestHub): Follower {
  const told: string[] = []
  eventCountersOf(hub)!.open({ intervalMs: 1000, deliver: 'own' }, ({ windows }) => {
    told.push(unseenJson(windows))
  })
  return async () => {
    await until(() => told.length > 0)
    return told.shift()!
  }
}

/** Follows the list of series: a stream carries its length. */
async function followLive(http: RunningServer): Promise<Follower> {
  const stream = await http.stream('/api/v1/live?interval=1')
  let total = 0
  return async () => {
    await stream.until(() => stream.events.some(({ event }) => event === 'cells'), 'cells')
    for (const { event, data } of stream.events.splice(0)) {
      if (event === 'series') total = (JSON.parse(data) as SeriesEvent).total
    }
    return String(total)
  }
}

/** Adds a gauge that stays. */
function addWitness({ hub, clock }: TestHub): void {
  const ingest = hub.createIngest('statshero')
  const key = Buffer.from(WITNESS)
  ingest.begin('127.0.0.1')
  const identity = { name: WITNESS, kind: 'gauge', labels: [] } as const
  const slot = ingest.slot(key, 0, key.length, 0, keyedHash(key, 0, key.length), () => {
    return { identity, metadata: { dialect: 'statshero' } }
  })
  const stay = (): void => {
    ingest.begin('127.0.0.1')
    ingest.set(slot, 1)
    clock.after(500, stay)
  }
  stay()
}
