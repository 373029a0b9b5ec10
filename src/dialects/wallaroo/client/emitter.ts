/**
 * The sending side as the hub uses it: closed cells of Wallaroo's series become windows again, in
 * either profile (§7). It connects from the start, so that an address where nothing is shows at
 * once; each worker is joined before its first window.
 */
import type { Cell, Exact, Identity } from '../../../model/index.ts'
import type { Clock } from '../../../time/clock.ts'
import { LinkState } from '../../../time/link-state.ts'
import { runNow, type Task } from '../../../time/task.ts'
import type { ChosenPeer, ClientContext, Emitter, Reports, Target } from '../../endpoints.ts'
import { WallarooClient, type WallarooClientOptions } from '../client.ts'
import { extremesOnWire, type Metrics } from '../codec/encode.ts'
import { computationIdOf, type SeriesNames, type WindowMessage, windowOf } from '../map.ts'
import type { ReporterClock } from '../reporter/reporter.ts'
import { NAME_PREFIX, SKEW_BIN } from '../spec.ts'

/** Cells are those of one second. */
const PERIOD_NS = 1_000_000_000n
/** Frames of a first second, which is closed before a connection can stand. */
const BUFFER_WINDOWS = 10_000
/** Bytes of windows that may wait while a hub reads slowly. */
const PENDING_BYTES = 16_777_216
/** Workers that are announced; windows of more are sent without a Join, which hubs of ours take. */
const JOINS_LIMIT = 1024
/** Computations whose ids are remembered; of more, those that were heard of first have none. */
const IDS_LIMIT = 131_072
/** Windows of skewed messages that wait for their second's latencies; further ones go alone. */
const EARLY_LIMIT = 10_000
/** Windows are encoded and handed over in batches of this many. */
const BATCH_WINDOWS = 100

type EmitterOptions = Omit<WallarooClientOptions, 'application' | 'worker' | 'clock'>

export function connectEmitter(target: Target, context: ClientContext): Emitter {
  return new WallarooEmitter(target, context)
}

class WallarooEmitter implements Emitter {
  /** Prefix of the names that series have here. */
  readonly #namePrefix: string
  readonly #target: Target
  readonly #reports: Reports
  readonly #clock: Clock
  readonly #joined = new Set<string>()
  readonly #link: LinkState
  readonly #client: WallarooClient
  #batch: Metrics[] = []
  /** Ids of computations, by their names as JSON. */
  readonly #ids = new Map<string, number>()
  /** Windows of skewed messages, by their names: a second lists them before all others. */
  readonly #early = new Map<string, WindowMessage>()
  /** End of the second that is being sent, Unix ms. */
  #endMs = 0
  /** Frames dropped so far that have been reported. */
  #reported = 0

  constructor(target: Target, { reports, clock, options }: ClientContext) {
    this.#target = target
    this.#reports = reports
    this.#clock = clock
    this.#link = new LinkState(clock)
    this.#namePrefix = (options.namePrefix ?? NAME_PREFIX) as string
    this.#client = this.#connect(options.emit ?? {})
  }

