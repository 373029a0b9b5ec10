/**
 * One accepted connection: version at once, settings in any segmentation, then the stream. A peer's
 * error ends here: logged and counted once, nothing but the version was written, if that.
 */
import type { Socket } from 'node:net'
import { toHex } from '../../../model/index.ts'
import { networkOf } from '../../../peers/network.ts'
import { DecodeError } from '../../../wire/decode-error.ts'
import type { ConnectionProgress, Peer, PeerConnection } from '../../endpoints.ts'
import { type Handshake, SettingsStream } from '../codec/settings-stream.ts'
import { VERSION_BYTES } from '../spec.ts'
import { type SharedStreams, SnapshotStream } from './snapshot-stream.ts'

/** Bytes of an offending message in the log. */
const LOGGED_BYTES = 16
/** Time that a refused connection may take to close from the other side, ms. */
const FAREWELL_MS = 500
/** Idle time after which the system asks a silent peer whether it is still there. */
const KEEP_ALIVE_MS = 30_000

/** Takes a connection back, with what came, if that may be another dialect's. */
export type HandBack = (bytes: Uint8Array) => boolean

type CloseReason = 'closed' | 'error' | 'stalled' | 'stopped' | 'refused' | 'passed' | 'made_room'

export class Viewer implements ConnectionProgress {
  /** Whether limits of its own end it: a timeout its settings, then a stall what it is sent. */
  readonly isTimed = true
  readonly peer: Peer
  readonly #socket: Socket
  readonly #context: SharedStreams
  readonly #handBack: HandBack
  readonly #onGone: () => void
  readonly #sinceMs: number
  readonly #sinceNs: bigint
  readonly #settings: SettingsStream
  #stream: SnapshotStream | undefined
  #ignoredBytes = 0
  #isGreeted = false
  #reason: CloseReason = 'closed'
  #cancelTimeout: () => void = () => {}
  #cancelGrace: () => void = () => {}
  #cancelFarewell: () => void = () => {}

  /** @param onGone the connection has closed, or is no viewer's any more */
  constructor(
    socket: Socket,
    context: SharedStreams,
    handBack: HandBack = () => false,
    onGone: () => void = () => {},
  ) {
    const { options, clock } = context
    this.#socket = socket
    this.#context = context
    this.#handBack = handBack
    this.#onGone = onGone
    this.#sinceMs = clock.wallMs()
    this.#sinceNs = clock.monotonicNs()
    this.#settings = new SettingsStream(options.framing, options.settingsCapBytes)
    this.peer = {
      transport: 'tcp',
      address: socket.remoteAddress ?? '',
      port: socket.remotePort ?? 0,
    }
  }

