/**
 * A server's bytes behind its version, in any segmentation, to packets. One bad packet never loses
 * the next as long as its end is known; when it is not, the stream says so and reads no further.
 */
import { runNow, type Task } from '../../../time/task.ts'
import { ByteQueue } from '../../../wire/byte-queue.ts'
import { DecodeError } from '../../../wire/decode-error.ts'
import { isContainer } from '../../../wire/messagepack.ts'
import { MessagePackScanner } from '../../../wire/messagepack-scan.ts'
import type { Framing, FramingChoice, Packet } from '../spec.ts'
import { detectFraming, LENGTH_SIZE, readLength } from './framing.ts'
import { packetError } from './packet.ts'

interface PacketSink<T> {
  /**
   * Takes a message; `payload` and what it refers to are valid during the call, or until the parts
   * that it returns are done.
   */
  packet(message: T, payload: Uint8Array): Task | undefined
  /** Takes a bad packet, or the end of the stream's readability (`resync` false). */
  bad(error: DecodeError, payload: Uint8Array): void
}

interface PacketStreamOptions {
  readonly framing: FramingChoice
  readonly frameCapBytes: number
}

export class PacketStream<T = Packet> {
  readonly #options: PacketStreamOptions
  readonly #decode: (payload: Uint8Array) => Task<T>
  readonly #sink: PacketSink<T>
  readonly #queue = new ByteQueue()
  readonly #scanner = new MessagePackScanner()
  #framing: Framing | undefined
  #isLost = false

  /** @param decode reads one payload, in parts, or throws a DecodeError */
  constructor(
    options: PacketStreamOptions,
    decode: (payload: Uint8Array) => Task<T>,
    sink: PacketSink<T>,
  ) {
    this.#options = options
    this.#decode = decode
    this.#sink = sink
    if (options.framing !== 'auto') this.#framing = options.framing
  }

  /** Framing; undefined while the bytes do not show it. */
  get framing(): Framing | undefined {
    return this.#framing
  }

  /** True once the boundary of the next packet is unknown; all further bytes are ignored. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** Bytes of a packet that is not yet complete. */
  get pendingBytes(): number {
    return this.#queue.size
  }

  /** Makes the stream ignore all further bytes, also the rest of the current push. */
  stop(): void {
    this.#isLost = true
    this.#queue.clear()
  }

  push(bytes: Uint8Array): void {
    runNow(this.pushInParts(bytes))
  }

  /** Does what {@link push} does, in parts; the bytes are used until the last of them. */
  *pushInParts(bytes: Uint8Array): Task {
    if (this.#isLost) return
    if (this.#queue.size === 0) {
      const used = yield* this.#consume(bytes)
      if (!this.#isLost) this.#queue.append(bytes.subarray(used))
      return
    }
    this.#queue.append(bytes)
    const used = yield* this.#consume(this.#queue.peek())
    if (!this.#isLost) this.#queue.drop(used)
  }

  /** Ends the stream: decides what only silence can, and reports a packet that is cut off. */
  end(): void {
    if (this.#isLost || this.#queue.size === 0) return
    const bytes = this.#queue.peek()
    if (this.#framing === undefined && isContainer(bytes[0]!)) this.#framing = 'bare'
    const rest = bytes.subarray(runNow(this.#consume(bytes)))
    if (this.#isLost || rest.length === 0) return
    this.#lose(packetError('bad_msgpack', rest.length, 'packet is cut off', false), rest)
  }

  /** Reads whole messages from the front; returns how many bytes they took. */
  *#consume(bytes: Uint8Array): Task<number> {
    this.#framing ??= this.#detect(bytes)
    if (this.#framing === undefined || this.#isLost) return 0
    const isFramed = this.#framing === 'framed'
    return yield* isFramed ? this.#readFrames(bytes) : this.#readValues(bytes)
  }

  #detect(bytes: Uint8Array): Framing | undefined {
    const verdict = detectFraming('client', bytes, this.#options.frameCapBytes)
    if (verdict === 'framed' || verdict === 'bare') return verdict
    if (verdict !== 'wait') this.#loseOversize(readLength(bytes), bytes)
    return undefined
  }

  *#readFrames(bytes: Uint8Array): Task<number> {
    let at = 0
    while (!this.#isLost && at + LENGTH_SIZE <= bytes.length) {
      const length = readLength(bytes, at)
      if (length > this.#options.frameCapBytes) {
        this.#loseOversize(length, bytes.subarray(at))
        return at
      }
      const end = at + LENGTH_SIZE + length
      if (end > bytes.length) break
      yield* this.#deliver(bytes.subarray(at + LENGTH_SIZE, end))
      at = end
    }
    return at
  }

  *#readValues(bytes: Uint8Array): Task<number> {
    let at = 0
    while (!this.#isLost && at < bytes.length) {
      const verdict = this.#scanner.scan(bytes, at, bytes.length, this.#options.frameCapBytes)
      const { size } = this.#scanner
      if (verdict === 'incomplete') break
      this.#scanner.reset()
      if (verdict === 'too_large') {
        this.#loseOversize(size, bytes.subarray(at))
        return at
      }
      if (verdict !== 'complete') {
        const error = packetError('bad_msgpack', size, `packet is ${verdict}`, false)
        this.#lose(error, bytes.subarray(at))
        return at
      }
      yield* this.#deliver(bytes.subarray(at, at + size))
      at += size
    }
    return at
  }

  *#deliver(payload: Uint8Array): Task {
    let message: T
    try {
      message = yield* this.#decode(payload)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      if (!this.#isLost) this.#sink.bad(error, payload)
      yield
      return
    }
    if (this.#isLost) return
    const parts = this.#sink.packet(message, payload)
    if (parts !== undefined) yield* parts
    yield
  }

  #loseOversize(size: number, bytes: Uint8Array): void {
    const detail = `packet of ${size} bytes or more, limit ${this.#options.frameCapBytes}`
    this.#lose(packetError('too_large', 0, detail, false), bytes)
  }

  #lose(error: DecodeError, bytes: Uint8Array): void {
    this.#sink.bad(error, bytes)
    this.stop()
  }
}
