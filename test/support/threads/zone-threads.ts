/** Starting and ending the threads of test/support/threads/zone-thread.ts. */
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Zone } from '../../../src/shm/index.ts'
import { defineAll, type ThreadEnd, type ZoneThreadTask } from './zone-thread.ts'

export const THREAD_PATH = fileURLToPath(new URL('./zone-thread.ts', import.meta.url))

/** One turn of the event loop. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Turns of the event loop until something holds; the test runner's limit ends what never does. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn()
}

export class RecordingThread {
  readonly worker: Worker
  readonly threadId: number
  readonly #control = new Int32Array(new SharedArrayBuffer(12))
  readonly #tally = new BigUint64Array(new SharedArrayBuffer(8))
  readonly #exit: Promise<unknown>

  constructor(zone: Zone, work: ZoneThreadTask['work'], end: ThreadEnd = 'stop') {
    const zoneThread: ZoneThreadTask = {
      shared: zone.shared,
      work,
      end,
      control: this.#control,
      tally: this.#tally,
    }
    this.worker = new Worker(THREAD_PATH, { workerData: { zoneThread } })
    this.threadId = this.worker.threadId
    this.worker.on('error', () => {})
    this.#exit = new Promise((resolve) => this.worker.once('exit', resolve))
  }

  /** Rounds it has recorded for certain; one more may be under way. */
  get rounds(): bigint {
    return Atomics.load(this.#tally, 0)
  }

  /** 0 before it is attached. */
  get segment(): number {
    return Atomics.load(this.#control, 1)
  }

  async attached(): Promise<void> {
    await until(() => this.segment !== 0)
  }

  /** Ends as it was started to end. */
  async end(): Promise<void> {
    Atomics.store(this.#control, 0, 1)
    await this.#exit
  }

  async terminate(): Promise<void> {
    await this.worker.terminate()
    await this.#exit
  }
}

/** Totals of everything that a recording thread adds 1 to, by name. */
export function totalsOf(zone: Zone): Record<string, bigint> {
  const reader = zone.reader()
  const metrics = defineAll(zone)
  const count = (counts: BigUint64Array): bigint => counts.reduce((sum, each) => sum + each, 0n)
  return {
    counter: reader.counter(metrics.counter),
    wrapping: reader.counter(metrics.wrapping),
    settable: reader.counter(metrics.settable),
    dense: count(reader.bins(metrics.dense).counts),
    fractions: count(reader.bins(metrics.fractions).counts),
    exponential: reader.exponential(metrics.exponential).count,
    expanding: count(reader.bins(metrics.expanding).counts),
    binned: count(reader.bins(metrics.binned).counts),
    shared: reader.sharedGauge(metrics.shared),
  }
}