  /**
   * Speaks first, but to one that has spoken already: `first` holds what was read of it before.
   */
  start(first: Uint8Array): void {
    const socket = this.#socket
    const { clock, options } = this.#context
    // A client that has said all it has to say may close its side and still be sent to.
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    this.#listen()
    // a peer that has spoken is told nothing before it has said what a viewer says
    if (first.length === 0) this.#greet()
    this.#cancelTimeout = clock.after(options.handshakeTimeoutMs, () => {
      this.#refuse('handshake_timeout', `no settings within ${options.handshakeTimeoutMs} ms`)
    })
    if (first.length > 0) this.#onData(first)
    if (socket.readableEnded) this.#onEnd()
    else socket.resume()
  }

  #greet(): void {
    if (this.#isGreeted) return
    this.#isGreeted = true
    this.#socket.write(VERSION_BYTES)
  }

  #listen(): void {
    this.#socket.on('data', this.#onData).on('end', this.#onEnd)
    this.#socket.on('error', this.#onError).on('close', this.#onClose)
  }

  #unlisten(): void {
    this.#socket.off('data', this.#onData).off('end', this.#onEnd)
    this.#socket.off('error', this.#onError).off('close', this.#onClose)
  }

  readonly #onError = (): void => {
    this.#reason = 'error'
  }

  readonly #onData = (bytes: Uint8Array): void => {
    if (this.#reason === 'refused') return
    if (this.#stream !== undefined) {
      this.#ignore(bytes.length)
      return
    }
    this.#cancelGrace()
    this.#handshake(() => this.#settings.push(bytes))
    const isDecided = this.#stream !== undefined || this.#settings.framing !== undefined
    if (isDecided || this.#reason !== 'closed') return
    this.#cancelGrace = this.#context.clock.after(this.#context.options.detectGraceMs, () => {
      this.#handshake(() => this.#settings.idle())
    })
  }

  readonly #onEnd = (): void => {
    if (this.#reason === 'refused' || this.#stream !== undefined) return
    this.#handshake(() => this.#settings.end())
    if (this.#stream === undefined) this.#socket.end()
  }

  #handshake(read: () => Handshake | undefined): void {
    try {
      const handshake = read()
      if (handshake !== undefined) this.#startStream(handshake)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      const bytes = this.#settings.bytes
      if (this.#isPassedOn(bytes)) return
      this.#context.reports.decodeError(error, bytes, this.peer, error.message)
      this.#refuse(error.code, error.message)
    }
  }

  /** Tells whether a peer that was only slow to speak is now in the hands of its own dialect. */
  #isPassedOn(bytes: Uint8Array): boolean {
    this.#unlisten()
    if (!this.#handBack(bytes)) {
      this.#listen()
      return false
    }
    this.#cancelHandshake()
    this.#reason = 'passed'
    this.#context.reports.count('clients_closed', this.#reason)
    this.#onGone()
    return true
  }

  #startStream(handshake: Handshake): void {
    const { reports } = this.#context
    this.#cancelHandshake()
    this.#greet()
    this.#ignore(handshake.extraBytes)
    this.#stream = new SnapshotStream(
      this.#socket,
      networkOf(this.peer.address),
      handshake,
      this.#context,
      () => this.giveUp('no_progress'),
    )
    const { intervalNs, requestedNs, isClamped, framing } = this.#stream
    reports.log('info', isClamped ? 'viewer connected; interval raised' : 'viewer connected', {
      ...this.#facts(),
      framing,
      intervalNs,
      ...(isClamped ? { requestedNs } : {}),
    })
  }

  #ignore(bytes: number): void {
    if (bytes === 0) return
    if (this.#ignoredBytes === 0) {
      const facts = { ...this.#facts(), bytes }
      this.#context.reports.log('info', 'bytes behind the settings are ignored', facts)
    }
    this.#ignoredBytes += bytes
    this.#context.reports.count('bytes_ignored', 'behind_settings', bytes)
  }

  /** Ends the connection with nothing written but, at most, the version. */
  #refuse(code: string, detail: string): void {
    const { reports, clock } = this.#context
    this.#reason = 'refused'
    this.#cancelHandshake()
    reports.count('handshake_refused', code)
    const hex = toHex(this.#settings.bytes.subarray(0, LOGGED_BYTES))
    reports.log('warn', 'viewer refused', { detail, ...this.#facts(), code, hex })
    // Closing with unread bytes would reset the connection, and with it a version not yet read.
    this.#socket.end()
    this.#cancelFarewell = clock.after(FAREWELL_MS, () => this.#socket.destroy())
  }

  #cancelHandshake(): void {
    this.#cancelTimeout()
    this.#cancelGrace()
  }

  /** Time since it had taken all that was sent to it, ms. */
  get behindMs(): number {
    return this.#stream?.behindMs ?? 0
  }

  get isStreaming(): boolean {
    return this.#stream !== undefined
  }

  /** Time since it came, ms. */
  get ageMs(): number {
    return Number(this.#context.clock.monotonicNs() - this.#sinceNs) / 1e6
  }

  /** Bytes that it has not taken yet. */
  get bytesWaiting(): number {
    return this.#socket.writableLength
  }

  /** Closes one that takes nothing, because of its own timeout or for the sake of others. */
  giveUp(reason: 'no_progress' | 'held_bytes'): void {
    const { reports, options } = this.#context
    reports.count('clients_stalled', reason)
    const facts = { ...this.#facts(), reason, stallTimeoutMs: options.stallTimeoutMs }
    reports.log('warn', 'viewer takes nothing any more: closed', facts)
    this.close('stalled')
  }

  /** Ends the connection at once; bytes that still wait are lost. */
  close(reason: CloseReason): void {
    this.#reason = reason
    this.#stream?.end()
    this.#socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#cancelHandshake()
    this.#cancelFarewell()
    this.#stream?.end()
    this.#context.reports.count('clients_closed', this.#reason)
    this.#onGone()
  }

  #facts() {
    return { address: this.peer.address, port: this.peer.port }
  }

  /** Number of messages: its settings are the only one. */
  get messages(): number {
    return this.#stream === undefined ? 0 : 1
  }

  get isInsideMessage(): boolean {
    return this.#stream === undefined && this.bytesHeld > 0
  }

  get bytesHeld(): number {
    return this.#stream === undefined ? this.#settings.bytes.length : 0
  }

  get valuesSent(): number {
    return this.#stream?.counts.values ?? 0
  }

  status(): PeerConnection {
    const stream = this.#stream
    const facts: Record<string, string | number | boolean> = { phase: 'handshake' }
    if (stream !== undefined) {
      facts.phase = 'streaming'
      facts.framing = stream.framing
      facts.intervalMs = Number(stream.intervalNs) / 1e6
      facts.isClamped = stream.isClamped
      facts.tMs = Number(stream.t) / 1e6
      facts.snapshots = stream.counts.snapshots
      facts.infos = stream.counts.infos
      facts.skipped = stream.counts.skipped
      const { overBudget, overShare } = stream.counts
      if (overBudget > 0) facts.overBudget = overBudget
      if (overShare > 0) facts.overShare = overShare
      facts.missed = stream.counts.missed
      facts.bufferedBytes = this.#socket.writableLength
      facts.ignoredBytes = this.#ignoredBytes
    }
    return { peer: this.peer, sinceMs: this.#sinceMs, facts }
  }
}
