/** A hub with many series of one kind: what they cost to define, to keep, to count, to scrape. */
import { type LoopFigures, run } from '../workers/hub.ts'
import { type Scrape, scrape } from './scrape.ts'
import { type GrowingKind, linesOf, Sender } from './stream.ts'

export interface Growth {
  /** Processor time of the hub for one new series, µs. */
  readonly defineUs: number
  /** Resident memory above that of the empty hub, bytes for each series. */
  readonly bytesPerSeries: number
  /** Processor time in a second in which nothing comes. */
  readonly idleShare: number
  /** Processor time in a second in which every series gets a line. */
  readonly busyShare: number
  /** Longest turn of the event loop meanwhile, ms of processor time. */
  readonly longestTurnMs: number
  /** Time after the last second until the hub had taken all lines. */
  readonly behindS: number
  readonly scrape: Scrape
  /** Memory after the scrape, by that before. */
  readonly scrapeGrowth: number
}

const SECONDS = 6
const SETTLE_MS = 2500
const ZONE_BYTES = 1_073_741_824
const LIMIT_MS = 180_000
const POLL_MS = 50

interface Ports {
  readonly streamPort: number
  readonly httpPort: number
  readonly textPort: number
}

export async function grow(kind: GrowingKind, series: number): Promise<Growth> {
  const [hub, { textPort, httpPort }] = await run<Ports>('hub-process.ts', {
    ingestWorkers: 1,
    seriesLimit: 1_000_000,
    seriesLimitPerSource: 1_000_000,
    zoneBytesLimit: ZONE_BYTES,
    zonePercentPerSource: 100,
  })
  const loop = (): Promise<LoopFigures> => hub.ask('loop')
  const lines = (): Promise<number> => hub.ask('lines')
  const reach = async (wanted: number): Promise<void> => {
    const limit = performance.now() + LIMIT_MS
    while ((await lines()) < wanted) {
      if (performance.now() > limit) throw new Error(`${wanted} lines took too long`)
      await pause(POLL_MS)
    }
  }
  await pause(SETTLE_MS)
  const empty = await loop()
  const sender = new Sender(textPort)
  await sender.send(linesOf(kind, series, 1))
  await reach(series)
  await pause(SETTLE_MS)
  const defined = await loop()
  await pause(SECONDS * 1000)
  const idle = await loop()
  const writes = linesOf(kind, series, 2)
  const begin = performance.now()
  for (let second = 0; second < SECONDS; second++) {
    await sender.send(writes)
    await pause(begin + (second + 1) * 1000 - performance.now())
  }
  const end = performance.now()
  await reach((1 + SECONDS) * series)
  const behindS = (performance.now() - end) / 1000
  const busy = await loop()
  await pause(SETTLE_MS)
  const before = await loop()
  const answer = await scrape(httpPort)
  const after = await loop()
  sender.end()
  await hub.stop()
  return {
    defineUs: (defined.cpuMs * 1000) / series,
    bytesPerSeries: (idle.residentBytes - empty.residentBytes) / series,
    idleShare: idle.cpuMs / idle.wallMs,
    busyShare: busy.cpuMs / busy.wallMs,
    longestTurnMs: busy.turnMsMax,
    behindS,
    scrape: answer,
    scrapeGrowth: after.residentBytes / before.residentBytes,
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))
}
