/**
 * Viewers that stay for the whole run, and add up what they are told: counter sessions at several
 * intervals, streams of the page, a scope viewer, a scraper. They end last, when all has been said.
 */
import { EventCountersClient } from '../../../src/dialects/eventcounters/client.ts'
import { ScopeClient } from '../../../src/dialects/scope/client.ts'
import { parseExposition } from '../../support/outputs/exposition-parser.ts'
import type { Target } from '../target.ts'
import { pause } from './client.ts'
import { Ledger } from './ledger.ts'
import { PageStream } from './page-stream.ts'

const SCRAPE_MS = 1000

export interface Watcher {
  /** Sums by name; `ended` counts the times that what should stay was ended. */
  readonly sums: Pick<Ledger, 'of'>
  close(): Promise<void>
}

/** Opens a counter session over meter and histogram. */
export async function watchCounters(target: Target, intervalMs: number): Promise<Watcher> {
  const sums = new Ledger()
  const opened = Promise.withResolvers<void>()
  const client = new EventCountersClient({
    ...{ url: target.base, intervalMs, counters: 'statshero[soak.meter,soak.spread]' },
    onOpen: () => opened.resolve(),
    onWindow: ({ counter, statistics }) => {
      const isSum = statistics.kind === 'sum'
      sums.add(counter.name, isSum ? statistics.increment : statistics.count)
    },
    onError: () => sums.add('ended', 1),
  })
  await client.start()
  await opened.promise
  const close = async (): Promise<void> => {
    await client.close()
    for (const [name, count] of Object.entries(client.counts)) sums.set(name, count)
  }
  return { sums, close }
}

/** Opens a stream of the page over meter and histogram. */
export async function watchPage(target: Target, intervalS: number): Promise<Watcher> {
  const names = ['soak.meter', 'soak.spread']
  const series = await Promise.all(names.map((name) => target.named(name)))
  const ids = series.map((each) => each!.id)
  const stream = await PageStream.open(target, ids, intervalS)
  return {
    sums: { of: (name) => stream.countOf(ids[names.indexOf(name)] ?? 0) },
    close: async () => stream.close(),
  }
}

/** Opens a scope viewer, which keeps the last value of each gauge. */
export async function watchScope(target: Target): Promise<Watcher> {
  const sums = new Ledger()
  const client = new ScopeClient({
    ...target.stream,
    samplingIntervalMs: 100,
    onSample: ({ series, values }) => {
      sums.add('samples', 1)
      series.forEach((each, i) => {
        if (each?.identity.name.startsWith('soak.')) sums.set(each.identity.name, values[i]!)
      })
    },
    onError: () => sums.add('ended', 1),
  })
  await client.start()
  return { sums, close: () => client.close() }
}

/** Scrapes; counts answers that are no exposition, and totals that went back. */
export function watchMetrics(target: Target): Watcher {
  const sums = new Ledger()
  const stop = new AbortController()
  const run = async (): Promise<void> => {
    let last = 0
    while (!stop.signal.aborted) {
      const { status, text } = await target.get('/metrics').catch(() => ({ status: 0, text: '' }))
      if (status === 503) sums.add('refused', 1)
      else {
        sums.add('scrapes', 1)
        if (!isExposition(text)) sums.add('malformed', 1)
        const total = Number(/^soak_meter_total\S* (\d+)/m.exec(text)?.[1] ?? Number.NaN)
        if (!(total >= last)) sums.add('fallen', 1)
        last = total
      }
      await pause(SCRAPE_MS, stop.signal)
    }
  }
  const running = run()
  const close = async (): Promise<void> => {
    stop.abort()
    await running
  }
  return { sums, close }
}

function isExposition(text: string): boolean {
  try {
    return parseExposition(text, 'text').length > 0
  } catch {
    return false
  }
}
