/**
 * An invented exchange: three workers of a stream processor that run two pipelines and report each
 * second by the Wallaroo protocol. On the second worker one computation looks up a limit somewhere
 * slow, for three orders in a hundred: the one that is to be found.
 */
import { createRandom } from '../../command-line.ts'
import type { Reporter } from '../reporter/reporter.ts'
import { ComputationStage, SinkStage, SourceStage } from '../reporter/stages.ts'

export const APPLICATION = 'exchange'
export const WORKERS = ['initializer', 'worker2', 'worker3'] as const
const SLOW = { pipeline: 'Orders', computation: 'Check Limit', worker: 'worker2' } as const

const NS_PER_MS = 1e6

interface Computation {
  readonly name: string
  /** Typical nanoseconds; they spread by {@link SPREAD}. */
  readonly typicalNs: number
}

interface PipelinePlan {
  readonly name: string
  readonly messagesPerSecond: number
  readonly computations: readonly Computation[]
}

const PLANS: readonly PipelinePlan[] = [
  {
    name: 'Orders',
    messagesPerSecond: 180,
    computations: [
      { name: 'Check Limit', typicalNs: 21_000 },
      { name: 'Match Order', typicalNs: 48_000 },
    ],
  },
  {
    name: 'Prices',
    messagesPerSecond: 320,
    computations: [{ name: 'Update Price', typicalNs: 9_000 }],
  },
]
/** Deviation of the logarithm: one latency in 740 is four times the typical one. */
const SPREAD = 0.46
const DECODE_NS = 3_200
const ENCODE_NS = 5_400
/** Share of the slow computation's messages that wait, and for how long at least. */
const WAITING_SHARE = 0.03
const WAIT_NS = 9 * NS_PER_MS

/** One pipeline's stages on one worker. */
class Lane {
  readonly #plan: PipelinePlan
  readonly #worker: string
  readonly #random: () => number
  readonly #source: SourceStage
  readonly #computations: readonly ComputationStage[]
  readonly #sink: SinkStage
  /** Part of a message that is due. */
  #due = 0

  constructor(plan: PipelinePlan, worker: string, reporter: Reporter, random: () => number) {
    const { name, computations } = plan
    this.#plan = plan
    this.#worker = worker
    this.#random = random
    // ids count the computations of a pipeline: decoding is the first, encoding the last
    this.#source = new SourceStage(reporter, name, 1)
    this.#computations = computations.map(
      (computation, i) => new ComputationStage(reporter, name, computation.name, i + 2),
    )
    this.#sink = new SinkStage(reporter, name, computations.length + 2)
  }

  step(seconds: number): void {
    this.#due += this.#plan.messagesPerSecond * seconds * (0.85 + 0.3 * this.#random())
    for (; this.#due >= 1; this.#due -= 1) this.#process()
  }

  #process(): void {
    const decodeNs = this.#latency(DECODE_NS)
    this.#source.ingested(decodeNs)
    let wholeNs = decodeNs
    this.#computations.forEach((stage, i) => {
      const latencyNs = this.#compute(this.#plan.computations[i]!)
      stage.computed(latencyNs)
      wholeNs += latencyNs
    })
    const encodeNs = this.#latency(ENCODE_NS)
    wholeNs += encodeNs
    this.#sink.completed(encodeNs, wholeNs, wholeNs)
  }

  #compute({ name, typicalNs }: Computation): number {
    const latencyNs = this.#latency(typicalNs)
    const isSlow = this.#worker === SLOW.worker && name === SLOW.computation
    if (!isSlow || this.#random() >= WAITING_SHARE) return latencyNs
    return latencyNs + WAIT_NS + this.#latency(WAIT_NS)
  }

  /** Spreads a latency by a normal logarithm, after Box and Muller. */
  #latency(typicalNs: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.#random()))
    const normal = radius * Math.cos(2 * Math.PI * this.#random())
    return Math.round(typicalNs * Math.exp(SPREAD * normal))
  }
}

/** All pipelines of one worker, apart from where they are reported. */
export class PipelineWorker {
  readonly #lanes: readonly Lane[]

  constructor(worker: string, reporter: Reporter, seed: number) {
    const random = createRandom(seed)
    this.#lanes = PLANS.map((plan) => new Lane(plan, worker, reporter, random))
  }

  /** Lets `seconds` pass and records what was processed in them. */
  step(seconds: number): void {
    for (const lane of this.#lanes) lane.step(seconds)
  }
}
