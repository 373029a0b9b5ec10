/** A client of EventCounters without a server: a test says what it receives. */
import type { ClientError } from '../client/attempt.ts'
import type { EventCountersClientOptions, EventCountersObserver } from '../client.ts'
import { readLine } from '../codec/read.ts'
import { type ToldWindow, toldLine } from './counter-endpoint.ts'

export class FakeCounterClient {
  options: EventCountersClientOptions | undefined
  observer: EventCountersObserver = {}
  isStarted = false
  isStopped = false
  readonly status = { endpoint: '127.0.0.1:4000' }
  readonly counts = {
    ...{ windows: 0, foreignSeries: 0, badPayloads: 0, otherEvents: 0 },
    ...{ linesTooLong: 0, keepAlives: 0, reconnects: 0 },
  }

  /** As a command wants to have it. */
  readonly connect = (
    options: EventCountersClientOptions,
    observer: EventCountersObserver,
  ): FakeCounterClient => {
    this.options = options
    this.observer = observer
    return this
  }

  async start(): Promise<void> {
    this.isStarted = true
  }

  async close(): Promise<void> {
    this.isStopped = true
  }

  /** @param series what the server says it serves */
  open(series = 'Interval=1'): void {
    this.observer.onOpen?.({ url: 'http://127.0.0.1:4000/', series })
  }

  tell(...windows: readonly ToldWindow[]): void {
    this.tellLines(...windows.map(toldLine))
  }

  /** Lines as a server writes them. */
  tellLines(...lines: readonly string[]): void {
    for (const line of lines) {
      const result = readLine(line)
      if (result.kind !== 'window') throw new Error(`no window: ${line}`)
      this.observer.onWindow?.(result.window)
    }
  }

  lose(error: Partial<ClientError> = {}, retryInMs = 250): void {
    this.observer.onError?.(
      { reason: 'broken', message: 'the connection broke', ...error },
      retryInMs,
    )
  }
}
