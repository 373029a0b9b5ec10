/** P4: Wallaroo frames through the whole path, against a bare TCP receive of the same bytes. */
import assert from 'node:assert/strict'
import { FrameScanner } from '../src/dialects/wallaroo/codec/frame-scan.ts'
import { RECEIVE_DEFAULTS } from '../src/dialects/wallaroo/options.ts'
import { offerWindows } from './load/offer.ts'
import { openSender, type StreamSender } from './load/stream-sender.ts'
import { cutIntoWrites } from './load/tcp-sender.ts'
import { frames, GREETING, SEED, SERIES_COUNT, WINDOW_MESSAGES, WINDOWS } from './load/windows.ts'
import {
  atLeast,
  figureOf,
  interleave,
  type Rounds,
  ratioOf,
  type Verdict,
  voided,
} from './measure/question.ts'
import { ask } from './measure/run.ts'
import { spreadOf } from './measure/statistics.ts'
import { figureText } from './measure/text.ts'
import { FrameMerger } from './receivers/frame-merger.ts'
import { startBareServer, startPipelineHub } from './receivers/pipelines.ts'
import type { Program } from './receivers/receiver.ts'

const WARM_UPS = 1
const ROUNDS = 9
/** About a second and a half for the hub, so that its ticks take part. */
const PASSES = 1000
/** Of the clock's time: a receiver that works less waits, for its sender or for a core. */
const BUSY_WANTED = 0.95
/** About half a second in this process. */
const IN_PROCESS_PASSES = 250

const prepared = frames(BigInt(Date.now()) * 1_000_000n)
const frameBytes = prepared[0]!.length
const stream = Buffer.concat(prepared)
const writes = cutIntoWrites(stream)

await ask({
  name: 'P4',
  asks: 'How many Wallaroo frames does one core take in over TCP, from the socket to the series?',
  data: `${SERIES_COUNT} series of one worker, frames of ${frameBytes} bytes, bins of seed ${SEED}`,
  method: [
    'one connection, writes of 64 KiB by a sender in C (where there is no compiler, by Node);',
    'both receivers are processes of their own',
    `a round: ${(PASSES * WINDOWS).toLocaleString('en-US')} frames, by the clock and by the`,
    'processor time of the receiver; totals of the model verified, so nothing was lost',
  ],
  unit: 'frames per second',
  remarks: [
    'wanted by both: frames through the whole path against what Node receives of the same bytes',
    'when it only counts them. By the clock only where both work all the time: a receiver that',
    'waits is bound by its sender, so its rate is not its own, and the ratio is void',
    'the hub: shared port, series, windows for the views, totals, and a tick each second, which',
    'costs the same whatever comes: where others hold the processor it weighs more',
    'JavaScript alone takes no part in the first two: it is what frames that are not usual cost',
  ],

  async measure() {
    const hub = await startPipelineHub({ ingestWorkers: 0 })
    const bare = await startBareServer(frameBytes)
    const sender = openSender(stream, GREETING)
    const [ours, limit] = [offered(hub, sender), offered(bare, sender)]
    const javaScript = { title: 'scan + merge by JavaScript, no socket', round: decodeAndMerge }
    const rounds = await interleave([ours.byClock, limit.byClock, javaScript], WARM_UPS, ROUNDS)
    await hub.stop()
    await bare.stop()
    const [ourRate, limitRate] = rounds
    const [ourCpu, limitCpu] = [ours.byProcessor(), limit.byProcessor()]
    const busy = [ours.busy(), limit.busy()]
    const perSecond = spreadOf(ourCpu.figures).median
    return {
      warmUps: WARM_UPS,
      rounds: ROUNDS,
      figures: [...rounds, ourCpu, limitCpu, ...busy].map(figureOf),
      verdicts: [
        judgeClock(ratioOf(ourRate!, limitRate!, atLeast(1)), busy),
        ratioOf(ourCpu, limitCpu, atLeast(1)),
      ],
      skipped: [],
      means: [`A core takes in ${figureText(perSecond)} frames of Wallaroo a second`],
    }
  },
})

/** One round is timed in two ways: the clock's is the contender's, the other one is kept. */
function offered(program: Program, sender: StreamSender) {
  const perProcessorSecond: number[] = []
  const busyShares: number[] = []
  return {
    byClock: {
      title: `${program.title}, by the clock`,
      async round() {
        const offered = await offerWindows(program, sender, PASSES)
        const { windows, wallSeconds, processorSeconds } = offered
        perProcessorSecond.push(windows / processorSeconds)
        busyShares.push(processorSeconds / wallSeconds)
        return windows / wallSeconds
      },
    },
    byProcessor: () => ({
      title: `${program.title}, by processor time`,
      figures: perProcessorSecond.slice(WARM_UPS),
    }),
    busy: (): Rounds => ({
      title: `${program.title} at work`,
      figures: busyShares.slice(WARM_UPS),
      unit: "of the clock's time",
    }),
  }
}

function judgeClock(verdict: Verdict, busy: readonly Rounds[]): Verdict {
  const idle = busy.find(({ figures }) => spreadOf(figures).median < BUSY_WANTED)
  if (idle === undefined) return verdict
  const share = figureText(spreadOf(idle.figures).median)
  return voided(
    verdict,
    `${idle.title} for ${share} of the time: it waited for its sender, or a core`,
  )
}

/** Finds the series of every frame by its names and adds its bins; in this process. */
function decodeAndMerge(): number {
  const merger = new FrameMerger()
  const scanner = new FrameScanner(RECEIVE_DEFAULTS, merger)
  const start = process.cpuUsage()
  scanner.push(GREETING)
  for (let pass = 0; pass < IN_PROCESS_PASSES; pass++) {
    for (const write of writes) scanner.push(write)
  }
  const { user, system } = process.cpuUsage(start)
  assert.equal(merger.messages(), BigInt(IN_PROCESS_PASSES * WINDOWS * WINDOW_MESSAGES))
  return (IN_PROCESS_PASSES * WINDOWS) / ((user + system) / 1e6)
}
