/** P9: what a second ingest worker brings to lines over TCP. */
import { availableParallelism } from 'node:os'
import { count, DATA } from './load/measurements.ts'
import { offerConnections } from './load/offer.ts'
import { CoreScaling } from './measure/core-scaling.ts'
import { atLeast, figureOf, interleave, type Rounds, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { pairedRatios } from './measure/statistics.ts'
import { startHub } from './receivers/hub.ts'
import type { Receiver } from './receivers/receiver.ts'

const WARM_UPS = 1
const ROUNDS = 9
/** The kernel spreads connections by chance: of so many, 48 to 52 in 100 come to one of two. */
const CONNECTIONS = 512
/** Of each connection. */
const PASSES = 6
const LINES_PER_FRAME = 2000
const CORES = availableParallelism()

/** A contender whose rounds bring more than one figure. */
class Sides {
  readonly title: string
  readonly paces: number[] = []
  readonly costs: number[] = []
  readonly busiestShares: number[] = []
  readonly senderShares: number[] = []
  readonly #hub: Receiver

  constructor(hub: Receiver) {
    this.#hub = hub
    this.title = `${hub.title}: capacity`
  }

  async round(): Promise<number> {
    const offered = await offerConnections(this.#hub, CONNECTIONS, LINES_PER_FRAME, PASSES)
    const { lines, wallSeconds, busiestSeconds, processorSeconds, senderSeconds } = offered
    this.paces.push(lines / wallSeconds)
    this.costs.push((processorSeconds / lines) * 1e6)
    this.busiestShares.push(busiestSeconds / processorSeconds)
    this.senderShares.push(senderSeconds / (CORES * wallSeconds))
    return lines / busiestSeconds
  }

  rounds(what: string, figures: readonly number[]): Rounds {
    return { title: `${this.#hub.title}: ${what}`, figures: figures.slice(-ROUNDS) }
  }
}

await ask({
  name: 'P9',
  asks: 'How much more do two ingest workers take in over TCP than one?',
  data: DATA,
  method: [
    `a round: ${count(CONNECTIONS * PASSES)} lines, ${CONNECTIONS} connections; totals verified`,
    'capacity: lines per processor second of the busiest thread, which is what bounds a hub with',
    'a core for each worker; of two workers that is the one that got more connections',
    "cost: processor seconds of the whole hub, V8's helper threads included, per million lines",
    'pace: lines per second of the clock, on cores that sender, kernel and all else here share',
    "second core: a hash loop's pace on two threads against one, what pace can gain at most",
  ],
  unit: '',
  remarks: [`this machine has ${CORES} cores for workers, the hub's main thread and the sender`],

  async measure() {
    const hubs = [await startHub({ ingestWorkers: 1 }), await startHub({ ingestWorkers: 2 })]
    const scaling = await CoreScaling.start()
    const sides = hubs.map((hub) => new Sides(hub))
    const core = { title: 'second core', round: () => scaling.measure() }
    const [one, two, bound] = await interleave([...sides, core], WARM_UPS, ROUNDS)
    for (const hub of hubs) await hub.stop()
    await scaling.stop()
    const paces = sides.map((side) => side.rounds('pace', side.paces))
    const costs = sides.map((side) => side.rounds('cost', side.costs))
    const gained = {
      title: `${paces[1]!.title} / ${paces[0]!.title}`,
      figures: pairedRatios(paces[1]!.figures, paces[0]!.figures),
    }
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: [
        one!,
        two!,
        ...paces,
        ...costs,
        ...sides.map((side) =>
          side.rounds("busiest thread's share of the cost", side.busiestShares),
        ),
        ...sides.map((side) => side.rounds("sender's share of the cores", side.senderShares)),
        bound!,
      ].map(figureOf),
      ratios: [
        ratioOf(two!, one!, atLeast(1.7)),
        ratioOf(costs[1]!, costs[0]!),
        ratioOf(paces[1]!, paces[0]!),
        ratioOf(gained, bound!),
      ],
      skipped: [],
    }
  },
})
