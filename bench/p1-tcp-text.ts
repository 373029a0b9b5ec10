/** P1: text lines over TCP through the whole path, against C, npm's statsd and netdata. */
import { count, DATA, LINES_PER_PACKET, NAME_COUNT } from './load/measurements.ts'
import { offerTcp } from './load/offer.ts'
import {
  atLeast,
  figureOf,
  interleave,
  type Rounds,
  ratioOf,
  type Verdict,
} from './measure/question.ts'
import { ask } from './measure/run.ts'
import { spreadOf } from './measure/statistics.ts'
import { figureText } from './measure/text.ts'
import { C_RECEIVER, startCReceiver } from './receivers/c-receiver.ts'
import { startHub } from './receivers/hub.ts'
import { NETDATA, startNetdata } from './receivers/netdata.ts'
import type { Receiver } from './receivers/receiver.ts'
import { startRivals } from './receivers/rivals.ts'
import { STATSD, startStatsd } from './receivers/statsd.ts'

const WARM_UPS = 1
const ROUNDS = 5
/** One of them gets the connection; the processor time is that of all threads together. */
const WORKERS = 2
/** About half a processor second for each. */
const PASSES = 2000
const STATSD_PASSES = 200
const NETDATA_PASSES = 1000
/** 64 KiB, as a relay sends them. */
const LINES_PER_LARGE_FRAME = 2000
/** More than a processor's caches hold. */
const MANY_NAMES = 100_000
const MANY_PASSES = 8
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
    'processor time of the receiver, totals verified; one connection, writes of 64 KiB by a sender',
    'in C (where there is no compiler, by Node)',
    `a round: ${count(PASSES)} lines, ${count(STATSD_PASSES)} to statsd, ${count(NETDATA_PASSES)}`,
    'to netdata; with many names fewer',
  ],
  unit: 'lines per processor second',
  remarks: [
    'statsd does not flush, which flatters it; the hub and netdata close their seconds',
    'statsd and netdata have lines without frames, of 1,000 names',
  ],

  async measure() {
    const hubs = [
      await startHub({ ingestWorkers: 0, ...NO_LIMITS }),
      await startHub({ ingestWorkers: WORKERS, ...NO_LIMITS }),
    ]
    const { here, skipped } = await startRivals({
      [C_RECEIVER]: startCReceiver,
      [STATSD]: startStatsd,
      [NETDATA]: startNetdata,
    })
    const [c, statsd, netdata] = [here.get(C_RECEIVER), here.get(STATSD), here.get(NETDATA)]
    const framed = c === undefined ? hubs : [...hubs, c]
    const contenders = LOADS.flatMap((load) => framed.map((each) => contender(each, load)))
    if (statsd !== undefined) contenders.push(lineContender(statsd, STATSD_PASSES))
    if (netdata !== undefined) contenders.push(lineContender(netdata, NETDATA_PASSES))
    const rounds = await interleave(contenders, WARM_UPS, ROUNDS)
    for (const each of [...hubs, ...here.values()]) await each.stop()

    const of = (load: number, receiver: number): Rounds => {
      return rounds[load * framed.length + receiver]!
    }
    const named = (receiver: Receiver | undefined): Rounds | undefined => {
      return rounds.find(({ title }) => title === receiver?.title)
    }
    const [theirs, others] = [named(statsd), named(netdata)]
    const verdicts: Verdict[] = []
    for (const receiver of hubs.keys()) {
      for (const [load, { linesPerFrame }] of LOADS.entries()) {
        const ours = of(load, receiver)
        if (c !== undefined) verdicts.push(ratioOf(ours, of(load, hubs.length), atLeast(1)))
        if (linesPerFrame === LINES_PER_LARGE_FRAME) {
          verdicts.push(ratioOf(ours, of(load - 1, receiver), atLeast(1)))
        }
      }
      const ours = of(0, receiver)
      if (theirs !== undefined) verdicts.push(ratioOf(ours, theirs, atLeast(25)))
      if (others !== undefined) verdicts.push(ratioOf(ours, others, atLeast(3)))
    }
    const [few, many] = [of(0, 0), of(LOADS.length - 2, 0)].map(({ figures }) => {
      return figureText(spreadOf(figures).median)
    })
    const means = [
      `A core takes in ${few} lines of text a second over TCP, ${many} where they are of ` +
        `${MANY_NAMES.toLocaleString('en-US')} series`,
    ]
    const figures = rounds.map(figureOf)
    return { warmUps: WARM_UPS, rounds: ROUNDS, figures, verdicts, skipped, means }
  },
})

function contender(receiver: Receiver, { linesPerFrame, names }: Load) {
  const passes = names === NAME_COUNT ? PASSES : MANY_PASSES
  return {
    title: `${receiver.title}, ${linesPerFrame} lines a frame, ${names} names`,
    round: () => offerTcp(receiver, linesPerFrame, passes, names),
  }
}

function lineContender(receiver: Receiver, passes: number) {
  return { title: receiver.title, round: () => offerTcp(receiver, LINES_PER_PACKET, passes) }
}
