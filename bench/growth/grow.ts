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
  /** All memory of the process after that, live ring and what an empty hub has included. */
  readonly residentBytes: number
  /** Processor time of a second, in looks of some seconds, in turn. */
  readonly looks: readonly Look[]
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

/** What a second takes in which nothing comes, and one in which every series changes. */
export interface Look {
  readonly idleShare: number
  readonly busyShare: number
}

const LOOKS = 3
const SECONDS = 3
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
  // in turn, so that a gauge changes each time
  const writes = [linesOf(kind, series, 2), linesOf(kind, series, 3)]
  let sent = 1
  const sendAll = (): Promise<void> => sender.send(writes[sent++ % writes.length]!)
  const looks: Look[] = []
  const turns: LoopFigures[] = []
  let behindS = 0
  let idle = defined
  for (let look = 0; look < LOOKS; look++) {
    await pause(SECONDS * 1000)
    const quiet = await loop()
    const begin = performance.now()
    for (let second = 0; second < SECONDS; second++) {
      await sendAll()
      await pause(begin + (second + 1) * 1000 - performance.now())
    }
    const end = performance.now()
    await reach(sent * series)
    behindS = Math.max(behindS, (performance.now() - end) / 1000)
    const busy = await loop()
    turns.push(busy)
    looks.push({ idleShare: shareOf(quiet), busyShare: shareOf(busy) })
    // the second that is under way is closed in neither
    await pause(SETTLE_MS)
    if (look === 0) idle = quiet
    await loop()
  }
  const before = await loop()
  const first = await scrape(httpPort)
  await sendAll()
  await reach(sent * series)
  await pause(SETTLE_MS)
  const changed = await scrape(httpPort)
  const after = await loop()
  sender.end()
  await hub.stop()
  return {
    defineUs: ((defined.cpuMs - defined.wallMs * shareOf(idle)) * 1000) / series,
    bytesPerSeries: (residentOf(idle) - residentOf(empty)) / series,
    residentBytes: before.residentBytes,
    looks,
    longestTurnMs: Math.max(...turns.map(({ turnMsMax }) => turnMsMax)),
    delayMsP99: Math.max(...turns.map(({ delayMsP99 }) => delayMsP99)),
    ticksMissed: turns.at(-1)!.ticksMissed - idle.ticksMissed,
    behindS,
    scrapes: [first, changed],
    // a second of changes lies between both, which is in the ring
    scrapeGrowth: residentOf(after) / residentOf(before),
  }
}

function shareOf({ cpuMs, wallMs }: LoopFigures): number {
  return cpuMs / wallMs
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
