/** P11: what pages cost the hub that they watch, and what the page itself costs. */
import {
  atMost,
  figureOf,
  limitOf,
  type Rounds,
  ratioOf,
  type Skipped,
  type Verdict,
  voided,
} from './measure/question.ts'
import { ask } from './measure/run.ts'
import { spreadOf } from './measure/statistics.ts'
import { figureText } from './measure/text.ts'
import { PAGE_SERIES, PageBrowser, SPEED } from './page/browser.ts'
import { type Pushed, startBarePush, startWatchedHub, type Watched } from './page/live.ts'

const SERIES = 1000
const PAGES = 50
const WARM_UPS = 1
const ROUNDS = 7
const SHARE_WANTED = 0.06
const FIRST_CHARTS = 6
const FIRST_CHART_MS_WANTED = 1000
/** An hour must not take more than what is kept takes when it is full. */
const GROWTH_WANTED = 1.1
/** Of the 3,600: on a busy machine a fast clock runs away from the hub. */
const MISSED_S_MAX = 360

await ask({
  name: 'P11',
  asks: 'What do pages that watch a hub cost it, and what does an open page cost?',
  data: `${SERIES} gauges that change ten times a second, all of them on each of ${PAGES} pages`,
  method: [
    'processor time of the whole hub, ingest included, in rounds of 4 s without pages, then with',
    'all of them, opened anew each time; added is the difference of both. Bare push: a node:http',
    'server that writes as many bytes as often to as many connections. Viewers are one process',
    `page: Chromium at 1440 × 900 with ${PAGE_SERIES} gauges; first chart: from the`,
    'navigation to a canvas with something on it, nothing cached; memory after a full collection',
    "at 25 minutes, when all that is kept is full, and at an hour: the hub's clock goes",
    `${SPEED} times as fast, so that the page is told much sooner what it is otherwise in an hour`,
  ],
  unit: 'of a core',

  async measure() {
    const live = await measureLive()
    const page = await PageBrowser.start()
    if (typeof page === 'string') {
      const skipped = [{ title: 'first chart, memory of a page', reason: page }]
      return { warmUps: WARM_UPS, rounds: ROUNDS, ...live, skipped }
    }
    const [, ...charts] = await page.firstChartMs(1 + FIRST_CHARTS)
    const { early, hour, missedS } = await page.hour()
    await page.stop()
    const first: Rounds = { title: 'first chart', figures: charts, unit: 'ms' }
    const memory = (title: string, figure: number): Rounds => {
      return { title: `page, ${title}`, figures: [figure], unit: 'MiB' }
    }
    const [scriptEarly, scriptHour, processEarly, processHour] = [
      memory('script, 25 minutes', early.scriptMiB),
      memory('script, an hour', hour.scriptMiB),
      memory('process, 25 minutes', early.processMiB),
      memory('process, an hour', hour.processMiB),
    ] as const
    const skipped: Skipped[] = []
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: [
        ...live.figures,
        ...[scriptEarly, scriptHour, processEarly, processHour].map(figureOf),
      ],
      verdicts: [
        ...live.verdicts,
        limitOf(first, atMost(FIRST_CHART_MS_WANTED)),
        judgeHour(ratioOf(scriptHour, scriptEarly, atMost(GROWTH_WANTED)), missedS),
        judgeHour(ratioOf(processHour, processEarly, atMost(GROWTH_WANTED)), missedS),
      ],
      skipped,
      means: [
        ...live.means,
        `A page shows its first chart after ${figureText(spreadOf(charts).median)} ms, and takes ` +
          `${figureText(hour.processMiB)} MiB after an hour with ${PAGE_SERIES} series`,
      ],
    }
  },
})

function judgeHour(verdict: Verdict, missedS: number): Verdict {
  if (missedS <= MISSED_S_MAX) return verdict
  return voided(verdict, `the hub could not close ${missedS} of its fast seconds by themselves`)
}

/** Hub and bare push in turn; the first round of the hub says how much the other one writes. */
async function measureLive() {
  const hub = await startWatchedHub(SERIES, PAGES)
  const { stepsPerSecond } = hub
  const { bytes } = await hub.round()
  const bare = await startBarePush(bytes, stepsPerSecond, PAGES)
  const rounds: [ours: Watched, limit: Pushed][] = []
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    const pair: [Watched, Pushed] = [await hub.round(), await bare.round()]
    if (round >= 0) rounds.push(pair)
  }
  await bare.stop()
  await hub.stop()
  const of = (title: string, pick: (pair: [Watched, Pushed]) => number, unit?: string): Rounds => {
    const figures = rounds.map(pick)
    return { title, figures, ...(unit === undefined ? {} : { unit }) }
  }
  const at = `${stepsPerSecond} Hz`
  const ours = of(`hub with ${PAGES} pages, ${at}`, ([hub]) => hub.share)
  const added = of(`added by ${PAGES} pages, ${at}`, ([hub]) => hub.share - hub.aloneShare)
  const limit = of(`bare push, ${at}`, ([, bare]) => bare.share)
  const verdicts: Verdict[] = [
    ratioOf(ours, limit, atMost(2)),
    ratioOf(added, limit, atMost(2)),
    limitOf(ours, atMost(SHARE_WANTED)),
  ]
  const share = spreadOf(ours.figures).median
  return {
    figures: [
      figureOf(of('hub without pages', ([hub]) => hub.aloneShare)),
      figureOf(added),
      figureOf(limit),
      figureOf(of('hub, to each page', ([hub]) => hub.bytes, 'bytes a second')),
      figureOf(of('bare push, to each page', ([, bare]) => bare.bytes, 'bytes a second')),
    ],
    verdicts,
    means: [
      `${PAGES} pages with ${SERIES} series each take ${figureText(share * 100)} % of a core, at ` +
        `${stepsPerSecond} steps a second`,
    ],
  }
}
