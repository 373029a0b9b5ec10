/** What the codec reports to: numbers and byte ranges, valid during the call only. */
import type { Budget } from '../../../time/budget.ts'
import type { LineErrorCode, PacketErrorCode } from '../spec.ts'

export interface LineVisitor {
  /**
   * Takes a line whose value is a safe integer.
   * @param hash of the key, as `hashKey` gives it
   * @param type index into `TYPE_WORDS`
   * @param rate as written, any finite number; NaN where the line has none
   */
  line(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    hash: number,
    type: number,
    value: number,
    rate: number,
  ): void
  /** Takes a line whose value is beyond the safe integers: where its text stands, sign included. */
  largeLine(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    hash: number,
    type: number,
    valueStart: number,
    valueEnd: number,
    rate: number,
  ): void
  /**
   * @param offset of what is wrong, from the packet's (or the unpacked body's) first byte
   * @param origin index of that byte; may be negative
   */
  badLine(
    code: LineErrorCode,
    bytes: Uint8Array,
    lineStart: number,
    lineEnd: number,
    offset: number,
    origin: number,
  ): void
}

export interface PacketVisitor extends LineVisitor {
  /** Called when a packet is complete and its lines have been visited. */
  packetEnd(): void
  /**
   * Called when a packet is lost.
   * @param start of the packet's bytes as far as they are at hand: its header at least
   * @param offset of what is wrong, from the packet's first byte
   * @param isResync false where nothing more can be read from this connection
   * @param origin index of the packet's first byte; may be negative
   */
  badPacket(
    code: PacketErrorCode,
    detail: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    isResync: boolean,
    origin: number,
  ): void
}

/** Lines of a body that wait for a later turn: bytes[start, end). */
export interface BodyRest {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  /** Index of the packet's first byte, from which offsets count; may be negative. */
  readonly origin: number
  /** Whether nothing of the body has been taken: it may be packed. */
  readonly isWhole: boolean
}

/**
 * Taker of lines that need no visit: known keys with plain values. The others it has visited, in
 * their order.
 */
export interface QuickLines {
  /** Frames that the last call of {@link frames} has taken. */
  readonly framesTaken: number
  /** Body in the midst of which the turn was over in the last call of {@link frames}. */
  readonly rest: BodyRest | undefined
  /**
   * Takes whole frames from `start` on, up to the first that is cut or has anything unusual, or
   * until the turn is over.
   * @returns index where the next one begins
   */
  frames(bytes: Uint8Array, start: number, budget?: Budget): number
  /**
   * Takes the lines in bytes[start, end), where `scanLines` would visit them, until the turn is
   * over.
   * @returns index of the next line; `end` when all are taken
   */
  lines(bytes: Uint8Array, start: number, end: number, origin: number, budget?: Budget): number
  /**
   * Lays a read where {@link frames} finds it without copying it, until the next one.
   * @returns the same bytes; undefined where there is no room
   */
  land(bytes: Uint8Array): Uint8Array | undefined
  /**
   * Puts what came of a frame before in front of a read, for {@link frames} to take it whole.
   * @returns the read with that in front; undefined where there is no room
   */
  joined(header: Uint8Array, body: Uint8Array, bytes: Uint8Array): Uint8Array | undefined
  /** Lends a buffer of at least this size, whatever is in it. */
  lend(size: number): Uint8Array
  /** Takes back a buffer that its borrower does not look at any more. */
  giveBack(buffer: Uint8Array): void
}

export interface LineRules {
  /** The document's grammar instead of the peers'. */
  readonly isStrict: boolean
  readonly maxValueDigits: number
}

/** Unpacks a gzip body of one or more members and nothing else: the platform's part of it. */
export type Inflate = (body: Uint8Array, bytesMax: number) => Uint8Array | 'corrupt' | 'too_large'

export interface PacketRules extends LineRules {
  readonly maxInflatedBytes: number
  readonly inflate: Inflate
}

export interface FrameRules extends PacketRules {
  readonly maxFrameBytes: number
}
