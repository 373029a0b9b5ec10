/** The program of the history's thread: opens the folder, and answers calls one after another. */
import { parentPort, workerData } from 'node:worker_threads'
import { SqliteHistory } from '../../history/sqlite/sqlite-history.ts'
import { HistoryError, type HistoryStore } from '../../history/store.ts'
import { Histogram } from '../../model/index.ts'
import { packHistogram } from '../../model/packed/packed-histogram.ts'
import type { HistoryAnswer, HistoryCall, HistoryFault, HistoryStart } from './messages.ts'

const port = parentPort!

function faultOf(error: unknown): HistoryFault {
  if (error instanceof HistoryError) return { code: error.code, message: error.message }
  return { code: 'failed', message: String((error as Error).stack ?? error) }
}

function answer(message: HistoryAnswer): void {
  port.postMessage(message)
}

async function take(store: HistoryStore, { number, method, argument }: HistoryCall): Promise<void> {
  try {
    const call = store[method] as (argument: unknown) => Promise<unknown>
    answer({ number, value: packed(await call.call(store, argument)) })
  } catch (error) {
    answer({ number, fault: faultOf(error) })
  }
  if (method === 'close') port.close()
}

/** Replaces histograms by their bytes, which can be cloned: the other end makes them again. */
function packed(value: unknown): unknown {
  if (value instanceof Histogram) return { histogramBytes: packHistogram(value) }
  if (Array.isArray(value)) return value.map(packed)
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, packed(each)]))
}

try {
  const start = workerData as HistoryStart
  const store = new SqliteHistory({ ...start, nowMs: Date.now })
  port.on('message', (call: HistoryCall) => void take(store, call))
  answer({ number: 0 })
} catch (error) {
  answer({ number: 0, fault: faultOf(error) })
}
