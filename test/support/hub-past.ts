/** A folder of a history with days of a past that a hub can go on with, by arithmetic. */

import { SqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { type Cell, Histogram, type Identity } from '../../src/model/index.ts'
import { SecondMaker } from './history.ts'

const DAY_S = 86_400

/** A worker that was there for two hours only. */
const WORKER: Identity = { name: 'shop.jobs', kind: 'counter', labels: [['worker', 'dead']] }

const SERIES = {
  requests: { name: 'shop.requests', kind: 'counter', labels: [] },
  queue: { name: 'shop.queue', kind: 'gauge', labels: [] },
  latency: { name: 'shop.latency', kind: 'histogram', labels: [] },
} as const satisfies Readonly<Record<string, Identity>>

/** Type words of the series, in their order. */
const TYPES = ['m', 'g', 'h', 'm'] as const

interface WrittenPast {
  readonly folder: string
  /** Unix seconds, whole minutes. */
  readonly fromS: number
  readonly toS: number
  /** Stretches in which no hub ran: the seconds after the first up to the second. */
  readonly gaps?: readonly (readonly [fromS: number, toS: number])[]
  /** End of the last cell of a worker that is no more. */
  readonly diedS?: number
}

/** Gives the requests of the minute that ends at a second: another number for each of a day. */
export function requestsOf(endS: number): number {
  return 60 + ((endS % DAY_S) / 60) * 2
}

/** Gives the queue's depth at the end of a minute, a wave over a day with a peak an hour. */
export function queueOf(endS: number): number {
  const wave = Math.round(50 + 40 * Math.sin((endS / DAY_S) * 2 * Math.PI))
  return endS % 3600 === 0 ? wave + 200 : wave
}

/** Writes a cell for each minute, as a hub that stood still between them would. */
export async function writePast(past: WrittenPast): Promise<void> {
  const { folder, fromS, toS, gaps = [], diedS = 0 } = past
  const store = new SqliteHistory({
    folder,
    nowMs: () => toS * 1000,
    ...{ secondsKeptS: 7 * DAY_S, minutesKeptS: 90 * DAY_S, hoursKeptS: 1825 * DAY_S },
    ...{ bytesLimit: 2 ** 30, seriesLimit: 1000 },
  })
  const maker = new SecondMaker()
  const origin = JSON.stringify({
    ...{ source: '127.0.0.1', beganMs: fromS * 1000 },
    ...{ isKept: false, isWindowed: false, isDecrements: false, isCumulative: false },
  })
  for (let endS = fromS + 60; endS <= toS; endS += 60) {
    if (gaps.some(([from, to]) => endS > from && endS <= to)) continue
    const histogram = new Histogram(2)
    for (let i = 1; i <= 20; i += 1) histogram.record(i * (1 + (endS % DAY_S) / DAY_S))
    const isThere = endS > diedS - 7200 && endS <= diedS
    const jobs: readonly [Identity, Cell] = [WORKER, { kind: 'counter', delta: 120 }]
    const cells: readonly (readonly [Identity, Cell])[] = [
      [SERIES.requests, { kind: 'counter', delta: requestsOf(endS) }],
      [SERIES.queue, { kind: 'gauge', value: queueOf(endS), at: endS * 1000 }],
      [SERIES.latency, { kind: 'histogram', histogram }],
      ...(isThere ? [jobs] : []),
    ]
    const second = maker.second(
      endS,
      cells.map(([identity, cell]) => ({ identity, cell })),
      endS === diedS + 60 ? [WORKER] : [],
    )
    const defined = second.defined.map((each) => ({
      ...each,
      metadata: { dialect: 'statshero', type: TYPES[each.ref - 1]! },
      origin,
    }))
    await store.append({ ...second, seconds: 60, defined })
  }
  await store.close()
}
