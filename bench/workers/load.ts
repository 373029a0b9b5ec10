/**
 * The load of many Wallaroo workers: connections, each with as many computations, one window of
 * each in two seconds. Frames are made once; only their ends are written anew.
 */
import {
  encodeConnect,
  encodeJoin,
  encodeMetrics,
} from '../../src/dialects/wallaroo/codec/encode.ts'
import { BINS } from '../../src/dialects/wallaroo/spec.ts'

export interface WorkersLoad {
  readonly port: number
  readonly application: string
  readonly connections: number
  readonly seriesPerConnection: number
  /** Within what part of its period the workers send; 0 = all at its boundary. */
  readonly spreadMs: number
}

export const PERIOD_MS = 2000
/** As many bins as latencies of one computation usually fill, and what they hold. */
const FIRST_BIN = 12
const COUNTS = [1, 7, 31, 40, 17, 4] as const
/** Messages of every window. */
export const MESSAGES = COUNTS.reduce((sum, count) => sum + count, 0)
const PIPELINES = 10
const END_BYTES = 8

/** What one worker says first, and then once in a period. */
export interface WorkerStream {
  readonly greeting: Buffer
  readonly windows: Buffer
  /** Where the ends of its windows lie. */
  readonly endsAt: Uint32Array
}

export function workerStream(application: string, worker: number, series: number): WorkerStream {
  const name = `worker-${worker}`
  const frames = Array.from({ length: series }, (_, i) => windowFrame(application, name, i))
  const endsAt = new Uint32Array(series)
  let at = 0
  frames.forEach((frame, i) => {
    at += frame.length
    endsAt[i] = at - END_BYTES
  })
  const greeting = Buffer.concat([encodeConnect(), encodeJoin(application, name)])
  return { greeting, windows: Buffer.concat(frames), endsAt }
}

export function setEnd({ windows, endsAt }: WorkerStream, endMs: number): void {
  const endNs = BigInt(endMs) * 1_000_000n
  for (const at of endsAt) windows.writeBigUInt64BE(endNs, at)
}

function windowFrame(application: string, worker: string, series: number): Uint8Array {
  const bins = new Array<number>(BINS).fill(0)
  COUNTS.forEach((count, i) => {
    bins[FIRST_BIN + i] = count
  })
  return encodeMetrics(
    {
      application,
      category: 'computation',
      name: `Computation ${series}`,
      worker,
      pipeline: `Pipeline ${series % PIPELINES}`,
      id: 1 + (series % 100),
      bins,
      minNs: 2 ** (FIRST_BIN - 1) + 1,
      maxNs: 2 ** (FIRST_BIN + COUNTS.length - 1) - 1,
      periodNs: BigInt(PERIOD_MS) * 1_000_000n,
      endNs: 0n,
    },
    'peer',
  )
}
