/**
 * A history in a thread of its own, as the contract has it: files are synced and bundles are made
 * without costing the main thread anything. A thread that ends by itself is a history that failed;
 * the hub goes on without it.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import {
  type CellAnswer,
  type CellQuery,
  type ClosedSecond,
  HistoryError,
  type HistoryHealth,
  type HistoryStore,
  type SeriesQuery,
  type StoredSeries,
} from '../../history/store.ts'
import { unpackHistogram } from '../../model/packed/packed-histogram.ts'
import type {
  HistoryAnswer,
  HistoryCall,
  HistoryMethod,
  HistoryStart,
  ToldNames,
} from './messages.ts'

type Waiting = Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>

export class ThreadHistory implements HistoryStore {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  /** Names that go with a read; none where the store knows series by their keys. */
  readonly #namesOf: ((query: CellQuery) => ToldNames) | undefined
  #nextNumber = 1
  #failure: HistoryError | undefined

  private constructor(worker: Worker, namesOf: ((query: CellQuery) => ToldNames) | undefined) {
    this.#worker = worker
    this.#namesOf = namesOf
    worker.on('message', (message: HistoryAnswer) => this.#take(message))
    worker.on('error', (error) => this.#fail(new HistoryError('failed', String(error))))
    worker.once('exit', () => this.#fail(new HistoryError('closed', 'the history is closed')))
  }

  /**
   * Starts the thread, which opens the folder, or reads an engine.
   * @param namesOf gives the names of all series of a query, where that reads an engine
   * @throws {HistoryError} where it can't
   */
  static async open(
    start: HistoryStart,
    namesOf?: (query: CellQuery) => ToldNames,
  ): Promise<ThreadHistory> {
    const file = `./history-thread${extname(import.meta.url)}`
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: start,
      execArgv: [],
      name: 'history',
    })
    const history = new ThreadHistory(worker, namesOf)
    try {
      await history.#wait(0)
    } catch (error) {
      await worker.terminate()
      throw error
    }
    return history
  }

  /** Calls that are not answered yet. */
  get waiting(): number {
    return this.#waiting.size
  }

  append(second: ClosedSecond): Promise<void> {
    return this.#call('append', second) as Promise<void>
  }

  read(query: CellQuery): Promise<CellAnswer> {
    return this.#call('read', query, this.#namesOf?.(query)) as Promise<CellAnswer>
  }

  /** Asks whether an engine answers. */
  probe(): Promise<void> {
    return this.#call('probe') as Promise<void>
  }

  list(query?: SeriesQuery): Promise<readonly StoredSeries[]> {
    return this.#call('list', query) as Promise<readonly StoredSeries[]>
  }

  remove(keys: readonly Uint8Array[]): Promise<number> {
    return this.#call('remove', keys) as Promise<number>
  }

  retain(): Promise<void> {
    return this.#call('retain') as Promise<void>
  }

  health(): Promise<HistoryHealth> {
    return this.#call('health') as Promise<HistoryHealth>
  }

  async close(): Promise<void> {
    if (this.#failure !== undefined) return
    await this.#call('close')
    await this.#worker.terminate()
  }

  #call(method: HistoryMethod, argument?: unknown, names?: ToldNames): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const number = this.#nextNumber++
    const answered = this.#wait(number)
    const call: HistoryCall = {
      number,
      method,
      argument,
      ...(names === undefined ? {} : { names }),
    }
    this.#worker.postMessage(call)
    return answered
  }

  #wait(number: number): Promise<unknown> {
    const { promise, ...ends } = Promise.withResolvers<unknown>()
    this.#waiting.set(number, ends)
    return promise
  }

  #take({ number, value, fault }: HistoryAnswer): void {
    const ends = this.#waiting.get(number)
    this.#waiting.delete(number)
    if (fault === undefined) ends?.resolve(unpacked(value))
    else ends?.reject(new HistoryError(fault.code, fault.message))
  }

  #fail(failure: HistoryError): void {
    this.#failure ??= failure
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(this.#failure)
  }
}

/** Makes the histograms of an answer again. */
function unpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpacked)
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value
  const { histogramBytes } = value as { readonly histogramBytes?: Uint8Array }
  if (histogramBytes !== undefined) return unpackHistogram(histogramBytes)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unpacked(each)]))
}
