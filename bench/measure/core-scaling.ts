/**
 * What a second core of this machine is worth: two processors that are halves of one core, or that
 * others use, give a program with two threads less than twice as much, whatever it does.
 */
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

/** A tenth to a fifth of a second for a thread. */
const PASSES = 400
/** As much as an ingest thread has in hand: a read, its tables, its part of the zone. */
const BYTES = 262_144

/** The same work at a time on two threads and on one. */
export class CoreScaling {
  readonly #workers: readonly Worker[]

  private constructor(workers: readonly Worker[]) {
    this.#workers = workers
  }

  static async start(): Promise<CoreScaling> {
    const workers = [0, 1].map(() => new Worker(fileURLToPath(import.meta.url)))
    const scaling = new CoreScaling(workers)
    await scaling.#seconds(2)
    return scaling
  }

  /** Times the work of one thread that two threads do in the same time of the clock. */
  async measure(): Promise<number> {
    return (2 * (await this.#seconds(1))) / (await this.#seconds(2))
  }

  async #seconds(threads: number): Promise<number> {
    const start = performance.now()
    const done = this.#workers.slice(0, threads).map((worker) => {
      worker.postMessage(PASSES)
      return new Promise((resolve) => worker.once('message', resolve))
    })
    await Promise.all(done)
    return (performance.now() - start) / 1000
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()))
  }
}

if (!isMainThread) {
  const bytes = new Uint8Array(BYTES).fill(0x61)
  parentPort!.on('message', (passes: number) => parentPort!.postMessage(hash(bytes, passes)))
}

/** FNV-1a over all bytes: loads, multiplications and nothing that waits, as in a parser. */
function hash(bytes: Uint8Array, passes: number): number {
  let sum = 0x811c9dc5
  for (let pass = 0; pass < passes; pass++) {
    for (let i = 0; i < bytes.length; i++) sum = Math.imul(sum ^ bytes[i]!, 0x01000193)
  }
  return sum
}
