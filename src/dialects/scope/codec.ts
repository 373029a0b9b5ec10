/**
 * Bytes to messages for tools and tests, over the stages in codec/: framing, settings, packets.
 *
 * - role `server` reads what a client sends: one settings message; what follows it means nothing.
 * - role `client` reads what a server sends: the version, which a recording may lack, then packets.
 * - no role reads any messages of either side, told apart by their shape.
 *
 * Framed or bare is found out from the first bytes (§4.2); what fewer than five bytes leave open is
 * decided by `end`. With transport `udp` every push is one whole message, a payload or a frame, and
 * bytes behind its value are ignored as they are inside a frame.
 */
import { inOnePart } from '../../time/task.ts'
import { DecodeError, type DecodeErrorFields } from '../../wire/decode-error.ts'
import { isContainer, MessagePackReader } from '../../wire/messagepack.ts'
import { MessagePackScanner } from '../../wire/messagepack-scan.ts'
import { type CodecOptions, type Decoded, type Decoder, decodeWhole } from '../decoder.ts'
import { findFields, MISSING } from './codec/fields.ts'
import { frame, LENGTH_SIZE, readLength } from './codec/framing.ts'
import { encodeMessage, type Message, type PlainMessage, toPlain } from './codec/messages.ts'
import { decodePacket, type PacketOptions, packetError, readPacket } from './codec/packet.ts'
import { PacketStream } from './codec/packet-stream.ts'
import { decodeSettings, settingsError } from './codec/settings.ts'
import { SettingsStream } from './codec/settings-stream.ts'
import { sniffVersion, versionError } from './codec/version.ts'
import { CLIENT_DEFAULTS, SERVER_DEFAULTS } from './options.ts'
import { type Framing, SETTINGS_FIELDS, SNAPSHOT_FIELDS } from './spec.ts'

export function createDecoder(options: CodecOptions = {}): Decoder {
  const log = new DecodeLog()
  if (options.transport === 'udp') return new WholeDecoder(options, log)
  if (options.role === 'server') return new SettingsDecoder(log)
  return new PacketsDecoder(options, log)
}

/**
 * Reads what a viewer or a server has sent. Unless `transport` says so, the bytes themselves tell
 * whether they are one message (`udp`) or a stream (`tcp`).
 *
 * @example
 * import { decodeScope, encodeScope } from 'pentameter/scope'
 *
 * const [bytes] = encodeScope([{ kind: 'snapshot', t: { $u64: '0' }, d: [['level', 0.5]] }])
 * console.log(decodeScope(bytes, { role: 'client' }).messages[0]) // { kind: 'snapshot', … }
 */
export function decodeScope(bytes: Uint8Array, options: CodecOptions = {}): Decoded<PlainMessage> {
  const { transport = guessTransport(bytes, options.role) } = options
  return decodeWhole(createDecoder({ ...options, transport }), bytes)
}

/**
 * Encodes plain messages, one array each: framed, or bare under profile `document`.
 * @throws {EncodeError} `bad_message` or `bad_range`
 *
 * @example
 * import { encodeScope } from 'pentameter/scope'
 *
 * const second = { $u64: '1000000000' }
 * const [asked] = encodeScope([{ kind: 'settings', sampling_interval: second }])
 * console.log(asked.length) // 28
 */
export function encodeScope(
  messages: readonly unknown[],
  options: CodecOptions = {},
): Uint8Array[] {
  const isBare = options.profile === 'document'
  return messages.map((message) =>
    isBare ? encodeMessage(message) : frame(encodeMessage(message)),
  )
}

/** Findings of one decoder. */
class DecodeLog {
  readonly messages: unknown[] = []
  readonly errors: DecodeErrorFields[] = []
  readonly notes: string[] = []
  #framing: Framing | undefined

  message(message: Message): void {
    this.messages.push(toPlain(message))
    if (message.kind === 'snapshot' && message.reading.time === 'float') {
      this.note('t is a float and read as seconds')
    }
  }

  framing(framing: Framing | undefined): void {
    if (framing === undefined || framing === this.#framing) return
    this.#framing = framing
    this.notes.push(`framing: ${framing}`)
  }

  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text)
  }

  /** Runs a stage and keeps its decode error. */
  attempt<T>(stage: () => T): T | undefined {
    try {
      return stage()
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      this.errors.push(error)
      return undefined
    }
  }
}

