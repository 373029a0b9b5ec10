/**
 * The connecting, receiving side: reads a server's metrics for as long as it is wanted, through
 * restarts of the server, in whichever framing it speaks, and hands them over as series of the
 * model.
 */
import { connect as connectTcp, type Socket } from 'node:net'
import { toHex } from '../../model/index.ts'
import { Backoff } from '../../time/backoff.ts'
import type { Clock } from '../../time/clock.ts'
import { systemClock } from '../../time/system-clock.ts'
import type { Task } from '../../time/task.ts'
import type { DecodeError } from '../../wire/decode-error.ts'
import { NO_REPORTS, type Peer, type Reports, type SharedReads } from '../endpoints.ts'
import { checkOptions, type GivenOptions } from '../options.ts'
import { Attempt, type AttemptEnd, type EndReason } from './client/attempt.ts'
import { FramingMemory, type FramingPlan } from './client/framing-memory.ts'
import { Mirror, type Sample } from './client/mirror.ts'
import type { MirroredSeries } from './client/name-memory.ts'
import { type ClientSettings, OWN_CLIENT_OPTIONS } from './options.ts'
import { type Framing, type Packet, VERSION_RETRY_MS } from './spec.ts'

/**
 * Address that a client connects to and how, and what it tells; every call is over before the
 * client reads on, and must not throw.
 */
export interface ScopeClientOptions extends GivenOptions<typeof OWN_CLIENT_OPTIONS> {
  /** Bytes read of the connection, before anything is made of them; valid during the call. */
  readonly onBytes?: (bytes: Uint8Array) => void
  /** Every packet as it was read, before it is used. */
  readonly onPacket?: (packet: Packet) => void
  /** Metadata came: these series are new, others may have changed. */
  readonly onSeries?: (added: readonly MirroredSeries[]) => void
  /** One value for each series, valid during the call. */
  readonly onSample?: (sample: Sample) => void
  readonly onStatus?: (status: ScopeClientStatus) => void
  /** A failure of the connection, which is tried again by itself. */
  readonly onError?: (error: Error) => void
  readonly clock?: Clock
  readonly reports?: Reports
  /** Uniform in [0, 1), for the pauses. */
  readonly random?: () => number
}

/** Part that a hub has in what its client reads. */
interface HubSide {
  /** Budget within which it is read. */
  readonly reads: SharedReads
  /** Takes one value for each series, in parts. */
  takeSample(sample: Sample): Task
}

export type ScopeClientState = 'connecting' | 'online' | 'offline' | 'stopped'

/** Packets and what was odd about them, connections that were lost. */
export interface ScopeClientCounts {
  infos: number
  snapshots: number
  packetsBad: number
  /** Entries that only the lenient reading could leave out. */
  entriesDropped: number
  tSigned: number
  tFloatSeconds: number
  tRepeated: number
  tBackwards: number
  reconnects: number
}

/** State of a client. */
export interface ScopeClientStatus {
  readonly state: ScopeClientState
  /** Framing of the current or last connection. */
  readonly framing: Framing | undefined
  /** Interval that the server keeps, from the times it sent; undefined before two snapshots. */
  readonly intervalMs: number | undefined
  /** Ticks of that interval that brought no snapshot. */
  readonly ticksMissed: number
  readonly series: number
  /** Names, or their labels, that found no room at the last look. */
  readonly seriesRefused: number
  readonly lastError: string | undefined
  /** Pause until the next attempt, while offline. */
  readonly retryMs: number | undefined
}

/** Bytes of an offending packet in the log. */
const LOGGED_BYTES = 16
/** Reasons for an end before a server's version was taken; all others end a connection. */
const CONNECT_FAILURES: readonly EndReason[] = ['connect', 'timeout', 'version', 'closed_early']

/**
 * Client that reads a server's metrics until it is closed.
 *
 * @example
 * import { ScopeClient } from 'pentameter/scope'
 *
 * const client = new ScopeClient({
 *   port: 5001,
 *   samplingIntervalMs: 100,
 *   onSample: ({ series, values }) => {
 *     series.forEach((each, i) => console.log(each?.identity.name, values[i]))
 *   },
 * })
 * await client.start()
 * setTimeout(() => client.close(), 1000)
 */
