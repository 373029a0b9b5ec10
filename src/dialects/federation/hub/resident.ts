/**
 * The side of a hub that others attach to. It tells what this hub itself has received: seconds of
 * hubs that this one is attached to are not among it. So hubs may attach to each other, and nothing
 * comes round or is counted twice.
 */
import type { Frame } from '../../../hub/live/frame.ts'
import type { Resident, ResidentContext } from '../../../hub/resident.ts'
import { isDecrements, isWindowed, type SeriesRecord } from '../../../hub/series/record.ts'
import type { LimitStatus } from '../../../hub/status/status.ts'
import { ANSWER_BUDGET_NS } from '../../../hub/tasks/loop-budget.ts'
import type { Task } from '../../../hub/tasks/task.ts'
import { TaskQueue } from '../../../hub/tasks/task-queue.ts'
import type { HubView } from '../../../hub/view.ts'
import type { Metadata } from '../../../model/index.ts'
import type { PeerConnection, Reports } from '../../endpoints.ts'
import type { FederationOptions } from '../options.ts'
import { NAME } from '../spec.ts'
import { type NumberedFrame, Reader, type ReaderOutput, type TellableSeries } from './reader.ts'
import { toldFrame } from './told-frame.ts'

const encoder = new TextEncoder()

export class FederationResident implements Resident {
  readonly #view: HubView
  readonly #options: FederationOptions
  readonly #reports: Reports
  readonly #tasks: TaskQueue
  readonly #readers = new Set<Reader>()
  /** Seconds that one who comes back may miss, oldest first. */
  readonly #frames: NumberedFrame[] = []
  #bytes = 0
  #sequence = 0
  #valuesSent = 0
  #refused = 0
  #isWatching = false
  /** Messages of the second that was told last. */
  #cells: { readonly frame: Frame; readonly messages: readonly Uint8Array[] } | undefined
  readonly #metadata = new WeakMap<Metadata, Uint8Array>()

  constructor({ hub, options, clock, reports }: ResidentContext) {
    this.#view = hub
    this.#options = options as FederationOptions
    this.#reports = reports.for(NAME)
    this.#tasks = new TaskQueue(clock, { budgetNs: ANSWER_BUDGET_NS })
  }

  get valuesSent(): number {
    return this.#valuesSent
  }

  get connectionCount(): number {
    return this.#readers.size
  }

