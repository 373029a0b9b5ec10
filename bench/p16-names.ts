/** P16: lines that are not usual: names that are refused, new, or known from another thread. */
import { count, DATA, measurementsOf, NAME_COUNT } from './load/measurements.ts'
import { type OfferedPass, offerPass, offerTcp } from './load/offer.ts'
import { atMost, figureOf, interleave, limitOf, type Rounds, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { spreadOf } from './measure/statistics.ts'
import { figureText } from './measure/text.ts'
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
/** Names of a sender that comes again; each round has others. */
const SENDER_NAMES = 30_000
/** A connection comes to either thread by chance: so many to the same one are one in a million. */
const CONNECTIONS_MAX = 20
/** The same cost as before, but for what two connections differ anyhow. */
const MOVED_MOST = 1.1
const NEW_US_MOST = 10
const ROOM = {
  seriesLimit: 1_000_000,
  seriesLimitPerSource: 1_000_000,
  zoneBytesLimit: 1_073_741_824,
  zonePercentPerSource: 100,
}

await ask({
  name: 'P16',
  asks: 'What does a line cost whose name is refused by a limit, new, or known to another thread?',
  data: `${DATA}, or ${MANY_NAMES} of them; refused: as many others`,
  method: [
    `a hub that takes ${MANY_NAMES} names of a source; no ingest thread, and one`,
    'processor time of the receiver, totals verified; one connection, writes of 64 KiB',
    `a round: ${count(PASSES)} lines`,
    `a sender of ${SENDER_NAMES} names, other ones in each round, that connects again and again`,
    `to a hub of two ingest threads, each name ${measurementsOf(1)} times. The first connection`,
    'brings new series; the last one that came to the same thread is compared with the first that',
    'came to the other one. A new series is what the first costs more than that last one',
  ],
  unit: 'lines per processor second',

  async measure() {
    const refused = await measureRefused()
    const { first, same, moved } = await measureMoved()
    const created: Rounds = {
      title: 'a new series',
      figures: first.figures.map((cost, i) => ((cost - same.figures[i]!) * 1e6) / SENDER_NAMES),
      unit: 'µs of processor time',
    }
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: [...refused.figures, ...[first, same, moved].map(figureOf)],
      verdicts: [
        ...refused.verdicts,
        limitOf(created, atMost(NEW_US_MOST)),
        ratioOf(moved, same, atMost(MOVED_MOST)),
      ],
      skipped: [],
      means: [`A new series takes ${figureText(spreadOf(created.figures).median)} µs`],
    }
  },
})

async function measureRefused() {
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
  return { figures: rounds.map(figureOf), verdicts }
}

/** Processor seconds of whole passes of one sender over its names. */
async function measureMoved(): Promise<Record<'first' | 'same' | 'moved', Rounds>> {
  const hub = await startHub({ ingestWorkers: 2, ...ROOM })
  const unit = 's of processor time'
  const first = { title: 'a sender with new names', figures: [] as number[], unit }
  const same = { title: 'it comes again to the same thread', figures: [] as number[], unit }
  const moved = { title: 'it comes to the other thread', figures: [] as number[], unit }
  for (let round = -WARM_UPS; round < ROUNDS; round++) {
    const offer = (): Promise<OfferedPass> => {
      return offerPass(hub, LINES_PER_FRAME, SENDER_NAMES, (round + WARM_UPS) * SENDER_NAMES)
    }
    const brought = await offer()
    let known: OfferedPass | undefined
    let other: OfferedPass | undefined
    for (let i = 0; i < CONNECTIONS_MAX && (known === undefined || other === undefined); i++) {
      const pass = await offer()
      if (pass.thread === brought.thread) known = pass
      else other ??= pass
    }
    if (known === undefined || other === undefined) throw new Error('all connections to one thread')
    if (round < 0) continue
    first.figures.push(brought.processorSeconds)
    same.figures.push(known.processorSeconds)
    moved.figures.push(other.processorSeconds)
  }
  await hub.stop()
  return { first, same, moved }
}