export class ScopeClient {
  /** The options, checked, with defaults filled in. */
  readonly settings: ClientSettings
  readonly #observer: ScopeClientOptions
  readonly #hub: HubSide | undefined
  readonly #clock: Clock
  readonly #reports: Reports
  readonly #backoff: Backoff
  readonly #memory: FramingMemory
  readonly #mirror: Mirror
  readonly #peer: Peer
  readonly #counts: ScopeClientCounts = {
    infos: 0,
    snapshots: 0,
    packetsBad: 0,
    entriesDropped: 0,
    tSigned: 0,
    tFloatSeconds: 0,
    tRepeated: 0,
    tBackwards: 0,
    reconnects: 0,
  }
  #isStarted = false
  #state: ScopeClientState = 'offline'
  #framing: Framing | undefined
  #lastError: string | undefined
  #retryMs: number | undefined
  #refused = 0
  #attempt: Attempt | undefined
  #cancelRetry: () => void = () => {}
  /** Messages logged of this connection: one line each. */
  #logged = new Set<string>()

  /**
   * @param hub what a hub has besides; undefined in an application
   * @throws {RangeError} for an option that cannot be used
   */
  constructor(options: ScopeClientOptions = {}, hub?: HubSide) {
    this.#hub = hub
    this.settings = checkOptions(OWN_CLIENT_OPTIONS, options)
    this.#observer = options
    this.#clock = options.clock ?? systemClock
    this.#reports = options.reports ?? NO_REPORTS
    this.#backoff = new Backoff(this.settings, options.random ?? Math.random)
    this.#memory = new FramingMemory(this.settings.framing, this.settings.profile)
    this.#mirror = new Mirror(this.settings)
    const { host: address, port } = this.settings
    this.#peer = { transport: 'tcp', address, port }
  }

  /**
   * Begins to connect; does not wait for the server, which is tried until it is there. A client
   * that was closed stays so.
   */
  async start(): Promise<void> {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#begin()
  }

  /** Ends the connection and all timers, for good. */
  async close(): Promise<void> {
    this.#isStarted = true
    if (this.#state === 'stopped') return
    this.#cancelRetry()
    this.#retryMs = undefined
    this.#setState('stopped')
    this.#attempt?.stop()
  }

  /** Whether packets are coming. */
  get isConnected(): boolean {
    return this.#state === 'online'
  }

  /** Forgets a series that is of no use; its name makes a new one when it comes again. */
  forget(series: MirroredSeries): void {
    this.#mirror.forget(series)
  }

  get counts(): Readonly<ScopeClientCounts> {
    return this.#counts
  }

  get status(): ScopeClientStatus {
    const { intervalNs } = this.#mirror
    return {
      state: this.#state,
      framing: this.#framing,
      intervalMs: intervalNs === undefined ? undefined : Number(intervalNs) / 1e6,
      ticksMissed: this.#mirror.missed,
      series: this.#mirror.size,
      seriesRefused: this.#refused,
      lastError: this.#lastError,
      retryMs: this.#retryMs,
    }
  }

  #setState(state: ScopeClientState): void {
    this.#state = state
    this.#observer.onStatus?.(this.status)
  }

  #begin(): void {
    const plan = this.#memory.plan()
    const { host, port } = this.settings
    this.#logged = new Set()
    this.#retryMs = undefined
    this.#setState('connecting')
    const connect = (): Socket => connectTcp({ port, host })
    const sink = {
      bytes: this.#observer.onBytes,
      greeted: () => this.#mirror.begin(),
      packet: (packet: Packet, framing: Framing) => this.#onPacket(packet, framing, plan),
      bad: (error: DecodeError, payload: Uint8Array) => this.#onBad(error, payload),
      end: (end: AttemptEnd) => this.#onEnd(end, plan),
    }
    const reads = this.#hub?.reads
    this.#attempt = new Attempt(this.settings, plan, this.#clock, connect, sink, reads)
  }

  *#onPacket(packet: Packet, framing: Framing, plan: FramingPlan): Task {
    if (this.#state !== 'online') this.#onFirst(framing, plan)
    this.#remark(packet)
    this.#observer.onPacket?.(packet)
    if (packet.kind === 'info') {
      this.#counts.infos++
      const added = yield* this.#mirror.info(packet, this.#clock.wallMs())
      this.#refused = 0
      this.#countOmitted()
      this.#observer.onSeries?.(added)
      return
    }
    this.#counts.snapshots++
    const before = this.#mirror.t
    const sample = yield* this.#mirror.snapshot(packet, this.#clock.wallMs())
    this.#countOmitted()
    if (sample.isRepeat) this.#count('t_repeated', 'tRepeated')
    if (before !== undefined && packet.t < before) this.#count('t_backwards', 'tBackwards')
    this.#observer.onSample?.(sample)
    if (this.#hub !== undefined) yield* this.#hub.takeSample(sample)
  }

  /**
   * Counts names that found no room: they are looked for again with the next list that differs, and
   * with every Info.
   */
  #countOmitted(): void {
    const omitted = this.#mirror.takeOmitted()
    const { max_series, max_bytes } = omitted
    if (max_series + max_bytes === 0) return
    this.#refused = max_series + max_bytes
    for (const reason of ['max_series', 'max_bytes'] as const) {
      if (omitted[reason] > 0) this.#reports.count('names_omitted', reason, omitted[reason])
    }
    this.#logOnce('names', 'warn', 'names of the server find no room', { ...omitted })
  }

  #onFirst(framing: Framing, plan: FramingPlan): void {
    this.#backoff.reset()
    this.#memory.succeeded(plan, framing)
    this.#framing = framing
    this.#lastError = undefined
    if (framing !== plan.send) this.#reports.count('framing_differs', framing)
    this.#reports.log('info', 'server connected', { ...this.#facts(), framing })
    this.#setState('online')
  }

  /** Counts what the reading of a packet had to overlook. */
  #remark({ reading }: Packet): void {
    if (reading.dropped > 0) {
      this.#count('entries_dropped', 'entriesDropped', reading.dropped)
      this.#logOnce('entries dropped', 'warn', 'entries of a packet cannot be used', {
        dropped: reading.dropped,
      })
    }
    if (reading.omitted !== undefined) {
      this.#reports.count('names_omitted', 'packet_limit', reading.omitted)
      this.#logOnce('entries omitted', 'warn', 'a packet says more than is read of it', {
        omitted: reading.omitted,
      })
    }
    if (reading.time === 'signed') this.#count('t_signed', 'tSigned')
    if (reading.time !== 'float') return
    this.#count('t_float_seconds', 'tFloatSeconds')
    this.#logOnce('float t', 'info', 't is a float and read as seconds', {})
  }

  #onBad(error: DecodeError, payload: Uint8Array): void {
    this.#reports.decodeError(error, payload, this.#peer, error.message)
    if (error.code === 'version') return
    this.#counts.packetsBad++
    this.#reports.count('packets_bad', error.code)
    this.#logOnce(error.code, 'warn', 'packet rejected', {
      detail: error.message,
      code: error.code,
      hex: toHex(payload.subarray(0, LOGGED_BYTES)),
    })
  }

  #onEnd(end: AttemptEnd, plan: FramingPlan): void {
    this.#attempt = undefined
    if (this.#state === 'stopped') return
    this.#lastError = end.detail
    const isFailure = CONNECT_FAILURES.includes(end.reason)
    if (!isFailure) this.#counts.reconnects++
    this.#reports.count(isFailure ? 'connect_failed' : 'reconnects', end.reason)
    const isUnproven = end.hasVersion && end.packets === 0
    if (isUnproven && this.#memory.failed(plan)) {
      const { send } = this.#memory.plan()
      const facts = { detail: end.detail, send, ...this.#facts() }
      this.#reports.log('info', 'trying another framing', facts)
      this.#begin()
      return
    }
    const pauseMs = this.#backoff.nextMs()
    this.#retryMs = end.reason === 'version' ? Math.max(pauseMs, VERSION_RETRY_MS) : pauseMs
    const { reason, detail } = end
    const facts = { detail, ...this.#facts(), reason, retryMs: Math.round(this.#retryMs) }
    this.#reports.log('warn', isFailure ? 'no connection' : 'connection ended', facts)
    this.#cancelRetry = this.#clock.after(this.#retryMs, () => this.#begin())
    this.#setState('offline')
    this.#observer.onError?.(new Error(detail))
  }

  #count(name: string, field: keyof ScopeClientCounts, amount = 1): void {
    this.#counts[field] += amount
    this.#reports.count(name, 'packet', amount)
  }

  #logOnce(
    key: string,
    level: 'info' | 'warn',
    message: string,
    facts: Record<string, unknown>,
  ): void {
    if (this.#logged.has(key)) return
    this.#logged.add(key)
    this.#reports.log(level, message, { ...this.#facts(), ...facts })
  }

  #facts() {
    return { address: this.#peer.address, port: this.#peer.port }
  }
}