/**
 * Tells whether a byte is a MessagePack head that states a size: c4 to c9, and d9 to db; c1 is no
 * value at all.
 */
function isSizedHead(byte: number): boolean {
  return byte === 0xc1 || (byte >= 0xc4 && byte <= 0xc9) || (byte >= 0xd9 && byte <= 0xdb)
}

/**
 * Guesses the transport. One message, `udp`: a frame and nothing else, a container, or exactly one
 * other value. A stream, `tcp`: what begins with a version, or with a length that is not that of
 * all the rest.
 */
export function guessTransport(bytes: Uint8Array, role?: CodecOptions['role']): 'udp' | 'tcp' {
  if (bytes.length < LENGTH_SIZE || isWholeFrame(bytes) || isContainer(bytes[0]!)) return 'udp'
  if (role !== 'server' && sniffVersion(bytes.subarray(0, SNIFF_SIZE), true) === 'accepted') {
    return 'tcp'
  }
  const cap = role === 'server' ? SERVER_DEFAULTS.settingsCapBytes : CLIENT_DEFAULTS.frameCapBytes
  if (readLength(bytes) <= cap) return 'tcp'
  const scanner = new MessagePackScanner()
  const verdict = scanner.scan(bytes, 0, bytes.length, bytes.length)
  const isOneValue = verdict === 'complete' && scanner.size === bytes.length
  return isOneValue || isSizedHead(bytes[0]!) ? 'udp' : 'tcp'
}

function decodeAs(options: CodecOptions): (payload: Uint8Array) => Message {
  const reading = { strict: options.strict === true }
  if (options.role === 'server') return decodeSettings
  if (options.role === 'client') return (payload) => decodePacket(payload, reading)
  return (payload) => decodeAny(payload, reading)
}

/**
 * Reads a payload whose sender, server or viewer, is not known: settings when it is a struct with
 * `sampling_interval`, or one whose only value by index is no map (an Info's is); a packet
 * otherwise.
 * @throws {DecodeError} with a code of the side that the shape speaks for
 */
function decodeAny(payload: Uint8Array, options: PacketOptions): Message {
  const scanner = new MessagePackScanner()
  const verdict = scanner.scan(payload, 0, payload.length, payload.length)
  if (verdict !== 'complete') {
    throw packetError('bad_msgpack', scanner.size, `message is ${verdict}`)
  }
  const reader = new MessagePackReader(payload)
  return looksLikeSettings(reader) ? decodeSettings(payload) : readPacket(reader, options)
}

function looksLikeSettings(reader: MessagePackReader): boolean {
  const at = findFields(reader, 0, SETTINGS_FIELDS)?.[0]
  if (at === undefined || at === MISSING || reader.family(at) === 'map') return false
  // By index, field 0 may also be a snapshot's t: then there is a field 1.
  const snapshot = findFields(reader, 0, SNAPSHOT_FIELDS)
  return snapshot === undefined || snapshot[1] === MISSING
}

abstract class LoggingDecoder implements Decoder {
  protected readonly log: DecodeLog

  constructor(log: DecodeLog) {
    this.log = log
  }

  get messages(): unknown[] {
    return this.log.messages
  }

  get errors(): DecodeErrorFields[] {
    return this.log.errors
  }

  get notes(): string[] {
    return this.log.notes
  }

  abstract push(bytes: Uint8Array): void
  abstract end(): void
}

class WholeDecoder extends LoggingDecoder {
  readonly #role: CodecOptions['role']
  readonly #decode: (payload: Uint8Array) => Message

  constructor(options: CodecOptions, log: DecodeLog) {
    super(log)
    this.#role = options.role
    this.#decode = decodeAs(options)
  }

