/** Zones for tests: keys from text, histograms as comparable facts, threads with a zone. */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { BucketRun, Histogram } from '../../../src/model/index.ts'
import {
  type Backing,
  type DefinitionOptions,
  type MetricType,
  Zone,
  type ZoneOptions,
} from '../../../src/shm/index.ts'
import type { ThreadTask } from './shm-thread.ts'

const encoder = new TextEncoder()

export function keyOf(text: string): Uint8Array {
  return encoder.encode(text)
}

/** What zones of this process are made of: all their tests run over both. */
export const backing: Backing = process.env.ZONE_BACKING === 'wasm' ? 'wasm' : 'sab'

export function createZone(options: ZoneOptions = {}): Zone {
  return Zone.create({ backing, ...options })
}

/** A zone's bytes as they are now. */
export function bufferOf({ shared }: Zone): ArrayBufferLike {
  return shared instanceof SharedArrayBuffer ? shared : shared.buffer
}

/** Defines a metric that must not be refused. */
export function defined(
  zone: Zone,
  name: string,
  type: MetricType,
  options?: DefinitionOptions,
): number {
  const metric = zone.define(keyOf(name), type, options)
  if (metric < 0) throw new Error(`"${name}" was refused: ${metric}`)
  return metric
}

/** What two equal histograms have in common, whatever room their runs keep. */
export function histogramFacts(histogram: Histogram): object {
  return {
    scale: histogram.scale,
    count: histogram.count,
    zeros: histogram.zeroCount,
    positive: buckets(histogram.positive),
    negative: buckets(histogram.negative),
    sum: Number(histogram.sum) === 0 ? 0 : histogram.sum,
    min: histogram.min,
    max: histogram.max,
  }
}

function buckets(run: BucketRun): [number, bigint][] {
  const list: [number, bigint][] = []
  run.forEach((index, count) => {
    list.push([index, count])
  })
  return list
}

/** A thread that works on a zone; `done` resolves with its answer once it has ended. */
export interface ZoneThread {
  readonly worker: Worker
  readonly done: Promise<unknown>
}

/** Starts a thread on the zone with a task of test/support/threads/shm-thread.ts. */
export function startThread(zone: Zone, task: ThreadTask): ZoneThread {
  const path = fileURLToPath(new URL('./shm-thread.ts', import.meta.url))
  const worker = new Worker(path, { workerData: { shared: zone.shared, task } })
  const done = new Promise((resolve, reject) => {
    let answer: unknown
    worker.once('message', (message) => {
      answer = message
    })
    worker.once('error', reject)
    worker.once('exit', () => resolve(answer))
  })
  return { worker, done }
}
