/**
 * The program of the history's thread: opens the folder, or asks the engine, and answers calls.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { WrittenSeries } from '../../../history/promql/written.ts'
import { type CellAnswer, HistoryError, type StoredSeries } from '../../../history/store.ts'
import { collectOnce } from '../../tasks/collect-once.ts'
import { PULSE } from '../written-names.ts'
import type {
  EngineStart,
  FolderStart,
  HistoryAnswer,
  HistoryCall,
  HistoryFault,
  HistoryMethod,
  HistoryStart,
} from './messages.ts'
import { packAnswer, packList } from './packed-answer.ts'

const port = parentPort!

function faultOf(error: unknown): HistoryFault {
  if (error instanceof HistoryError) return { code: error.code, message: error.message }
  return { code: 'failed', message: String((error as Error).stack ?? error) }
}

function answer(message: HistoryAnswer): void {
  port.postMessage(message)
}

/** Makes one call of what the thread serves. */
type Serve = (call: HistoryCall) => Promise<unknown>
type Method = (argument: unknown) => Promise<unknown>

async function take(serve: Serve, call: HistoryCall): Promise<void> {
  const { number, method } = call
  try {
    answer({ number, value: packed(method, await serve(call)) })
  } catch (error) {
    answer({ number, fault: faultOf(error) })
  }
  if (method === 'close') port.close()
}

async function openFolder(start: FolderStart): Promise<Serve> {
  const { SqliteHistory } = await import('../../../history/sqlite/sqlite-history.ts')
  const { asHistoryError } = await import('../../../history/sqlite/folder.ts')
  const store = new SqliteHistory({ ...start, nowMs: Date.now })
  const methods = store as unknown as Readonly<Record<HistoryMethod, Method>>
  return async ({ method, argument }) => {
    if (method === 'append' && store.isGone) return end(`${start.folder} was removed or renamed`)
    try {
      return await methods[method].call(store, argument)
    } catch (error) {
      // of a page that can't be read it says what to do; any other is told with its stack
      const told = asHistoryError(error, start.folder)
      throw told.code === 'failed' ? error : told
    }
  }
}

/** Ends the thread, which answers no more; the next one makes the folder anew. */
function end(reason: string): Promise<never> {
  setImmediate(() => {
    throw new Error(reason)
  })
  return new Promise(() => {})
}

async function openEngine({ engine }: EngineStart): Promise<Serve> {
  const { PromqlHistory } = await import('../../../history/promql/promql-history.ts')
  let told: ReadonlyMap<string, WrittenSeries | undefined> = new Map()
  const store = new PromqlHistory(engine, {
    namesOf: (key) => told.get(String(key)),
    pulse: PULSE,
  })
  const methods = store as unknown as Readonly<Record<HistoryMethod, Method>>
  return ({ method, argument, names = [] }) => {
    told = new Map(names.map(([key, series]) => [String(key), series]))
    return methods[method].call(store, argument)
  }
}

/** Replaces what can't be cloned, or only at a price. */
function packed(method: HistoryMethod, value: unknown): unknown {
  if (method === 'read') return packAnswer(value as CellAnswer)
  return method === 'list' ? packList(value as readonly StoredSeries[]) : value
}

try {
  const start = workerData as HistoryStart
  const serve = await ('engine' in start ? openEngine(start) : openFolder(start))
  port.on('message', (call: HistoryCall) => void take(serve, call))
  answer({ number: 0 })
  collectOnce()
} catch (error) {
  answer({ number: 0, fault: faultOf(error) })
}
