/** What counters take that several threads hold: heap of each thread, and memory they share. */
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Zone } from '../../src/shm/index.ts'
import { COUNTER_COUNT, HOLDERS, type Holder } from './holders.ts'

export const THREAD_COUNT = 4

/** Bytes per counter. */
export interface Taken {
  /** Mean over the threads. */
  readonly heapPerThread: number
  readonly shared: number
  /** All threads and the shared memory. */
  readonly total: number
}

/** Starts the threads one after the other, so that none measures while another one allocates. */
export async function measureHeld(holder: Holder): Promise<Taken> {
  const zone = HOLDERS[holder].length > 0 ? Zone.create() : undefined
  const before = zone?.usage().bytesTotal ?? 0
  const workers: Worker[] = []
  let heap = 0
  for (let i = 0; i < THREAD_COUNT; i++) {
    const workerData = { holder, shared: zone?.shared }
    const worker = new Worker(join(import.meta.dirname, 'holding-thread.ts'), { workerData })
    workers.push(worker)
    const [bytes] = (await once(worker, 'message')) as [number]
    heap += bytes / COUNTER_COUNT
  }
  const shared = ((zone?.usage().bytesTotal ?? 0) - before) / COUNTER_COUNT
  for (const worker of workers) {
    const exited = once(worker, 'exit')
    worker.postMessage('end')
    const [code] = await exited
    if (code !== 0) throw new Error(`thread that held ${holder} ended with ${code}`)
  }
  return { heapPerThread: heap / THREAD_COUNT, shared, total: heap + shared }
}
