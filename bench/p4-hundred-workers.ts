/** P4: a hundred Wallaroo workers of a thousand series each, one window of each in two seconds. */
import { strict as assert } from 'node:assert'
import { until } from './measure/patience.ts'
import { atMost, figureOf, limitOf, type Rounds, type Wanted } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { spreadOf } from './measure/statistics.ts'
import { figureText } from './measure/text.ts'
import {
  type HubQuestion,
  type LoopFigures,
  type Messages,
  type Program,
  run,
} from './workers/hub.ts'
import { MESSAGES, PERIOD_MS, type WorkersLoad } from './workers/load.ts'

const CONNECTIONS = 100
const SERIES_PER_CONNECTION = 1000
const SERIES = CONNECTIONS * SERIES_PER_CONNECTION
/** Of one worker that was there first. */
const NEIGHBOUR_SERIES = 100
const ROUNDS = 3
const PERIODS_PER_ROUND = 2
/** Wanted of the loop. */
const DELAY_MS = 50
/** All workers are at one address here, and a series of the wire is three of the model. */
const RAISED = {
  seriesLimit: 4 * SERIES,
  seriesLimitPerSource: 4 * SERIES,
  zonePercentPerSource: 100,
  ingestWorkers: 0,
}
const DEFAULTS = { ingestWorkers: 0 }

interface Ports {
  readonly streamPort: number
}

interface Load {
  readonly title: string
  readonly options: object
  readonly spreadMs: number
  /** Whether every series has a place of its own. */
  readonly hasPlaces: boolean
}

const LOADS: readonly Load[] = [
  { title: 'spread', options: RAISED, spreadMs: PERIOD_MS, hasPlaces: true },
  { title: 'together', options: RAISED, spreadMs: 0, hasPlaces: true },
  { title: 'default limits', options: DEFAULTS, spreadMs: 0, hasPlaces: false },
]

await ask({
  name: 'P4',
  asks: 'Does a hub take a hundred workers of a thousand series each, and stay free for others?',
  data: `${SERIES.toLocaleString('en-US')} computations, ${MESSAGES} messages in 6 bins a window`,
  method: [
    'hub and workers in a process each; a window of every series each 2 s, over 100 connections,',
    'spread over the period, or all at its end; another worker of 100 series was there before',
    `a round: ${PERIODS_PER_ROUND} periods, after one in which all series are defined`,
    'loss: what was sent less what the totals of the series say, each series by itself; under',
    'default limits most are one series, and its total has to make up the sum',
    'a turn is the processor time of the main thread between two timers of 1 ms; delay is its',
    'lateness as perf_hooks tells it, in which other programs of the machine have a share',
  ],
  unit: 'ms',
  remarks: [
    `raised by config, but for the last: both limits of series to ${RAISED.seriesLimit}`,
    'as defaults suffice: zoneBytesLimit; windowBytesLimit keeps about half a minute for charts,',
    'liveBytesLimit about a minute of seconds',
  ],

  async measure() {
    const all: Rounds[] = []
    for (const load of LOADS) all.push(...(await measureLoad(load)))
    return {
      warmUps: 1,
      rounds: ROUNDS,
      figures: all.filter((rounds) => wantedOf(rounds) === undefined).map(figureOf),
      verdicts: all.flatMap((rounds) => {
        const wanted = wantedOf(rounds)
        return wanted === undefined ? [] : [limitOf(rounds, wanted)]
      }),
      skipped: [],
      means: [meaning(all)],
    }
  },
})

/** Of the first load, which is spread as that of real workers. */
function meaning(all: readonly Rounds[]): string {
  const medianOf = (what: string): number => {
    return spreadOf(all.find(({ title }) => title === `${LOADS[0]!.title}: ${what}`)!.figures)
      .median
  }
  const percent = figureText(medianOf('processor time a second') / 10)
  const mebibytes = figureText(medianOf('resident memory'))
  return (
    `${CONNECTIONS} Wallaroo workers of ${SERIES_PER_CONNECTION} computations each take ` +
    `${percent} % of a core and ${mebibytes} MiB`
  )
}

function wantedOf({ title }: Rounds): Wanted | undefined {
  if (title.endsWith('messages lost')) return atMost(0)
  return /99 % of (turns|delays)|longest turn/.test(title) ? atMost(DELAY_MS) : undefined
}

