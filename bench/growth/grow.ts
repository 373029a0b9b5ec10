/** A hub with many series of one kind: what they cost to define, to keep, to count, to scrape. */
import { join } from 'node:path'
import { until } from '../measure/patience.ts'
import { forkProgram } from '../receivers/receiver.ts'
import { type LoopFigures, run } from '../workers/hub.ts'
import { type Scrape, scrape } from './scrape.ts'
import { type GrowingKind, linesOf, Sender } from './stream.ts'

export interface Growth {
  /** Processor time of the hub for one new series, less what it takes while idle, µs. */
  readonly defineUs: number
  /** Resident memory above that of the empty hub, the live ring apart, bytes for each series. */
  readonly bytesPerSeries: number
  /** Processor time in a second in which nothing comes. */
  readonly idleShare: number
  /** Processor time in a second in which every series gets a line. */
  readonly busyShare: number
  /** Longest turn of the event loop meanwhile, ms of processor time. */
  readonly longestTurnMs: number
  /** Delay of the event loop meanwhile, ms: 99 % of all, in which other programs have a share. */
  readonly delayMsP99: number
  /** Seconds meanwhile that were closed together with the one before. */
  readonly ticksMissed: number
  /** Time after the last second until the hub had taken all lines. */
  readonly behindS: number
  /** The first one, and one after every series has changed. */
  readonly scrapes: readonly [first: Scrape, changed: Scrape]
  /** Memory after the scrapes, by that before. */
  readonly scrapeGrowth: number
}

const SECONDS = 5
const SETTLE_MS = 2000
const ZONE_BYTES = 1_073_741_824
const SERIES_LIMIT = 1_000_100
const POLL_MS = 50

interface Ports {
  readonly textPort: number
  readonly httpPort: number
}

/** @returns how many series it took, where it has no room for all */
export async function grow(kind: GrowingKind, series: number): Promise<Growth | number> {
  const [hub, { textPort, httpPort }] = await run<Ports>('hub-process.ts', {
    ingestWorkers: 1,
    seriesLimit: SERIES_LIMIT,
    seriesLimitPerSource: SERIES_LIMIT,
    zoneBytesLimit: ZONE_BYTES,
    zonePercentPerSource: 100,
  })
  const loop = (): Promise<LoopFigures> => hub.ask('loop')
  const reach = async (lines: number): Promise<void> => {
    const isReached = async (): Promise<boolean> => {
      const taken = await hub.ask<number>('lines')
      return taken >= lines || taken + (await hub.ask<number>('refused')) >= lines
    }
    await until(isReached, `${lines} lines`, POLL_MS)
  }
  const pause = (ms: number): Promise<void> => {
    return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))
  }
  await pause(SETTLE_MS)
  const empty = await loop()
  const own = await hub.ask<number>('series')
  const sender = new Sender(textPort)
  await sender.send(linesOf(kind, series, 1))
  await reach(series)
  await pause(SETTLE_MS)
  const defined = await loop()
  const taken = (await hub.ask<number>('series')) - own
  if (taken < series) {
    sender.end()
    await hub.stop()
    return taken
  }
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
  const first = await scrape(httpPort)
  await sender.send(writes)
  await reach((2 + SECONDS) * series)
  await pause(SETTLE_MS)
  const changed = await scrape(httpPort)
  const after = await loop()
  sender.end()
  await hub.stop()
  const idleShare = idle.cpuMs / idle.wallMs
  return {
    defineUs: ((defined.cpuMs - defined.wallMs * idleShare) * 1000) / series,
    bytesPerSeries: (residentOf(idle) - residentOf(empty)) / series,
    idleShare,
    busyShare: busy.cpuMs / busy.wallMs,
    longestTurnMs: busy.turnMsMax,
    delayMsP99: busy.delayMsP99,
    ticksMissed: busy.ticksMissed - idle.ticksMissed,
    behindS,
    scrapes: [first, changed],
    // a second of changes lies between both, which is in the ring
    scrapeGrowth: residentOf(after) / residentOf(before),
  }
}

/** Live seconds are bounded by an option, whatever the series are. */
function residentOf({ residentBytes, ringBytes }: LoopFigures): number {
  return residentBytes - ringBytes
}

/** What a registry of @prometheus-io/client takes for as many counters. */
export async function growRegistry(series: number): Promise<{ bytes: number; scrape: Scrape }> {
  const file = join(import.meta.dirname, 'registry-process.ts')
  const registry = await forkProgram('registry', file, [String(series)])
  const bytes = await registry.ask('bytes')
  const answer = await scrape(registry.udpPort)
  await registry.stop()
  return { bytes, scrape: answer }
}
