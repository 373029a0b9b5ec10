/**
 * The way of requests to a receiver: into a queue on disk, and out of it one at a time, in order.
 * What the receiver may take later is tried again for as long as it has room to wait; what it
 * refuses for good is dropped and counted.
 */
import { join } from 'node:path'
import type { DiskQueue, QueuedRecord } from '../../../disk/disk-queue.ts'
import { Backoff } from '../../../time/backoff.ts'
import type { Clock } from '../../../time/clock.ts'
import { LinkState, type LinkStatus } from '../../../time/link-state.ts'
import type { Reports } from '../../endpoints.ts'
import type { EmitOptions } from '../options.ts'
import { NAME, VERSION_TEXTS } from '../spec.ts'
import { Negotiation, type Sent } from './negotiation.ts'
import { packRecord } from './record.ts'
import type { FilledRequest } from './request-writer.ts'

interface OutboxOptions extends Omit<EmitOptions, 'queueFolder'> {
  readonly url: string
  readonly hub: string
  /** Folder in which this address has one of its own. */
  readonly queueFolder: string
}

interface OutboxParts {
  readonly clock: Clock
  readonly reports: Reports
}

/** Names the folder of an address and a hub. */
function queueName(url: string, hub: string): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(`${url}\n${hub}`).digest('hex').slice(0, 16)
}

/** Requests that wait for the disk at most, bytes. */
const PENDING_BYTES_LIMIT = 67_108_864
const PAUSES = { reconnectFirstMs: 500, reconnectLimitMs: 30_000, reconnectJitter: 0.5 }
/** Pause where nothing waits; what is appended ends it, ms. */
const IDLE_MS = 1000
/** Pause before another attempt to open the folder. */
const REOPEN_MS = 10_000
/** Time that what waits is still sent for when the hub stops; the rest waits on disk. */
const STOP_MS = 2000

export class Outbox {
  readonly counts = { sent: 0, dropped: 0, refused: 0 }
  readonly #options: OutboxOptions
  readonly #parts: OutboxParts
  readonly #link: LinkState
  readonly #receiver: Negotiation
  readonly #abort = new AbortController()
  readonly #hurry = new AbortController()
  #queue: DiskQueue | undefined
  /** Reason why there is none (yet). */
  #trouble: string | undefined
  #refusal: string | undefined
  #pendingBytes = 0
  #isClosed = false
  /** Whether the pause of the sending loop is for want of requests, which the next one ends. */
  #isIdle = false
  /** Ends a pause of the sending loop. */
  #wake = (): void => {}
  readonly #opening: Promise<void>
  readonly #loop: Promise<void>
  #writing: Promise<void> = Promise.resolve()