async function measureLoad(load: Load): Promise<Rounds[]> {
  const { title, options, spreadMs } = load
  const [hub, { streamPort: port }] = await run<Ports>('hub-process.ts', options)
  const [neighbour, workers] = [
    await startWorkers({
      ...{ port, application: 'neighbour', spreadMs },
      ...{ connections: 1, seriesPerConnection: NEIGHBOUR_SERIES },
    }),
    await startWorkers({
      ...{ port, application: 'load', spreadMs },
      ...{ connections: CONNECTIONS, seriesPerConnection: SERIES_PER_CONNECTION },
    }),
  ]
  await neighbour.ask(1)
  await settled(hub, load, 1, 0)
  let sent = 0
  let lost = 0
  const round = async (periods: number): Promise<LoopFigures> => {
    sent += periods
    await hub.ask('loop')
    await Promise.all([workers.ask(periods), neighbour.ask(periods)])
    const { figures, missing } = await settled(hub, load, 1 + sent, sent)
    lost += missing
    return figures
  }
  const start = await round(1)
  const rounds: LoopFigures[] = []
  while (rounds.length < ROUNDS) rounds.push(await round(PERIODS_PER_ROUND))
  for (const program of [workers, neighbour, hub]) await program.stop()
  assert.equal(lost, 0)
  const of = (what: string, pick: (figures: LoopFigures) => number, unit?: string): Rounds => {
    const figures = rounds.map(pick)
    return { title: `${title}: ${what}`, figures, ...(unit === undefined ? {} : { unit }) }
  }
  return [
    { title: `${title}: messages lost`, figures: [lost], unit: `of ${messagesOf(1 + sent, sent)}` },
    { title: `${title}: longest turn while series are defined`, figures: [start.turnMsMax] },
    of('99 % of turns', ({ turnMsP99 }) => turnMsP99),
    of('longest turn', ({ turnMsMax }) => turnMsMax),
    of('half of delays', ({ delayMsP50 }) => delayMsP50),
    of('99 % of delays', ({ delayMsP99 }) => delayMsP99),
    of('longest delay', ({ delayMsMax }) => delayMsMax),
    of('processor time a second', ({ cpuMs, wallMs }) => (cpuMs * 1000) / wallMs),
    of('resident memory', ({ residentBytes }) => residentBytes / 2 ** 20, 'MiB'),
  ]
}

async function startWorkers(load: WorkersLoad): Promise<Program> {
  const [program] = await run<string>('workers-process.ts', load)
  return program
}

function windowsOf(neighbourPeriods: number, periods: number): number {
  return neighbourPeriods * NEIGHBOUR_SERIES + periods * SERIES
}

function messagesOf(neighbourPeriods: number, periods: number): number {
  return windowsOf(neighbourPeriods, periods) * MESSAGES
}

/** What was measured until everything sent was taken and its second closed, and what is missing. */
async function settled(
  hub: Program,
  { hasPlaces }: Load,
  neighbourPeriods: number,
  periods: number,
): Promise<{ figures: LoopFigures; missing: number }> {
  const windows = windowsOf(neighbourPeriods, periods)
  const reach = async (question: HubQuestion, wanted: number): Promise<void> => {
    const isReached = async () => (await hub.ask<number>(question)) >= wanted
    await until(isReached, `${question} to be ${wanted}`, 100)
  }
  await reach('windows', windows)
  await reach('closedMs', Date.now() + 1)
  const figures = await hub.ask<LoopFigures>('loop')
  const { neighbour, load, ...rest } = await hub.ask<Messages>('messages')
  const own = neighbourPeriods * MESSAGES
  assert.deepEqual(neighbour, {
    ...{ series: NEIGHBOUR_SERIES, least: own, greatest: own },
    sum: NEIGHBOUR_SERIES * own,
  })
  if (hasPlaces && periods > 0) assert.equal(load?.series, SERIES)
  if (load !== undefined) {
    assert.equal(load.least, periods * MESSAGES)
    assert.equal(load.greatest, periods * MESSAGES)
  }
  const told = [neighbour, load, ...Object.values(rest)].reduce(
    (sum, of) => sum + (of?.sum ?? 0),
    0,
  )
  return { figures, missing: messagesOf(neighbourPeriods, periods) - told }
}
