/** Starting, pausing and ending threads that keep to told-thread.ts. */
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { SharedRegistry } from '../../../src/instrument/index.ts'
import type { Zone } from '../../../src/shm/index.ts'
import type { CountingTask } from './counting-thread.ts'
import type { SummaryThreadTask } from './summary-thread.ts'
import { CONTROL, newTold, type Told } from './told-thread.ts'
import { until } from './zone-threads.ts'

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

class ToldThread {
  readonly worker: Worker
  readonly #control: Int32Array
  readonly #tally: Float64Array
  readonly #exit: Promise<unknown>

  constructor(path: string, { control, tally }: Told, workerData: object) {
    this.worker = new Worker(path, { workerData })
    this.#control = control
    this.#tally = tally
    this.#exit = new Promise((resolve) => this.worker.once('exit', resolve))
  }

  isAlive = true

  /** Records for certain; of a thread that runs one more may be under way. */
  get count(): number {
    return this.#tally[0]!
  }

  get sum(): number {
    return this.#tally[1]!
  }

  async attached(): Promise<void> {
    await until(() => Atomics.load(this.#control, CONTROL.attached) === 1)
  }

  /** Resolves once it records nothing, and all it has recorded can be seen. */
  async pause(): Promise<void> {
    const pause = Atomics.add(this.#control, CONTROL.pause, 1) + 1
    await until(() => Atomics.load(this.#control, CONTROL.paused) === pause)
  }

  goOn(): void {
    Atomics.add(this.#control, CONTROL.pause, 1)
    Atomics.notify(this.#control, CONTROL.pause)
  }

  async end(): Promise<void> {
    Atomics.store(this.#control, CONTROL.end, 1)
    await this.#exit
  }

  async terminate(): Promise<void> {
    this.isAlive = false
    await this.worker.terminate()
    await this.#exit
  }
}

/** Observes into a summary of a zone. */
export class ObservingThread extends ToldThread {
  constructor(zone: Zone, key: string, offset = 0) {
    const told = newTold()
    const summaryThread: SummaryThreadTask = { ...told, shared: zone.shared, key, offset }
    super(pathOf('./summary-thread.ts'), told, { summaryThread })
  }
}

/** Records into the counters of test/support/threads/counting-thread.ts. */
export class CountingThread extends ToldThread {
  constructor(shared: SharedRegistry, name: string) {
    const told = newTold()
    const countingThread: CountingTask = { ...told, shared, name }
    super(pathOf('./counting-thread.ts'), told, { countingThread })
  }
}