  send(identity: Identity, cell: Cell, _total: Exact | undefined, endMs: number): void {
    const said = computationIdOf(identity, cell, this.#namePrefix)
    if (said !== undefined) {
      this.#remember(said.names, said.id)
      return
    }
    const window = windowOf(identity, cell, this.#namePrefix)
    if (window === 'said_by_latencies') return
    if (typeof window === 'string') {
      this.#reports.count('emit', window)
      return
    }
    if (window.bins.every((count) => count === 0n)) return
    this.#endMs = endMs
    const isEarly = cell.kind === 'counter' && window.bins[SKEW_BIN]! > 0n
    if (isEarly && this.#early.size < EARLY_LIMIT) this.#early.set(windowKeyOf(window), window)
    else this.#take(this.#withSkewed(window))
  }

  /**
   * Adds the skewed messages of the same second where the minimum is known and the maximum is not:
   * with bin 64 filled the frame can say just that (§4.4).
   */
  #withSkewed(window: WindowMessage): WindowMessage {
    if (Number.isNaN(window.minNs) || !Number.isNaN(window.maxNs)) return window
    const key = windowKeyOf(window)
    const skewed = this.#early.get(key)
    if (skewed === undefined) return window
    this.#early.delete(key)
    return { ...window, bins: window.bins.with(SKEW_BIN, skewed.bins[SKEW_BIN]!) }
  }

  #remember(names: SeriesNames, id: number): void {
    const key = keyOf(names)
    this.#ids.delete(key)
    this.#ids.set(key, id)
    if (this.#ids.size > IDS_LIMIT) this.#ids.delete(this.#ids.keys().next().value!)
  }

  #take(window: WindowMessage): void {
    this.#join(window)
    this.#batch.push(this.#metrics(window))
    if (this.#batch.length === BATCH_WINDOWS) this.#sendBatch()
  }

  #metrics({ names, bins, minNs, maxNs }: WindowMessage): Metrics {
    const isComputation = names.category === 'computation'
    const id = isComputation ? (this.#ids.get(keyOf(names)) ?? 0) : 0
    // the last second of a hub ends with it
    const endMs = Math.min(this.#endMs, this.#clock.wallMs())
    const endNs = (BigInt(Math.floor(endMs)) * 1_000_000n) / PERIOD_NS
    return {
      ...{ ...names, id, bins, ...extremesOnWire(minNs, maxNs, bins) },
      ...{ periodNs: PERIOD_NS, endNs: endNs * PERIOD_NS },
    }
  }

  #join({ names: { application, worker } }: WindowMessage): void {
    const key = JSON.stringify([application, worker])
    if (this.#joined.has(key) || this.#joined.size === JOINS_LIMIT) return
    this.#joined.add(key)
    try {
      this.#client.join(application, worker)
    } catch (error) {
      this.#count(error)
    }
  }

  #connect(options: Partial<EmitterOptions>): WallarooClient {
    const { host, port } = this.#target
    const client = new WallarooClient({
      bufferWindows: BUFFER_WINDOWS,
      maxPendingBytes: PENDING_BYTES,
      ...options,
      ...{ host, port, clock: reporterClock(this.#clock) },
      onConnect: () => this.#link.connected(),
      onError: (error, retryMs) => {
        this.#reports.log('warn', 'relay link failed, trying again', { error: error.message })
        this.#link.failed(error.message, retryMs)
      },
    })
    void client.start()
    return client
  }

  /** Sends a batch. A window that cannot be sent (a name too long) costs itself only. */
  #sendBatch(): void {
    const batch = this.#batch
    this.#batch = []
    try {
      this.#client.send(batch)
    } catch {
      for (const window of batch) {
        try {
          this.#client.send([window])
        } catch (error) {
          this.#count(error)
        }
      }
    }
  }

  #count(error: unknown): void {
    this.#reports.count('emit', (error as { code?: string }).code ?? 'failed')
  }

  /** Describes the hub that is sent to. */
  status(): ChosenPeer {
    const { host: address, port } = this.#target
    const { sent, droppedOffline, droppedSlow } = this.#client.counts
    const link = this.#link.status
    const facts = { sent, dropped: droppedOffline + droppedSlow }
    return { peer: { transport: 'tcp', address, port }, sinceMs: link.sinceMs, facts, link }
  }

  *flush(): Task {
    for (const [key, window] of this.#early) {
      this.#early.delete(key)
      this.#take(window)
      if (this.#batch.length === 0) yield
    }
    if (this.#batch.length > 0) this.#sendBatch()
    const { droppedOffline, droppedSlow } = this.#client.counts
    const dropped = droppedOffline + droppedSlow
    if (dropped > this.#reported) {
      this.#reports.count('emit', 'dropped', dropped - this.#reported)
    }
    this.#reported = dropped
  }

  async close(): Promise<void> {
    runNow(this.flush())
    await this.#client.close()
  }
}

function keyOf({ application, pipeline, worker, name }: SeriesNames): string {
  return JSON.stringify([application, pipeline, worker, name])
}

function windowKeyOf({ names }: WindowMessage): string {
  return names.category + keyOf(names)
}

/** Makes the hub's clock one with the exact wall time that a client's reporters go by. */
function reporterClock(clock: Clock): ReporterClock {
  return {
    wallMs: () => clock.wallMs(),
    wallNs: () => BigInt(Math.floor(clock.wallMs())) * 1_000_000n,
    after: (delayMs, callback) => clock.after(delayMs, callback),
  }
}
