/**
 * One connection to a server: version, settings, packets, until something ends it. Sends nothing
 * before the version and nothing but the settings.
 */
import type { Socket } from 'node:net'
import { addressText } from '../../../model/text/address.ts'
import { type Clock, nsOfMs } from '../../../time/clock.ts'
import { PartedWork } from '../../../time/parts.ts'
import { SilenceWatch } from '../../../time/silence.ts'
import type { Task } from '../../../time/task.ts'
import type { DecodeError } from '../../../wire/decode-error.ts'
import type { SharedReads } from '../../endpoints.ts'
import { encodeSettings } from '../codec/encode.ts'
import { frame } from '../codec/framing.ts'
import { PacketDecoder } from '../codec/packet.ts'
import { PacketStream } from '../codec/packet-stream.ts'
import { readVersion, versionError } from '../codec/version.ts'
import type { ClientSettings } from '../options.ts'
import { type Framing, NAME, type Packet, VERSION } from '../spec.ts'
import type { FramingPlan } from './framing-memory.ts'

/** Reason why an attempt ended. The first four: before any packet could come. */
export type EndReason =
  | 'connect'
  | 'timeout'
  | 'version'
  | 'closed_early'
  | 'closed'
  | 'error'
  | 'probe'
  | 'idle'
  | 'too_large'
  | 'bad_msgpack'
  | 'too_many_bad'
  | 'stopped'

export interface AttemptEnd {
  readonly reason: EndReason
  readonly detail: string
  /** The server's version was read and taken. */
  readonly hasVersion: boolean
  readonly packets: number
}

interface AttemptSink {
  /** Takes bytes as they were read. */
  readonly bytes?: ((bytes: Uint8Array) => void) | undefined
  /** Called when the settings have been sent. */
  greeted(): void
  /** Takes a packet, in parts; it is valid until the last of them. */
  packet(packet: Packet, framing: Framing): Task
  bad(error: DecodeError, payload: Uint8Array): void
  /** Ends the attempt: called once, and nothing after it. */
  end(end: AttemptEnd): void
}

/** Limits of what is kept of one packet; a name with its labels folded in is a text. */
const PACKET_LIMITS = { pairs: 262_144, textBytes: 16_384 }
/** Least silence that ends a connection, unless the options say otherwise. */
const IDLE_FLOOR_MS = 10_000
/** Information packets come at least this often. */
const INFO_MS = 5000

export class Attempt {
  readonly #options: ClientSettings
  readonly #plan: FramingPlan
  readonly #clock: Clock
  readonly #sink: AttemptSink
  readonly #socket: Socket
  readonly #packets: PacketStream
  readonly #work: PartedWork
  #version: Uint8Array = new Uint8Array(0)
  #hasVersion = false
  #count = 0
  #badInRow = 0
  #isOver = false
  #cancelTimeout: () => void
  #cancelProbe: () => void = () => {}
  #idle: SilenceWatch | undefined