  constructor(options: OutboxOptions, parts: OutboxParts) {
    this.#options = options
    this.#parts = parts
    this.#link = new LinkState(parts.clock)
    const signals = { hurry: this.#hurry.signal, signal: this.#abort.signal }
    this.#receiver = new Negotiation(options, { clock: parts.clock, ...signals })
    this.#opening = this.#open()
    this.#loop = this.#send()
  }

  /** Describes the way to the receiver; while it is away, with what waits and what was lost. */
  get link(): LinkStatus {
    const { status } = this.#link
    const reason = this.#trouble ?? status.reason
    if (status.isConnected && this.#trouble === undefined) return status
    if (reason === undefined) return status
    const lost = this.counts.dropped === 0 ? '' : `, ${this.counts.dropped} were dropped`
    const told = `${reason}: ${this.waiting.samples} samples wait${lost}`
    return { ...status, isConnected: false, reason: told }
  }

  /** Version that the receiver speaks; undefined before it has said it. */
  get version(): string | undefined {
    const { version } = this.#receiver
    return version && VERSION_TEXTS[version]
  }

  /** Describes what waits. */
  get waiting(): { readonly samples: number; readonly bytes: number; readonly oldestMs?: number } {
    const { items: samples = 0, bytes = 0, oldestMs } = this.#queue ?? {}
    return { samples, bytes, ...(oldestMs === undefined ? {} : { oldestMs }) }
  }

  /** Opens the queue; another process may have it for a while. */
  async #open(): Promise<void> {
    const { url, hub, queueFolder, queueBytesLimit: bytesLimit } = this.#options
    const folder = join(queueFolder, queueName(url, hub))
    const lost = (items: number, reason: string): void => this.#drop(items, reason)
    const foreign = (path: string): void => {
      this.#tell(`${path} is no file of a queue: it is left as it is, and nothing of it is sent`)
    }
    while (!this.#isClosed) {
      try {
        const nowMs = this.#parts.clock.wallMs()
        // it needs zlib and SQLite, which no hub without such a relay has to load
        const { DiskQueue } = await import('../../../disk/disk-queue.ts')
        this.#queue = await DiskQueue.open({ folder, bytesLimit, nowMs, lost, foreign })
        this.#trouble = undefined
        this.#wake()
        return
      } catch (error) {
        const { message } = error as Error
        if (this.#trouble !== message) {
          const facts = { folder, reason: message, next: 'samples are dropped until it can' }
          this.#parts.reports.log('warn', 'the queue of a relay can not be opened', facts)
        }
        this.#trouble = message
        await this.#pause(REOPEN_MS)
      }
    }
  }

  /** Takes a request over; it is durable once {@link settled} resolves. */
  offer({ bytes, facts, samples }: FilledRequest, timeMs: number): void {
    const queue = this.#queue
    if (this.#trouble !== undefined) {
      this.#drop(samples, 'queue_unavailable')
      return
    }
    if (this.#pendingBytes + bytes.length > PENDING_BYTES_LIMIT) {
      this.#drop(samples, 'queue_slow')
      return
    }
    const record = packRecord(bytes, facts)
    this.#pendingBytes += bytes.length
    const written = queue === undefined ? this.#opening : Promise.resolve()
    this.#writing = Promise.all([this.#writing, written])
      .then(() => this.#append(record, samples, timeMs))
      .finally(() => {
        this.#pendingBytes -= bytes.length
      })
  }

  async #append(record: Uint8Array, samples: number, timeMs: number): Promise<void> {
    try {
      if (this.#queue === undefined) throw new Error('it was not opened')
      await this.#queue.append(record, samples, timeMs)
      // a pause before the next attempt goes on: the receiver has asked for it
      if (this.#isIdle) this.#wake()
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const isFull = code === 'ENOSPC' || code === 'EDQUOT'
      this.#drop(samples, isFull ? 'disk_full' : 'queue_failed')
      this.#tell(`the queue on disk takes nothing: ${message}`)
    }
  }

  /** Has the disk take what was offered so far. */
  sync(): void {
    this.#writing = this.#writing.then(() => this.#queue?.sync()).catch(() => {})
  }

  async #send(): Promise<void> {
    await this.#opening
    const backoff = new Backoff(PAUSES, Math.random)
    for (;;) {
      const record = await this.#first()
      if (record === undefined) {
        if (this.#isClosed) return
        this.#isIdle = true
        await this.#pause(IDLE_MS)
        this.#isIdle = false
        continue
      }
      const sent = await this.#receiver.send(record.payload)
      const { outcome } = sent
      if (outcome.kind !== 'failed') {
        await this.#settle(record, sent)
        backoff.reset()
        continue
      }
      if (this.#isClosed) return
      const pauseMs = outcome.retryAfterMs ?? backoff.nextMs()
      this.#link.failed(`${outcome.cause}; ${outcome.hint}`, pauseMs)
      this.#parts.reports.count('emit', 'retried')
      await this.#pause(pauseMs)
      this.#link.trying()
    }
  }

  async #first(): Promise<QueuedRecord | undefined> {
    try {
      return await this.#queue?.first()
    } catch (error) {
      this.#tell(`the queue on disk can't be read: ${(error as Error).message}`)
      return undefined
    }
  }

  /** Takes a record away, and counts its samples: those that were written, and the others. */
  async #settle(record: QueuedRecord, { outcome, written }: Sent): Promise<void> {
    await this.#queue?.take(record).catch((error: Error) => this.#tell(error.message))
    this.#link.connected()
    const all = record.items
    const sent = Math.min(all, written ?? (outcome.kind === 'taken' ? all : 0))
    this.counts.sent += sent
    if (sent === all) return
    this.counts.refused += all - sent
    this.#parts.reports.count('emit', 'refused', all - sent)
    const why = outcome.kind === 'refused' ? `${outcome.cause}; ${outcome.hint}` : 'it says no more'
    this.#tell(`the receiver refuses samples: ${why}`)
  }

  #drop(samples: number, reason: string): void {
    this.counts.dropped += samples
    this.#parts.reports.count('emit', reason, samples)
  }

  /** Logs what goes wrong, once until something else does. */
  #tell(message: string): void {
    if (this.#refusal === message) return
    this.#refusal = message
    this.#parts.reports.log('warn', message, { dialect: NAME })
  }

  /** Trouble that came last; undefined while nothing has. */
  get problem(): string | undefined {
    return this.#refusal
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(delayMs, () => this.#wake())
      this.#wake = () => {
        cancel()
        this.#wake = () => {}
        resolve()
      }
    })
  }

  /** Sends what it can for a moment, and leaves the rest on disk. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#writing
    this.#hurry.abort()
    const cancel = this.#parts.clock.after(STOP_MS, () => this.#abort.abort())
    this.#wake()
    await this.#opening
    await this.#loop
    cancel()
    await this.#queue?.close()
  }
}