  push(bytes: Uint8Array): void {
    this.log.attempt(() => {
      if (this.#role !== 'server' && isVersion(bytes)) return this.#readVersion(bytes)
      const isFramed = isWholeFrame(bytes)
      this.log.framing(isFramed ? 'framed' : 'bare')
      if (isFramed && bytes.length === LENGTH_SIZE && this.#role === 'server') {
        throw settingsError('settings_empty', 0, 'settings frame of 0 bytes')
      }
      const payload = isFramed ? bytes.subarray(LENGTH_SIZE) : bytes
      this.log.message(this.#decode(payload))
      this.#noteRest(payload)
    })
  }

  #noteRest(payload: Uint8Array): void {
    const scanner = new MessagePackScanner()
    scanner.scan(payload, 0, payload.length, payload.length)
    const rest = payload.length - scanner.size
    if (rest > 0) this.log.note(`${rest} bytes behind the message mean nothing`)
  }

  #readVersion(bytes: Uint8Array): void {
    if (sniffVersion(bytes, true) === 'refused') throw versionError(bytes)
    this.log.note('version 1')
  }

  end(): void {}
}

function isVersion(bytes: Uint8Array): boolean {
  return bytes.length === 2 && !isContainer(bytes[0]!)
}

/**
 * Tells whether the length in front is that of all the rest, which is empty or begins a container.
 */
function isWholeFrame(bytes: Uint8Array): boolean {
  if (bytes.length < LENGTH_SIZE || readLength(bytes) !== bytes.length - LENGTH_SIZE) return false
  return !isContainer(bytes[0]!) || isContainer(bytes[LENGTH_SIZE]!)
}

class SettingsDecoder extends LoggingDecoder {
  readonly #stream = new SettingsStream('auto', SERVER_DEFAULTS.settingsCapBytes)
  #isOver = false
  #extraBytes = 0

  push(bytes: Uint8Array): void {
    if (!this.#isOver) this.#read(() => this.#stream.push(bytes))
    else if (this.log.errors.length === 0) this.#extraBytes += bytes.length
  }

  end(): void {
    if (!this.#isOver) this.#read(() => this.#stream.end())
    if (this.#extraBytes > 0) this.log.note(`${this.#extraBytes} bytes behind the settings`)
  }

  #read(stage: () => ReturnType<SettingsStream['push']>): void {
    const handshake = this.log.attempt(stage)
    this.log.framing(this.#stream.framing)
    this.#isOver = handshake !== undefined || this.log.errors.length > 0
    if (handshake === undefined) return
    this.#extraBytes += handshake.extraBytes
    this.log.message(handshake.settings)
  }
}

/** Bytes that settle whether a stream begins with a version. */
const SNIFF_SIZE = 7

class PacketsDecoder extends LoggingDecoder {
  readonly #stream: PacketStream<Message>
  /** The first bytes, until they say whether a version is among them. */
  #first: Uint8Array | undefined = new Uint8Array(0)

  constructor(options: CodecOptions, log: DecodeLog) {
    super(log)
    const { frameCapBytes } = CLIENT_DEFAULTS
    const decode = decodeAs(options)
    const inParts = (payload: Uint8Array) => inOnePart(() => decode(payload))
    this.#stream = new PacketStream({ framing: 'auto', frameCapBytes }, inParts, {
      packet: (message) => {
        log.framing(this.#stream.framing)
        log.message(message)
      },
      bad: (error) => log.errors.push(error),
    })
  }

  push(bytes: Uint8Array): void {
    if (this.#first === undefined) this.#stream.push(bytes)
    else this.#sniff(bytes, false)
    this.log.framing(this.#stream.framing)
  }

  end(): void {
    if (this.#first !== undefined && this.#first.length > 0) this.#sniff(new Uint8Array(0), true)
    this.#stream.end()
    this.log.framing(this.#stream.framing)
  }

  #sniff(bytes: Uint8Array, isEnd: boolean): void {
    const first = new Uint8Array(this.#first!.length + bytes.length)
    first.set(this.#first!)
    first.set(bytes, this.#first!.length)
    const verdict = sniffVersion(first.subarray(0, SNIFF_SIZE), isEnd)
    this.#first = verdict === 'wait' ? first : undefined
    if (verdict === 'accepted') this.log.note('version 1')
    if (verdict === 'refused') {
      this.log.errors.push(versionError(first))
      this.#stream.stop()
    }
    if (verdict !== 'wait') this.#stream.push(first.subarray(verdict === 'accepted' ? 2 : 0))
  }
}
