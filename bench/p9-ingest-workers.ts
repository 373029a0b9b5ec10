/** P9: what a second ingest worker brings to lines over TCP, by the clock on two free cores. */
import { availableParallelism } from 'node:os'
import { count, DATA } from './load/measurements.ts'
import { offerConnections } from './load/offer.ts'
import { CoreScaling } from './measure/core-scaling.ts'
import { busySeconds, familySeconds } from './measure/machine.ts'
import { cpuSeconds } from './measure/process-cpu.ts'
import {
  atLeast,
  atMost,
  figureOf,
  interleave,
  type Rounds,
  ratioOf,
  voided,
} from './measure/question.ts'
import { ask } from './measure/run.ts'
import { spreadOf } from './measure/statistics.ts'
import { figureText } from './measure/text.ts'
import { startHub } from './receivers/hub.ts'
import type { Receiver } from './receivers/receiver.ts'

const WARM_UPS = 1
const ROUNDS = 7
/**
 * The kernel spreads connections by chance: of so many, 48 to 52 in 100 come to one of two. A hub
 * takes 500 of one address.
 */
const CONNECTIONS = 480
/** Of each connection. */
const PASSES = 12
/** So that the unfinished frames of all connections stay within what one address may hold. */
const LINES_PER_FRAME = 1000
const CORES = availableParallelism()
const WANTED = 1.7
/** Of a core: two workers need two, and where others have more than that of one, it is not free. */
const OTHERS_MAX = 0.1

/** A contender whose rounds bring more than one figure. */
class Sides {
  readonly title: string
  readonly capacities: number[] = []
  readonly costs: number[] = []
  readonly busiestShares: number[] = []
  readonly senderCores: number[] = []
  /** Cores that neither hub, sender nor bench used; NaN where the system does not say. */
  readonly othersCores: number[] = []
  readonly #hub: Receiver

  constructor(hub: Receiver) {
    this.#hub = hub
    this.title = `${hub.title}: pace`
  }

  async round(): Promise<number> {
    const [busy, own] = [busySeconds(), this.#ownSeconds()]
    const begin = performance.now()
    const offered = await offerConnections(this.#hub, CONNECTIONS, LINES_PER_FRAME, PASSES)
    const seconds = (performance.now() - begin) / 1000
    const { lines, wallSeconds, busiestSeconds, processorSeconds, senderSeconds } = offered
    const others = (busySeconds() ?? Number.NaN) - (busy ?? 0) - (this.#ownSeconds() - own)
    this.othersCores.push(Math.max(0, others / seconds))
    this.capacities.push(lines / busiestSeconds)
    this.costs.push((processorSeconds / lines) * 1e6)
    this.busiestShares.push(busiestSeconds / processorSeconds)
    this.senderCores.push(senderSeconds / wallSeconds)
    return lines / wallSeconds
  }

  #ownSeconds(): number {
    return cpuSeconds(this.#hub.pid) + (familySeconds() ?? 0)
  }

  rounds(what: string, figures: readonly number[], unit: string): Rounds {
    return { title: `${this.#hub.title}: ${what}`, figures: figures.slice(-ROUNDS), unit }
  }
}

await ask({
  name: 'P9',
  asks: 'How much more do two ingest workers take in over TCP than one?',
  data: DATA,
  method: [
    `a round: ${count(CONNECTIONS * PASSES)} lines, ${CONNECTIONS} connections of one sender in C;`,
    'totals verified. Pace: lines per second of the clock, which counts where two cores are free:',
    `others take at most ${OTHERS_MAX} of a core, and a hash loop on two threads is ${WANTED}`,
    'times as fast as on one, which it is not where two processors are halves of one core',
    'capacity: lines per processor second of the busiest thread, which is what bounds a hub with',
    'a core for each worker; of two workers that is the one that got more connections',
    "cost: processor seconds of the whole hub, V8's helper threads included, per million lines",
  ],
  unit: 'lines per second',
  remarks: [`this machine has ${CORES} cores for workers, the hub's main thread and the sender`],

  async measure() {
    const hubs = [await startHub({ ingestWorkers: 1 }), await startHub({ ingestWorkers: 2 })]
    const scaling = await CoreScaling.start()
    const sides = hubs.map((hub) => new Sides(hub))
    const core = {
      title: 'second core: a hash loop on two threads by one',
      round: () => scaling.measure(),
    }
    const [one, two, second] = await interleave([...sides, core], WARM_UPS, ROUNDS)
    for (const hub of hubs) await hub.stop()
    await scaling.stop()
    const capacities = sides.map((side) =>
      side.rounds('capacity', side.capacities, 'lines per processor second'),
    )
    const costs = sides.map((side) => side.rounds('cost', side.costs, 's/M'))
    const others = sides.flatMap((side) => side.othersCores.slice(-ROUNDS))
    const pace = ratioOf(two!, one!, atLeast(WANTED))
    const reason = whyNotFree(spreadOf(others).median, spreadOf(second!.figures).median)
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: [
        ...[one!, two!, ...capacities, ...costs],
        ...sides.map((side) =>
          side.rounds("busiest thread's share of the cost", side.busiestShares, ''),
        ),
        ...sides.map((side) => side.rounds('the sender', side.senderCores, 'cores')),
        { title: 'others', figures: others, unit: 'cores' },
        { ...second!, unit: '' },
      ].map(figureOf),
      verdicts: [
        reason === undefined ? pace : voided(pace, reason),
        ratioOf(capacities[1]!, capacities[0]!, atLeast(WANTED)),
        ratioOf(costs[1]!, costs[0]!, atMost(2 / WANTED)),
      ],
      skipped: [],
      means: reason === undefined ? [meaning(one!, two!)] : [],
    }
  },
})

function whyNotFree(others: number, secondCore: number): string | undefined {
  if (CORES < 2) return `the machine has ${CORES} core`
  if (Number.isNaN(others)) return 'the system does not say whether its cores are free'
  if (others > OTHERS_MAX) return `two cores were not free: others had ${others.toFixed(2)} of them`
  if (secondCore < WANTED) return `a second core is worth ${secondCore.toFixed(2)} here`
  return undefined
}

function meaning(one: Rounds, two: Rounds): string {
  const [first, second] = [one, two].map(({ figures }) => figureText(spreadOf(figures).median))
  return `Two ingest threads take in ${second} lines a second over TCP by the clock, one ${first}`
}
