/** P3 with many datagrams a system call, where Node can: against what C does with it. */
import { count, DATA, LINES_PER_PACKET } from './load/measurements.ts'
import { offerUdp } from './load/offer.ts'
import { atLeast, atMost, figureOf, interleave, ratioOf } from './measure/question.ts'
import { ask } from './measure/run.ts'
import { C_RECEIVER, startCReceiver } from './receivers/c-receiver.ts'
import { startEmptyHandler } from './receivers/empty-handler.ts'
import { startHub } from './receivers/hub.ts'
import type { Receiver } from './receivers/receiver.ts'

const WARM_UPS = 1
const ROUNDS = 7
/** At 768 B of kernel memory each, a third of what a socket buffer of 4 MiB takes. */
const BURST = 2000
const PASSES = 40
/** Datagrams of many lines take 2,304 B each, and more lines make up for the coarse clock. */
const FULL_BURST = 1024
const FULL_PASSES = 400

await ask({
  name: 'P3b',
  asks: 'What does recvmmsg save of the cost of text lines that come by UDP?',
  data: DATA,
  method: [
    'processor time of the receiver, totals verified, no datagram dropped; one ingest thread',
    `in bursts of ${BURST} datagrams of 1 line, ${count(PASSES)} lines a round,`,
    `or of ${FULL_BURST} datagrams of ${LINES_PER_PACKET}, ${count(FULL_PASSES)} lines a round`,
  ],
  unit: 'processor seconds per million lines',
  remarks: ['what recvmmsg saves on a full core; datagrams that come one by one cost the same'],

  async measure() {
    const dgram = await startHub({ ingestWorkers: 1, udpReceive: 'dgram' }, 'dgram')
    const batched = await startHub({ ingestWorkers: 1, udpReceive: 'recvmmsg' }, 'recvmmsg')
    const empty = await startEmptyHandler()
    const c = await startCReceiver()
    const receivers = [dgram, batched, empty, ...(typeof c === 'string' ? [] : [c])]
    const contenders = [...receivers.map(single), full(dgram), full(batched)]
    const rounds = await interleave(contenders, WARM_UPS, ROUNDS)
    for (const receiver of receivers) await receiver.stop()
    const [, one, limit] = rounds
    const [fullDgram, fullBatched] = rounds.slice(-2)
    const inC = typeof c === 'string' ? [] : [ratioOf(one!, rounds[3]!, atMost(1))]
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: rounds.map(figureOf),
      ratios: [
        ratioOf(limit!, one!, atLeast(3)),
        ...inC,
        ratioOf(fullBatched!, fullDgram!, atMost(1)),
      ],
      skipped: typeof c === 'string' ? [{ title: C_RECEIVER, reason: c }] : [],
    }
  },
})

function single(receiver: Receiver) {
  const title = `${receiver.title}, 1 line`
  return { title, round: () => offerUdp(receiver, 1, PASSES, BURST) }
}

function full(receiver: Receiver) {
  const title = `${receiver.title}, ${LINES_PER_PACKET} lines`
  return { title, round: () => offerUdp(receiver, LINES_PER_PACKET, FULL_PASSES, FULL_BURST) }
}
