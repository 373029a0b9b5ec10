/** P20: what the history costs a hub each second, and how soon it answers and starts. */
import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { CellQuery, ClosedSecond, HistoryStore } from '../src/history/store.ts'
import { ThreadHistory } from '../src/hub/history/thread/thread-history.ts'
import { identityKey, type Kind } from '../src/model/index.ts'
import { copyHours } from './history/copied-hours.ts'
import { emptySecond, identityAt, secondsOf } from './history/feed.ts'
import { inFolder, openAt, RULES, startOf } from './history/folder.ts'
import { type MadeSeries, seriesOf } from './history/mixes.ts'
import { atMost, limitOf, type Rounds, type Verdict } from './measure/question.ts'
import { ask } from './measure/run.ts'

const HOUR_S = 3600
const COUNTERS = 10_000
/** Histograms that are fed; ten times as many cost ten times as much at most. */
const HISTOGRAMS = 1000
/** Seconds of data that come again and again, and series that are made of them. */
const PERIOD_S = 300
const MADE = { services: 200, distributions: 134 }
/** Seconds that are fed: an hour, and the five minutes after which it is made one bundle. */
const FED_S = HOUR_S + 301
const READS = 60
const STARTS = 9
const SAMPLES_S = 3 * HOUR_S

/** Prepares seconds of so many series of one kind, each made one several times. */
function prepared(made: readonly MadeSeries[], count: number): readonly ClosedSecond[] {
  const all = Array.from({ length: count }, (_, i) => made[i % made.length]!)
  return [...secondsOf(all, 0)]
}

/** Feeds a store, and gives the processor time of all threads for a second, ms. */
async function costOf(
  store: HistoryStore,
  period: readonly ClosedSecond[],
  startS: number,
  count: number,
): Promise<number> {
  const begun = process.cpuUsage()
  for (let second = 0; second < count; second++) {
    const { defined, ...cells } = period[second % period.length]!
    const endS = startS + second + 1
    await store.append({ ...cells, endS, defined: second === 0 ? defined : [] })
  }
  await store.close()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000 / count
}

/** Time until an answer is there, ms, again and again. */
async function timesOf(count: number, read: (i: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const begun = performance.now()
    await read(i)
    times.push(performance.now() - begun)
  }
  return times
}

function keysOf(kind: Kind, first: number, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => identityKey(identityAt(first + i, kind)))
}

type Limits = Verdict[]

/** Counters: cost, the main thread's delay meanwhile, reads, and the start. */
async function counters(verdicts: Limits): Promise<void> {
  const made = Array.from({ length: MADE.services }, (_, i) => seriesOf('services', i, PERIOD_S))
  const only = made.filter(({ kind }) => kind === 'counter')
  const period = prepared(only, COUNTERS)
  const startS = startOf(SAMPLES_S)
  await inFolder(async (folder) => {
    let store = await ThreadHistory.open({ folder, ...RULES })
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const ms = await costOf(store, period, startS, FED_S)
    delay.disable()
    const share = [ms / 1000]
    store = await ThreadHistory.open({ folder, ...RULES })
    judge(verdicts, '10,000 counters, processor time', share, 'of a core', 0.015)
    judge(verdicts, 'event loop meanwhile, p99', [delay.percentile(99) / 1e6], 'ms', 10)
    const range = { fromS: startS, toS: startS + HOUR_S }
    const one = (i: number): CellQuery => {
      return { groups: [keysOf('counter', (i * 131) % COUNTERS, 1)], ...range, stepS: 1 }
    }
    const sum = (i: number): CellQuery => {
      return { groups: [keysOf('counter', (i * 500) % 9000, 1000)], ...range, stepS: 60 }
    }
    const ones = await timesOf(READS, (i) => store.read(one(i)))
    judge(verdicts, 'one counter, an hour in seconds', ones, 'ms', 2)
    const sums = await timesOf(20, (i) => store.read(sum(i)))
    judge(verdicts, '1,000 counters summed, an hour in minutes', sums, 'ms', 50)
    await store.close()
    copyHours(folder, startS / HOUR_S, SAMPLES_S / HOUR_S)
    const starts: number[] = []
    for (let i = 0; i < STARTS; i++) {
      const begun = performance.now()
      const opened = openAt(folder, { nowS: Date.now() / 1000 })
      const { numbers } = await opened.living({ after: 0, limit: COUNTERS })
      starts.push(performance.now() - begun)
      // the idle ones among them have no cell
      assert.ok(numbers.length > COUNTERS * 0.8)
      await opened.close()
    }
    judge(verdicts, 'start with 108,000,000 samples, series listed', starts, 'ms', 100)
  })
}

/** Histograms: cost, and a day of one as a heat map. */
async function histograms(verdicts: Limits): Promise<void> {
  const made = Array.from({ length: MADE.distributions }, (_, i) => {
    return seriesOf('distributions', i, PERIOD_S)
  })
  const period = prepared(
    made.filter(({ kind }) => kind === 'histogram'),
    HISTOGRAMS,
  )
  const startS = startOf(24 * HOUR_S)
  await inFolder(async (folder) => {
    let store = await ThreadHistory.open({ folder, ...RULES })
    const ms = await costOf(store, period, startS, FED_S)
    const share = [(ms / 1000) * (10_000 / HISTOGRAMS)]
    judge(verdicts, '10,000 histograms, processor time', share, 'of a core', 0.1)
    copyHours(folder, startS / HOUR_S, 24)
    const clock = { nowS: startS + 25 * HOUR_S }
    const whole = openAt(folder, clock)
    await whole.append(emptySecond(clock.nowS))
    await whole.retain()
    await whole.close()
    store = await ThreadHistory.open({ folder, ...RULES })
    const day = { fromS: startS, toS: startS + 24 * HOUR_S, stepS: 300 }
    const days = await timesOf(READS, (i) => {
      return store.read({ groups: [keysOf('histogram', (i * 37) % HISTOGRAMS, 1)], ...day })
    })
    judge(verdicts, 'one histogram, a day in 288 columns', days, 'ms', 30)
    await store.close()
  })
}

function judge(
  verdicts: Limits,
  title: string,
  figures: readonly number[],
  unit: string,
  wanted: number,
): void {
  verdicts.push(limitOf({ title, figures, unit } satisfies Rounds, atMost(wanted)))
}

await ask({
  name: 'P20',
  asks: 'What does the history cost a hub, and how fast does it answer?',
  data:
    `${COUNTERS} counters of services, and ${HISTOGRAMS} histograms, an hour each; ` +
    `${PERIOD_S} seconds of bench/history/mixes.ts again and again`,
  method: [
    'a history in its thread, as a hub has it, on the disk of temporary files; seconds come as',
    'fast as it takes them. Processor time is that of all threads, from the columns of a second to',
    'hours in bundles; of 10,000 histograms ten times that of 1,000',
    'reads: from the query to cells in the main thread, another series each time; start: in the',
    'thread, once its program is loaded, up to the list of the series that go on',
    'the hours of more samples, and of a day, are copies of the hour that was fed',
  ],
  unit: 'ms',

  async measure() {
    const verdicts: Limits = []
    await counters(verdicts)
    await histograms(verdicts)
    return { warmUps: 0, rounds: 1, figures: [], verdicts, skipped: [] }
  },
})
