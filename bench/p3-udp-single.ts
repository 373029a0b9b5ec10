/** P3: datagrams of one line, against Node's own limit: a handler that does nothing. */
import { count, DATA } from './load/measurements.ts'
import { offerBursts } from './load/offer.ts'
import { atMost, figureOf, interleave, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { startEmptyHandler } from './receivers/empty-handler.ts'
import { startHub } from './receivers/hub.ts'
import type { Receiver } from './receivers/receiver.ts'

/** One of them gets the sender's datagrams; the processor time is that of all threads together. */
const WORKERS = 2
const WARM_UPS = 1
const ROUNDS = 9
/** At 768 B of kernel memory each, a third of what a socket buffer of 4 MiB takes. */
const BURST = 2000
const PASSES = 20

await ask({
  name: 'P3',
  asks: 'What does a text line cost that comes by UDP alone in its datagram?',
  data: DATA,
  method: [
    'processor time of the receiver, totals verified, no datagram dropped',
    `in bursts of ${BURST} datagrams, ${count(PASSES)} of them a round`,
  ],
  unit: 'processor seconds per million lines',
  remarks: [
    'all through node:dgram: one system call and one callback a datagram; many a call: p3-batched',
  ],

  async measure() {
    const receivers = [
      await startHub({ ingestWorkers: 0, udpReceive: 'dgram' }),
      await startHub({ ingestWorkers: WORKERS, udpReceive: 'dgram' }),
      await startEmptyHandler(),
    ]
    const rounds = await interleave(receivers.map(contender), WARM_UPS, ROUNDS)
    for (const receiver of receivers) await receiver.stop()
    const [hub, workers, limit] = rounds
    const wanted = atMost(1.1)
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: rounds.map(figureOf),
      verdicts: [ratioOf(hub!, limit!, wanted), ratioOf(workers!, limit!, wanted)],
      skipped: [],
    }
  },
})

function contender(receiver: Receiver) {
  return { title: receiver.title, round: () => offerBursts(receiver, 1, PASSES, BURST) }
}
