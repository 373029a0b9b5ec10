/** The demo's senders and viewers on real sockets, one per dialect and direction. */
import { ScopeClient } from '../../dialects/scope/client.ts'
import { StatsHeroClient } from '../../dialects/statshero/client.ts'
import { type Instruments, Shop } from '../../dialects/statshero/demo/shop.ts'
import { APPLICATION, startPipeline, WORKERS } from '../../dialects/wallaroo/demo/pipeline.ts'
import type { Clock, Log } from '../../hub/index.ts'
import type { Address, Addresses } from '../start-report.ts'

/** How often a shop reports, and the seed of its invented day. */
const STEP_MS = 100
const SEED = 5
/** What the viewer asks of the hub. */
const VIEWER_INTERVAL_MS = 100

/** Starts everything; the returned function ends it. */
export async function startTraffic(
  { text, stream }: Addresses,
  clock: Clock,
  log: Log,
): Promise<() => Promise<void>> {
  const endings: (() => Promise<void>)[] = []
  if (text !== undefined) {
    endings.push(startShop('udp', text, SEED, clock))
    endings.push(startShop('tcp', text, SEED + 1, clock))
    log('info', 'two demo shops report, over udp and tcp', { to: `${text.host}:${text.port}` })
  }
  if (stream !== undefined) {
    endings.push(startViewer(stream, clock))
    const to = `${stream.host}:${stream.port}`
    log('info', 'a scope viewer is attached', { to })
    endings.push(startPipeline(stream, clock))
    log('info', `${WORKERS.length} workers of "${APPLICATION}" report their pipelines`, { to })
  }
  return async () => {
    await Promise.all(endings.map((end) => end()))
  }
}

function startShop(
  transport: 'udp' | 'tcp',
  { host, port }: Address,
  seed: number,
  clock: Clock,
): () => Promise<void> {
  const client = new StatsHeroClient({ host, port, transport, flushIntervalMs: STEP_MS })
  void client.start()
  const shop = new Shop(seed)
  const instruments = sendWith(client, transport === 'udp' ? 'us' : 'eu')
  let cancel = (): void => {}
  const step = (): void => {
    shop.step(STEP_MS / 1000, instruments)
    cancel = clock.after(STEP_MS, step)
  }
  step()
  return async () => {
    cancel()
    await client.close()
  }
}

/** The shops are told apart by their first name component, since the protocol has no labels. */
function sendWith(client: StatsHeroClient, region: string): Instruments {
  return {
    meter: (key, value) => client.send({ key: `${region}.${key}`, value, type: 'm' }),
    reading: (key, value) => client.send({ key: `${region}.${key}`, value, type: 'mr' }),
    gauge: (key, value) => client.send({ key: `${region}.${key}`, value, type: 'g' }),
    histogram: (key, value) => client.send({ key: `${region}.${key}`, value, type: 'h' }),
  }
}

/** Watches the hub as the original viewer does, and throws away what it sees. */
function startViewer({ host, port }: Address, clock: Clock): () => Promise<void> {
  const viewer = new ScopeClient({ host, port, samplingIntervalMs: VIEWER_INTERVAL_MS, clock })
  void viewer.start()
  return () => viewer.close()
}
