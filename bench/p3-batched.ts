/** P3 with many datagrams a system call, where Node can: against C and netdata, who do it, too. */
import { whyNotPaced } from './load/datagram-sender.ts'
import { count, DATA, LINES_PER_PACKET } from './load/measurements.ts'
import { offerBursts, offerPaced } from './load/offer.ts'
import { atLeast, atMost, figureOf, interleave, ratioOf, type Verdict } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { spreadOf } from './measure/statistics.ts'
import { figureText } from './measure/text.ts'
import { C_RECEIVER, startCReceiver } from './receivers/c-receiver.ts'
import { startEmptyHandler } from './receivers/empty-handler.ts'
import { startHub } from './receivers/hub.ts'
import { NETDATA, startNetdata } from './receivers/netdata.ts'
import type { Receiver } from './receivers/receiver.ts'
import { startRivals } from './receivers/rivals.ts'

const WARM_UPS = 1
const ROUNDS = 5
/** At 768 B of kernel memory each, a third of what a socket buffer of 4 MiB takes. */
const BURST = 2000
const BURST_PASSES = 20
const PER_SECOND = 60_000
const PACED_PASSES = 15
/** Datagrams of many lines take 2,304 B each, and more lines make up for a short round. */
const FULL_BURST = 1024
const FULL_PASSES = 200

/** A way to send, the same for every receiver. */
interface Mode {
  readonly title: string
  offer(receiver: Receiver): Promise<number>
}
const BURSTS: Mode = {
  title: `1 line, bursts of ${BURST}`,
  offer: (receiver) => offerBursts(receiver, 1, BURST_PASSES, BURST),
}
const PACED: Mode = {
  title: `1 line, ${PER_SECOND} a second`,
  offer: (receiver) => offerPaced(receiver, 1, PACED_PASSES, PER_SECOND),
}
const FULL: Mode = {
  title: `${LINES_PER_PACKET} lines, bursts of ${FULL_BURST}`,
  offer: (receiver) => offerBursts(receiver, LINES_PER_PACKET, FULL_PASSES, FULL_BURST),
}

await ask({
  name: 'P3b',
  asks: 'What does recvmmsg save of the cost of text lines that come by UDP?',
  data: DATA,
  method: [
    'processor time of the receiver; the same sender and the same datagrams at the same times for',
    'all: bursts that lie ready when the receiver is let run, as on a full core, none dropped; or',
    'an even pace by a sender in C, what is dropped not counted as taken; totals verified',
    `a round: ${count(BURST_PASSES)} lines in bursts, ${count(PACED_PASSES)} paced,`,
    `${count(FULL_PASSES)} in full datagrams`,
  ],
  unit: 'processor seconds per million lines',
  remarks: ['netdata has a line a datagram as well, in the syntax of statsd, without a frame'],

  async measure() {
    const hubs = [
      await startHub({ ingestWorkers: 0, udpReceive: 'recvmmsg' }, 'recvmmsg, no workers'),
      await startHub({ ingestWorkers: 1, udpReceive: 'recvmmsg' }, 'recvmmsg, 1 worker'),
    ]
    const dgram = await startHub({ ingestWorkers: 1, udpReceive: 'dgram' }, 'dgram, 1 worker')
    const empty = await startEmptyHandler()
    const { here, skipped } = await startRivals({
      [C_RECEIVER]: startCReceiver,
      [NETDATA]: startNetdata,
    })
    const reason = whyNotPaced()
    const modes = reason === undefined ? [BURSTS, PACED] : [BURSTS]
    const receivers = [...hubs, empty, ...here.values()]
    const contenders = [
      ...modes.flatMap((mode) => receivers.map((each) => contender(each, mode))),
      ...[dgram, ...hubs].map((each) => contender(each, FULL)),
    ]
    const rounds = await interleave(contenders, WARM_UPS, ROUNDS)
    for (const receiver of [...receivers, dgram]) await receiver.stop()
    const verdicts: Verdict[] = []
    for (const mode of modes.keys()) {
      const of = rounds.slice(mode * receivers.length, (mode + 1) * receivers.length)
      for (const ours of of.slice(0, hubs.length)) {
        verdicts.push(ratioOf(of[hubs.length]!, ours, atLeast(3)))
        for (const rival of of.slice(hubs.length + 1))
          verdicts.push(ratioOf(ours, rival, atMost(1)))
      }
    }
    const [fullDgram, ...full] = rounds.slice(-1 - hubs.length)
    for (const ours of full) verdicts.push(ratioOf(ours, fullDgram!, atMost(1)))
    const perSecond = figureText(1e6 / spreadOf(rounds[0]!.figures).median)
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: rounds.map(figureOf),
      verdicts,
      skipped: reason === undefined ? skipped : [...skipped, { title: PACED.title, reason }],
      means: [`A full core takes in ${perSecond} datagrams of a line each a second`],
    }
  },
})

function contender(receiver: Receiver, { title, offer }: Mode) {
  return { title: `${receiver.title}, ${title}`, round: () => offer(receiver) }
}