  /**
   * @param connect starts a connection; called once, now
   * @param reads budget within which what comes is read; none unless given
   */
  constructor(
    options: ClientSettings,
    plan: FramingPlan,
    clock: Clock,
    connect: () => Socket,
    sink: AttemptSink,
    reads?: SharedReads,
  ) {
    this.#options = options
    this.#plan = plan
    this.#clock = clock
    this.#sink = sink
    // time in which it waits here is not the server's silence
    this.#work = new PartedWork(reads, () => this.#idle?.sign())
    const decoder = new PacketDecoder({ strict: options.strict, limits: PACKET_LIMITS })
    this.#packets = new PacketStream(
      { framing: plan.read, frameCapBytes: options.frameCapBytes },
      (payload) => decoder.decodeInParts(payload),
      {
        packet: (packet) => this.#onPacket(packet),
        bad: (error, payload) => this.#onBad(error, payload),
      },
    )
    this.#cancelTimeout = clock.after(options.connectTimeoutMs, () => {
      this.#end('timeout', `no version within ${options.connectTimeoutMs} ms`)
    })
    this.#socket = connect()
    this.#listen(reads)
  }

  #listen(reads: SharedReads | undefined): void {
    const socket = this.#socket
    const { host, port } = this.#options
    let isConnected = false
    socket.setNoDelay(true)
    const read = () => {
      socket.on('data', (bytes: Uint8Array) => this.#onData(bytes))
    }
    socket.once('connect', () => {
      isConnected = true
      reads?.share(socket, `${NAME} ${addressText(host, port)}`, () => {
        read()
        return this.#work
      })
    })
    if (reads === undefined) read()
    socket.on('end', () => this.#onClosed())
    socket.on('error', (error) => this.#end(isConnected ? 'error' : 'connect', error.message))
    socket.on('close', () => this.#onClosed())
  }

  /** Ends the attempt at once. */
  stop(): void {
    this.#end('stopped', 'stopped')
  }

  #onData(bytes: Uint8Array): void {
    if (this.#isOver) return
    this.#sink.bytes?.(bytes)
    this.#idle?.sign()
    this.#work.begin(this.#hasVersion ? this.#packets.pushInParts(bytes) : this.#readVersion(bytes))
  }

  *#readVersion(bytes: Uint8Array): Task {
    const missing = 2 - this.#version.length
    this.#version = new Uint8Array([...this.#version, ...bytes.subarray(0, missing)])
    if (this.#version.length < 2) return
    if (readVersion(this.#version) !== VERSION) {
      const error = versionError(this.#version)
      this.#sink.bad(error, this.#version)
      this.#end('version', error.message)
      return
    }
    this.#greet()
    if (bytes.length > missing) yield* this.#packets.pushInParts(bytes.subarray(missing))
  }

  #greet(): void {
    this.#cancelTimeout()
    this.#hasVersion = true
    const payload = encodeSettings(nsOfMs(this.#options.samplingIntervalMs))
    this.#socket.write(this.#plan.send === 'framed' ? frame(payload) : payload)
    this.#sink.greeted()
    if (this.#plan.isProbe) this.#startProbe()
    const limitMs = idleTimeoutMs(this.#options)
    this.#idle = new SilenceWatch(this.#clock, limitMs, () => {
      this.#end('idle', `nothing for ${limitMs} ms`)
    })
  }

  #startProbe(): void {
    const { probeMs } = this.#options
    this.#cancelProbe = this.#clock.after(probeMs, () => {
      const detail = `no packet within ${probeMs} ms of ${this.#plan.send} settings`
      // what has come waits here
      if (this.#work.hasRest) this.#startProbe()
      else this.#end('probe', detail)
    })
  }

  *#onPacket(packet: Packet): Task {
    if (this.#isOver) return
    this.#count++
    this.#badInRow = 0
    this.#cancelProbe()
    yield* this.#sink.packet(packet, this.#packets.framing!)
  }

  #onBad(error: DecodeError, payload: Uint8Array): void {
    if (this.#isOver) return
    this.#badInRow++
    this.#sink.bad(error, payload)
    if (!error.resync) {
      this.#end(error.code === 'too_large' ? 'too_large' : 'bad_msgpack', error.message)
    } else if (this.#badInRow >= this.#options.maxBadPackets) {
      this.#end('too_many_bad', `${this.#badInRow} bad packets in a row`)
    }
  }

  #onClosed(): void {
    if (this.#hasVersion) this.#end('closed', 'closed by the server')
    else this.#end('closed_early', 'closed before the version')
  }

  #end(reason: EndReason, detail: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancelTimeout()
    this.#cancelProbe()
    this.#idle?.stop()
    this.#packets.stop()
    this.#work.drop()
    this.#socket.destroy()
    this.#sink.end({ reason, detail, hasVersion: this.#hasVersion, packets: this.#count })
  }
}

/**
 * Gives the idle timeout: the larger of the floor and two intervals plus the pause between
 * information packets.
 */
function idleTimeoutMs({ idleTimeoutMs: statedMs, samplingIntervalMs }: ClientSettings): number {
  return statedMs || Math.max(IDLE_FLOOR_MS, 2 * samplingIntervalMs + INFO_MS)
}