  connections(): readonly PeerConnection[] {
    return [...this.#readers].map(({ output, progress: { sequence, told } }) => ({
      ...{ peer: output.peer, sinceMs: output.sinceMs },
      facts: { seconds: told, waits: this.#sequence - sequence },
    }))
  }

  limits(): readonly LimitStatus[] {
    return [
      {
        ...{ name: 'federation.readersLimit', limit: this.#options.readersLimit },
        ...{ used: this.#readers.size, refused: this.#refused },
        behaviour: 'A further hub is refused, and tries again.',
      },
    ]
  }

  /**
   * Begins to tell a hub of seconds.
   * @param start of this hub that it was attached to before, and the last sequence it has of it
   * @returns undefined where all places are taken
   */
  open(output: ReaderOutput, start?: string, after = 0): Reader | undefined {
    if (this.#readers.size >= this.#options.readersLimit) {
      this.#refused++
      return undefined
    }
    this.#watch()
    const oldest = this.#frames[0]?.sequence ?? this.#sequence + 1
    const { startId, version, clock } = this.#view
    const known = start === startId ? after : 0
    const from = start === undefined ? this.#sequence : Math.max(known, oldest - 1)
    const reader = new Reader(output, Math.min(from, this.#sequence))
    reader.greet({ start: startId, hub: version, nowMs: clock.wallMs() })
    this.#readers.add(reader)
    this.wake()
    return reader
  }

  close(reader: Reader): void {
    this.#readers.delete(reader)
  }

  /** Watches series once there is one to be told of them. */
  #watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    this.#view.series.watch({
      leaves: ({ id }) => {
        for (const reader of this.#readers) reader.leave(id)
      },
      changes: ({ id }) => {
        for (const reader of this.#readers) reader.change(id)
      },
    })
  }

  // biome-ignore lint/correctness/useYield: it has nothing to pause for
  *take(frame: Frame): Task {
    this.#frames.push({ sequence: ++this.#sequence, frame })
    this.#bytes += frame.size
    const { replaySeconds, replayBytesLimit } = this.#options
    while (
      this.#frames.length > replaySeconds ||
      (this.#bytes > replayBytesLimit && this.#frames.length > 1)
    ) {
      this.#bytes -= this.#frames.shift()!.frame.size
    }
    this.wake()
  }

  /** Goes on telling those who have room. */
  wake(): void {
    if (this.#readers.size === 0 || this.#tasks.isRunning) return
    this.#tasks.run(this.#telling()).catch((error: unknown) => {
      this.#reports.log('error', 'a second could not be told', { error: String(error) })
    })
  }

  *#telling(): Task {
    for (let hasTold = true; hasTold; ) {
      hasTold = false
      for (const reader of [...this.#readers]) {
        const next = reader.hasRoom ? this.#after(reader.progress.sequence) : undefined
        if (next === undefined) continue
        hasTold = true
        const cells = yield* this.#cellsOf(next.frame)
        const seriesOf = (id: number) => this.#seriesOf(id)
        yield* reader.tell(next, cells, seriesOf, this.#view.clock.wallMs())
        this.#valuesSent += next.frame.cellCount
        yield
      }
    }
  }

  /** Finds the oldest second behind a sequence that is kept. */
  #after(sequence: number): NumberedFrame | undefined {
    const oldest = this.#frames[0]?.sequence ?? 0
    return this.#frames[Math.max(0, sequence + 1 - oldest)]
  }

  *#cellsOf(frame: Frame): Task<readonly Uint8Array[]> {
    if (this.#cells?.frame === frame) return this.#cells.messages
    const isTold = (id: number): boolean => this.#isTold(id)
    const messages = yield* toldFrame(frame, isTold)
    this.#cells = { frame, messages }
    return messages
  }

  /** Tells whether others hear of a series: of what the hub says of itself they don't. */
  #isTold(id: number): boolean {
    const record = this.#view.series.get(id)
    return record !== undefined && record.metadata.dialect !== OWN_DIALECT
  }

  #seriesOf(id: number): TellableSeries | undefined {
    const record = this.#view.series.get(id)
    if (record === undefined || !this.#isTold(id)) return undefined
    const { identity, metadata } = record
    return {
      ...{ identity, metadata, ...kept(record) },
      key: this.#view.series.keyOf(record),
      metadataBytes: this.#bytesOf(metadata),
    }
  }

  #bytesOf(metadata: Metadata): Uint8Array {
    let bytes = this.#metadata.get(metadata)
    if (bytes === undefined) {
      bytes = encoder.encode(JSON.stringify(metadata))
      this.#metadata.set(metadata, bytes)
    }
    return bytes
  }

  async stop(): Promise<void> {
    for (const reader of this.#readers) reader.output.end()
    this.#readers.clear()
  }
}

const OWN_DIALECT = 'hub'
const HOST_DIALECT = 'host'

function kept(
  record: SeriesRecord,
): Omit<TellableSeries, 'identity' | 'metadata' | 'key' | 'metadataBytes'> {
  const reading = record.kind === 'counter' ? record.reading : undefined
  return {
    isCumulative: reading !== undefined,
    isWindowed: isWindowed(record),
    isDecrements: isDecrements(record),
    counterBits: reading?.counterBits,
    isOfHost: record.metadata.dialect === HOST_DIALECT,
  }
}

export function createResident(context: ResidentContext): FederationResident {
  return new FederationResident(context)
}

/** Finds the resident of a hub; undefined where its registry has no federation. */
export function federationOf(hub: Pick<HubView, 'resident'>): FederationResident | undefined {
  return hub.resident(NAME) as FederationResident | undefined
}
