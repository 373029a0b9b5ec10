/** P1: text lines over TCP through the whole path, against a receiver in C and npm's statsd. */
import { count, DATA, LINES_PER_PACKET, NAME_COUNT } from './load/measurements.ts'
import { offerTcp } from './load/offer.ts'
import {
  atLeast,
  figureOf,
  interleave,
  type Ratio,
  ratioOf,
  type Skipped,
} from './measure/question.ts'
import { ask } from './measure/run.ts'
import { C_RECEIVER, startCReceiver } from './receivers/c-receiver.ts'
import { startHub } from './receivers/hub.ts'
import type { Receiver } from './receivers/receiver.ts'
import { STATSD, startStatsd } from './receivers/statsd.ts'

const WARM_UPS = 1
const ROUNDS = 5
/** One of them gets the connection; the processor time is that of all threads together. */
const WORKERS = 2
/** About half a processor second for each. */
const PASSES = 2000
const STATSD_PASSES = 200
/** 64 KiB, as a relay sends them. */
const LINES_PER_LARGE_FRAME = 2000
/** More than a processor's caches hold. */
const MANY_NAMES = 100_000
const MANY_PASSES = 10
const NO_LIMITS = {
  ...{ seriesLimit: 200_000, seriesLimitPerSource: 200_000, zonePercentPerSource: 100 },
}

/** Frames of one size, and of how many names the lines in them are. */
interface Load {
  readonly linesPerFrame: number
  readonly names: number
}
const LOADS: readonly Load[] = [NAME_COUNT, MANY_NAMES].flatMap((names) =>
  [LINES_PER_PACKET, LINES_PER_LARGE_FRAME].map((linesPerFrame) => ({ linesPerFrame, names })),
)

await ask({
  name: 'P1',
  asks: 'How many text lines does one core take in over TCP, from the socket to the zone?',
  data: `${DATA}; or ${MANY_NAMES} of them`,
  method: [
    'processor time of the receiver, totals verified; one connection, writes of 64 KiB',
    `a round: ${count(PASSES)} lines, ${count(STATSD_PASSES)} to statsd`,
  ],
  unit: 'lines per processor second',
  remarks: ['statsd does not flush, which flatters it; the hub closes its seconds'],

  async measure() {
    const hubs = [
      await startHub({ ingestWorkers: 0, ...NO_LIMITS }),
      await startHub({ ingestWorkers: WORKERS, ...NO_LIMITS }),
    ]
    const c = await startCReceiver()
    const statsd = await startStatsd()
    const skipped: Skipped[] = []
    if (typeof c === 'string') skipped.push({ title: C_RECEIVER, reason: c })
    if (typeof statsd === 'string') skipped.push({ title: STATSD, reason: statsd })
    const compared = typeof c === 'string' ? hubs : [...hubs, c]
    const contenders = [
      ...LOADS.flatMap((load) => compared.map((each) => contender(each, load))),
      ...(typeof statsd === 'string' ? [] : [statsdContender(statsd)]),
    ]
    const rounds = await interleave(contenders, WARM_UPS, ROUNDS)
    for (const each of [...compared, ...(typeof statsd === 'string' ? [] : [statsd])]) {
      await each.stop()
    }
    const of = (load: number, receiver: number) => rounds[load * compared.length + receiver]!
    const ratios: Ratio[] = []
    for (const receiver of hubs.keys()) {
      for (const load of LOADS.keys()) {
        const ours = of(load, receiver)
        if (compared.length > hubs.length) {
          ratios.push(ratioOf(ours, of(load, hubs.length), atLeast(1)))
        }
        if (LOADS[load]!.linesPerFrame === LINES_PER_LARGE_FRAME) {
          ratios.push(ratioOf(ours, of(load - 1, receiver), atLeast(1)))
        } else if (typeof statsd !== 'string' && LOADS[load]!.names === NAME_COUNT) {
          ratios.push(ratioOf(ours, rounds.at(-1)!, atLeast(25)))
        }
      }
    }
    return { warmUps: WARM_UPS, rounds: ROUNDS, figures: rounds.map(figureOf), ratios, skipped }
  },
})

function contender(receiver: Receiver, { linesPerFrame, names }: Load) {
  const passes = names === NAME_COUNT ? PASSES : MANY_PASSES
  return {
    title: `${receiver.title}, ${linesPerFrame} lines a frame, ${names} names`,
    round: () => offerTcp(receiver, linesPerFrame, passes, names),
  }
}

function statsdContender(statsd: Receiver) {
  return { title: statsd.title, round: () => offerTcp(statsd, LINES_PER_PACKET, STATSD_PASSES) }
}
