/** P16: what a line costs whose name a limit refuses, against a line that is taken. */
import { count, DATA, NAME_COUNT } from './load/measurements.ts'
import { offerTcp } from './load/offer.ts'
import { atMost, figureOf, interleave, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { startHub } from './receivers/hub.ts'

const WARM_UPS = 1
const ROUNDS = 5
const PASSES = 1000
/** 64 KiB, as a relay sends them. */
const LINES_PER_FRAME = 2000
/** Names that a source may bring; as many others are refused. */
const MANY_NAMES = 20_000
const LOADS = [
  { names: NAME_COUNT, passes: PASSES },
  { names: MANY_NAMES, passes: (PASSES * NAME_COUNT) / MANY_NAMES },
] as const
/** Costs that a refused line may have, of a taken one. */
const REFUSED_MOST = 2

await ask({
  name: 'P16',
  asks: 'What does a line cost whose name a limit refuses, against one that is taken?',
  data: `${DATA}, or ${MANY_NAMES} of them; refused: as many others`,
  method: [
    `a hub that takes ${MANY_NAMES} names of a source; no ingest thread, and one`,
    'processor time of the receiver, totals verified; one connection, writes of 64 KiB',
    `a round: ${count(PASSES)} lines`,
  ],
  unit: 'lines per processor second',

  async measure() {
    const options = { seriesLimitPerSource: MANY_NAMES }
    const hubs = [
      await startHub({ ingestWorkers: 0, ...options }),
      await startHub({ ingestWorkers: 1, ...options }),
    ]
    for (const hub of hubs) await offerTcp(hub, LINES_PER_FRAME, 1, MANY_NAMES)
    const contenders = hubs.flatMap((hub) =>
      LOADS.flatMap(({ names, passes }) => [
        {
          title: `${hub.title}, ${names} names taken`,
          round: () => offerTcp(hub, LINES_PER_FRAME, passes, names),
        },
        {
          title: `${hub.title}, ${names} refused`,
          round: () => offerTcp(hub, LINES_PER_FRAME, passes, names, MANY_NAMES),
        },
      ]),
    )
    const rounds = await interleave(contenders, WARM_UPS, ROUNDS)
    for (const hub of hubs) await hub.stop()
    const verdicts = rounds.flatMap((taken, i) =>
      i % 2 === 0 ? [ratioOf(taken, rounds[i + 1]!, atMost(REFUSED_MOST))] : [],
    )
    const figures = rounds.map(figureOf)
    return { warmUps: WARM_UPS, rounds: ROUNDS, figures, verdicts, skipped: [] }
  },
})
