/** P3: datagrams of one line, against Node's limit, a handler that does nothing, and netdata. */
import { whyNotPaced } from './load/datagram-sender.ts'
import { count, DATA } from './load/measurements.ts'
import { offerBursts, offerPaced } from './load/offer.ts'
import { atMost, figureOf, interleave, ratioOf, type Verdict } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { startEmptyHandler } from './receivers/empty-handler.ts'
import { startHub } from './receivers/hub.ts'
import { NETDATA, startNetdata } from './receivers/netdata.ts'
import type { Receiver } from './receivers/receiver.ts'
import { startRivals } from './receivers/rivals.ts'

/** One of them gets the sender's datagrams; the processor time is that of all threads together. */
const WORKERS = 2
const WARM_UPS = 1
const ROUNDS = 9
/** At 768 B of kernel memory each, a third of what a socket buffer of 4 MiB takes. */
const BURST = 2000
const PASSES = 20
const PER_SECOND = 60_000
const PACED_PASSES = 15
/** Of Node's own limit. */
const HANDLER_WANTED = 1.1
const NETDATA_WANTED = 1

/** A way to send, the same for every receiver. */
interface Mode {
  readonly title: string
  offer(receiver: Receiver): Promise<number>
}
const BURSTS: Mode = {
  title: `bursts of ${BURST}`,
  offer: (receiver) => offerBursts(receiver, 1, PASSES, BURST),
}
const PACED: Mode = {
  title: `${PER_SECOND} a second`,
  offer: (receiver) => offerPaced(receiver, 1, PACED_PASSES, PER_SECOND),
}

await ask({
  name: 'P3',
  asks: 'What does a text line cost that comes by UDP alone in its datagram?',
  data: DATA,
  method: [
    'processor time of the receiver, totals verified; the same datagrams at the same times for',
    `all: bursts of ${BURST} that lie ready when it is let run, none dropped; or an even pace by a`,
    'sender in C, what is dropped not counted as taken. A round:',
    `${count(PASSES)} lines in bursts, ${count(PACED_PASSES)} paced`,
  ],
  unit: 'processor seconds per million lines',
  remarks: [
    'the hub through node:dgram, as where node:ffi or recvmmsg is not to be had: one system call',
    'and one callback a datagram. With many a call: p3-batched',
    'netdata takes many with a call, and has a line a datagram as well, in the syntax of statsd',
  ],

  async measure() {
    const hubs = [
      await startHub({ ingestWorkers: 0, udpReceive: 'dgram' }, 'dgram, no workers'),
      await startHub({ ingestWorkers: WORKERS, udpReceive: 'dgram' }, `dgram, ${WORKERS} workers`),
    ]
    const empty = await startEmptyHandler()
    const { here, skipped } = await startRivals({ [NETDATA]: startNetdata })
    const reason = whyNotPaced()
    const modes = reason === undefined ? [BURSTS, PACED] : [BURSTS]
    const receivers = [...hubs, empty, ...here.values()]
    const contenders = modes.flatMap((mode) => receivers.map((each) => contender(each, mode)))
    const rounds = await interleave(contenders, WARM_UPS, ROUNDS)
    for (const receiver of receivers) await receiver.stop()
    const verdicts: Verdict[] = []
    for (const mode of modes.keys()) {
      const of = rounds.slice(mode * receivers.length, (mode + 1) * receivers.length)
      const [limit, ...rivals] = of.slice(hubs.length)
      for (const ours of of.slice(0, hubs.length)) {
        verdicts.push(ratioOf(ours, limit!, atMost(HANDLER_WANTED)))
        for (const rival of rivals) verdicts.push(ratioOf(ours, rival, atMost(NETDATA_WANTED)))
      }
    }
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: rounds.map(figureOf),
      verdicts,
      skipped: reason === undefined ? skipped : [...skipped, { title: PACED.title, reason }],
    }
  },
})

function contender(receiver: Receiver, { title, offer }: Mode) {
  return { title: `${receiver.title}, ${title}`, round: () => offer(receiver) }
}
