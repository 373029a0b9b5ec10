/** P2: datagrams that carry many lines, against npm's statsd and collectd's plugin. */
import { count, DATA, LINES_PER_PACKET } from './load/measurements.ts'
import { offerUdp } from './load/offer.ts'
import {
  atLeast,
  atMost,
  figureOf,
  interleave,
  type Ratio,
  ratioOf,
  type Skipped,
} from './measure/question.ts'
import { ask } from './measure/run.ts'
import { COLLECTD, startCollectd } from './receivers/collectd.ts'
import { startHub } from './receivers/hub.ts'
import type { Receiver } from './receivers/receiver.ts'
import { STATSD, startStatsd } from './receivers/statsd.ts'

/** One of them gets the sender's datagrams; the processor time is that of all threads together. */
const WORKERS = 2
const WARM_UPS = 1
const ROUNDS = 5
/**
 * At 2,304 B of kernel memory a datagram, what a receiver's own socket buffer holds: the 4 MiB that
 * the hub asks for, or Linux' default of 208 KiB, where the rivals leave it. On a full core that is
 * what lies ready. In a buffer of 4 MiB statsd's cost stayed the same, collectd's fell by a fifth.
 */
const HUB_BURST = 1024
const RIVAL_BURST = 64
const HUB_PASSES = 500
const STATSD_PASSES = 150
const COLLECTD_PASSES = 500

await ask({
  name: 'P2',
  asks: `What does a text line cost that comes by UDP, ${LINES_PER_PACKET} lines a datagram?`,
  data: DATA,
  method: [
    'processor time of the receiver, totals verified, no datagram dropped',
    `in bursts as socket buffers hold: ${HUB_BURST} datagrams to the hub, ${RIVAL_BURST} to rivals`,
    `a round: ${count(HUB_PASSES)} lines to the hub, ${count(STATSD_PASSES)} to statsd,`,
    `${count(COLLECTD_PASSES)} to collectd`,
  ],
  unit: 'processor seconds per million lines',
  remarks: [
    'the workers take many datagrams with one system call where this machine and this Node can',
    'statsd does not flush, which flatters it; collectd does so every 10 s, its default',
  ],

  async measure() {
    const hub = await startHub({ ingestWorkers: 0 })
    const workers = await startHub({ ingestWorkers: WORKERS })
    const statsd = await startStatsd()
    const collectd = await startCollectd()
    const skipped: Skipped[] = []
    const ours = [hub, workers]
    const contenders = ours.map((each) => contender(each, HUB_PASSES, HUB_BURST))
    if (typeof statsd === 'string') skipped.push({ title: STATSD, reason: statsd })
    else contenders.push(contender(statsd, STATSD_PASSES, RIVAL_BURST))
    if (typeof collectd === 'string') skipped.push({ title: COLLECTD, reason: collectd })
    else contenders.push(contender(collectd, COLLECTD_PASSES, RIVAL_BURST))
    const rounds = await interleave(contenders, WARM_UPS, ROUNDS)
    const ratios: Ratio[] = []
    for (const rival of rounds.slice(ours.length)) {
      for (const each of rounds.slice(0, ours.length)) {
        ratios.push(
          rival.title.startsWith(STATSD)
            ? ratioOf(rival, each, atLeast(6))
            : ratioOf(each, rival, atMost(1)),
        )
      }
    }
    for (const receiver of [hub, workers, statsd, collectd]) {
      if (typeof receiver !== 'string') await receiver.stop()
    }
    return { warmUps: WARM_UPS, rounds: ROUNDS, figures: rounds.map(figureOf), ratios, skipped }
  },
})

function contender(receiver: Receiver, passes: number, burst: number) {
  const { title } = receiver
  return { title, round: () => offerUdp(receiver, LINES_PER_PACKET, passes, burst) }
}
