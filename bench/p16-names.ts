/**
 * P16: what a line costs whose name a limit refuses, or that only another ingest thread knows,
 * against a line that is taken.
 */
import { count, DATA, NAME_COUNT } from './load/measurements.ts'
import { offerTcp } from './load/offer.ts'
import { atMost, figureOf, interleave, type Rounds, ratioOf } from './measure/question.ts'
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
/** Names that move to another thread. */
const MOVED_NAMES = 100_000
const MOVED_ROUNDS = 3
/** One in 1,000 times all of them meet one thread. */
const CONNECTIONS = 11
/** Costs that a refused line may have, of a taken one. */
const REFUSED_MOST = 2

await ask({
  name: 'P16',
  asks: 'What do names cost that a limit refuses, or that only another thread knows?',
  data: `${DATA}, or ${MANY_NAMES} of them; refused: as many others`,
  method: [
    `a hub that takes ${MANY_NAMES} names of a source; no ingest thread, and one`,
    'processor time of the receiver, totals verified; one connection, writes of 64 KiB',
    `a round: ${count(PASSES)} lines`,
    `other thread: ${MOVED_NAMES} names of a hub with two, until a connection meets each thread`,
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
    const moved = await moves()
    const verdicts = rounds.flatMap((taken, i) =>
      i % 2 === 0 ? [ratioOf(taken, rounds[i + 1]!, atMost(REFUSED_MOST))] : [],
    )
    verdicts.push(ratioOf(moved[0], moved[1], atMost(1)))
    const figures = [...rounds, ...moved].map(figureOf)
    return { warmUps: WARM_UPS, rounds: ROUNDS, figures, verdicts, skipped: [] }
  },
})

/**
 * Names of one hub after the other, over connections that the kernel gives to either thread: the
 * dearest after the first is that which the second thread has met the names in.
 */
async function moves(): Promise<[own: Rounds, other: Rounds]> {
  const [own, other]: [number[], number[]] = [[], []]
  for (let round = 0; round < MOVED_ROUNDS; round++) {
    const limits = { seriesLimit: MOVED_NAMES * 2, seriesLimitPerSource: MOVED_NAMES * 2 }
    const hub = await startHub({ ingestWorkers: 2, ...limits, zonePercentPerSource: 100 })
    const offer = () => offerTcp(hub, LINES_PER_FRAME, 1, MOVED_NAMES)
    await offer()
    const rates: number[] = []
    for (let i = 0; i < CONNECTIONS; i++) rates.push(await offer())
    await hub.stop()
    rates.sort((a, b) => a - b)
    other.push(rates[0]!)
    own.push(rates[CONNECTIONS >> 1]!)
  }
  return [
    { title: `${MOVED_NAMES} names in a thread that knows them`, figures: own },
    { title: 'in one that does not, 4 lines each', figures: other },
  ]
}
