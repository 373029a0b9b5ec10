/** Wallaroo's workers: steady ones, and those that join, send some windows, and leave. */
import {
  encodeConnect,
  encodeJoin,
  encodeMetrics,
} from '../../../src/dialects/wallaroo/codec/encode.ts'
import type { Random } from '../../fuzz/engine/random.ts'
import { type Client, pause, type Surroundings } from './client.ts'
import { end, open, write } from './connection.ts'

const BINS = 65
/** Bin of messages whose clocks disagree: no latencies. */
const SKEW_BIN = 64
const WINDOW_MS = 200
const VISIT_WINDOWS = 5
const NS_PER_MS = 1_000_000n

interface Window {
  readonly bytes: Uint8Array
  readonly messages: number
}

function windowOf(application: string, worker: string, random: Random): Window {
  const bins = new Array<number>(BINS).fill(0)
  let messages = 0
  for (let i = 0; i < 5; i++) {
    const count = 1 + random.below(100)
    bins[5 + random.below(SKEW_BIN - 30)]! += count
    messages += count
  }
  const endNs = BigInt(Date.now()) * NS_PER_MS
  const periodNs = BigInt(WINDOW_MS) * NS_PER_MS
  const names = { application, category: 'computation', name: 'Check', worker, pipeline: 'Orders' }
  const extremes = { minNs: 1, maxNs: 2 ** 50 }
  return {
    bytes: encodeMetrics({ ...names, id: 1, bins, ...extremes, periodNs, endNs }, 'peer'),
    messages,
  }
}

/** Sends windows for as long as it may; its connection never breaks. */
export function steadyWorker(worker: string): Client {
  return async ({ target, ledger, random }, signal) => {
    const socket = await open(target.stream)
    await write(socket, encodeConnect())
    await write(socket, encodeJoin('steady', worker))
    while (!signal.aborted) {
      const { bytes, messages } = windowOf('steady', worker, random)
      await write(socket, bytes)
      ledger.add('wallaroo steady', messages)
      await pause(WINDOW_MS, signal)
    }
    await end(socket)
  }
}

/** Joins, sends some windows, begins another that it does not finish, and goes as a crash would. */
export const visitingWorkers: Client = async (surroundings, signal) => {
  for (let visit = 0; !signal.aborted; visit++) {
    await visitAs(`visitor-${visit}`, surroundings)
    await pause(200 + surroundings.random.below(800), signal)
  }
}

async function visitAs(worker: string, { target, ledger, random }: Surroundings): Promise<void> {
  const socket = await open(target.stream)
  await write(socket, encodeConnect())
  await write(socket, encodeJoin('visit', worker))
  for (let i = 0; i < VISIT_WINDOWS; i++) {
    const { bytes, messages } = windowOf('visit', worker, random)
    await write(socket, bytes)
    ledger.add('wallaroo visit', messages)
  }
  await write(socket, windowOf('visit', worker, random).bytes.subarray(0, 100 + random.below(400)))
  await end(socket)
}
