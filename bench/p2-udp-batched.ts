/** P2: datagrams that carry many lines, against npm's statsd and collectd's plugin. */
import { whyNotPaced } from './load/datagram-sender.ts'
import { count, DATA, LINES_PER_PACKET } from './load/measurements.ts'
import { offerBursts, offerPaced } from './load/offer.ts'
import { atLeast, atMost, figureOf, interleave, ratioOf, type Verdict } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { spreadOf } from './measure/statistics.ts'
import { figureText } from './measure/text.ts'
import { COLLECTD, startCollectd } from './receivers/collectd.ts'
import { startHub } from './receivers/hub.ts'
import type { Receiver } from './receivers/receiver.ts'
import { startRivals } from './receivers/rivals.ts'
import { STATSD, startStatsd } from './receivers/statsd.ts'

/** One of them gets the sender's datagrams; the processor time is that of all threads together. */
const WORKERS = 2
const WARM_UPS = 1
const ROUNDS = 5
/**
 * The same for all. At 2,304 B of kernel memory a datagram that is what the smallest socket buffer
 * among them holds: Linux' default of 208 KiB, where statsd and collectd leave it.
 */
const BURST = 64
const BURST_PASSES = 100
/** A quarter of what statsd can take. */
const PER_SECOND = 5000
const PACED_PASSES = 50

/** A way to send, the same for every receiver. */
interface Mode {
  readonly title: string
  offer(receiver: Receiver): Promise<number>
}
const BURSTS: Mode = {
  title: `bursts of ${BURST}`,
  offer: (receiver) => offerBursts(receiver, LINES_PER_PACKET, BURST_PASSES, BURST),
}
const PACED: Mode = {
  title: `${PER_SECOND} a second`,
  offer: (receiver) => offerPaced(receiver, LINES_PER_PACKET, PACED_PASSES, PER_SECOND),
}

await ask({
  name: 'P2',
  asks: `What does a text line cost that comes by UDP, ${LINES_PER_PACKET} lines a datagram?`,
  data: DATA,
  method: [
    'processor time of the receiver; the same sender and the same datagrams at the same times for',
    `all: bursts of ${BURST} that lie ready when the receiver is let run, as on a full core, none`,
    `dropped; or ${PER_SECOND} a second by a sender in C, what is dropped not counted as taken`,
    'totals verified; a round:',
    `${count(BURST_PASSES)} lines in bursts, ${count(PACED_PASSES)} paced`,
  ],
  unit: 'processor seconds per million lines',
  remarks: [
    'the hub takes many datagrams with one system call where this machine and this Node can',
    'statsd does not flush, which flatters it; collectd does so every 10 s, its default',
  ],

  async measure() {
    const hubs = [await startHub({ ingestWorkers: 0 }), await startHub({ ingestWorkers: WORKERS })]
    const { here, skipped } = await startRivals({
      [STATSD]: startStatsd,
      [COLLECTD]: startCollectd,
    })
    const reason = whyNotPaced()
    const modes = reason === undefined ? [BURSTS, PACED] : [BURSTS]
    const receivers = [...hubs, ...here.values()]
    const contenders = modes.flatMap((mode) => receivers.map((each) => contender(each, mode)))
    const rounds = await interleave(contenders, WARM_UPS, ROUNDS)
    for (const receiver of receivers) await receiver.stop()
    const verdicts: Verdict[] = []
    for (const mode of modes.keys()) {
      const of = rounds.slice(mode * receivers.length, (mode + 1) * receivers.length)
      for (const [i, name] of [...here.keys()].entries()) {
        const rival = of[hubs.length + i]!
        for (const ours of of.slice(0, hubs.length)) {
          verdicts.push(
            name === STATSD ? ratioOf(rival, ours, atLeast(15)) : ratioOf(ours, rival, atMost(0.5)),
          )
        }
      }
    }
    const perSecond = figureText(1e6 / spreadOf(rounds[0]!.figures).median)
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: rounds.map(figureOf),
      verdicts,
      skipped: reason === undefined ? skipped : [...skipped, { title: PACED.title, reason }],
      means: [`A full core takes in ${perSecond} lines a second by UDP, 40 lines a datagram`],
    }
  },
})

function contender(receiver: Receiver, { title, offer }: Mode) {
  return { title: `${receiver.title}, ${title}`, round: () => offer(receiver) }
}
