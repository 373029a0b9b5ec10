/** P1: text lines over TCP through the whole path, against npm's statsd. */
import { count, DATA, LINES_PER_PACKET } from './load/measurements.ts'
import { offerTcp } from './load/offer.ts'
import { atLeast, figureOf, interleave, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { startHub } from './receivers/hub.ts'
import type { Receiver } from './receivers/receiver.ts'
import { STATSD, startStatsd } from './receivers/statsd.ts'

const WARM_UPS = 1
const ROUNDS = 5
/** One of them gets the connection; the processor time is that of all threads together. */
const WORKERS = 2
/** About half a processor second for each. */
const HUB_PASSES = 1000
const STATSD_PASSES = 200
/** 64 KiB, as a relay sends them. */
const LINES_PER_LARGE_FRAME = 2000

await ask({
  name: 'P1',
  asks: 'How many text lines does one core take in over TCP, from the socket to the zone?',
  data: DATA,
  method: [
    'processor time of the receiver, totals verified; one connection, writes of 64 KiB',
    `a round: ${count(HUB_PASSES)} lines to the hub, ${count(STATSD_PASSES)} to statsd`,
  ],
  unit: 'lines per processor second',
  remarks: ['statsd does not flush, which flatters it; the hub closes its seconds'],

  async measure() {
    const hub = await startHub({ ingestWorkers: 0 })
    const workers = await startHub({ ingestWorkers: WORKERS })
    const statsd = await startStatsd()
    const isThere = typeof statsd !== 'string'
    const contenders = [
      contender(hub, LINES_PER_PACKET, HUB_PASSES),
      contender(hub, LINES_PER_LARGE_FRAME, HUB_PASSES),
      contender(workers, LINES_PER_PACKET, HUB_PASSES),
      contender(workers, LINES_PER_LARGE_FRAME, HUB_PASSES),
      ...(isThere ? [contender(statsd, LINES_PER_PACKET, STATSD_PASSES)] : []),
    ]
    const rounds = await interleave(contenders, WARM_UPS, ROUNDS)
    await hub.stop()
    await workers.stop()
    if (isThere) await statsd.stop()
    const ours = rounds.slice(0, 4)
    const rival = rounds[4]
    const wanted = atLeast(8)
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: rounds.map(figureOf),
      ratios: rival ? ours.map((each) => ratioOf(each, rival, wanted)) : [],
      skipped: isThere ? [] : [{ title: STATSD, reason: statsd }],
    }
  },
})

function contender(receiver: Receiver, linesPerFrame: number, passes: number) {
  const isFramed = receiver.syntax === 'statshero'
  const title = isFramed ? `${receiver.title}, ${linesPerFrame} lines a frame` : receiver.title
  return { title, round: () => offerTcp(receiver, linesPerFrame, passes) }
}
