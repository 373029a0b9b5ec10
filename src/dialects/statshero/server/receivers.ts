/**
 * Takers of lines: into an ingest, or to a callback of a program. Errors of peers end here,
 * reported once, with source and the first bytes.
 */

import type { Peer, Reports } from '../../endpoints.ts'
import type { LineIngest } from '../../ingest.ts'
import type { PacketVisitor } from '../codec/line-visitor.ts'
import { lineMessage, type Message } from '../codec.ts'
import { LineMapper } from '../map.ts'
import type { ReceiveOptions } from '../options.ts'
import { type ErrorCode, type LineErrorCode, NAME, type PacketErrorCode } from '../spec.ts'

/** Receiver of what one server gets, of one peer after the other. */
export interface LineReceiver extends PacketVisitor {
  /** Says from whom the next bytes are. */
  begin(peer: Peer): void
}

const LINE_FAULTS: Readonly<Record<LineErrorCode, string>> = {
  parse_error: 'line is not key:value|type',
  empty_key: 'key is empty',
  bad_key: 'key has other than letters, digits and single dots',
  bad_value: 'value is no integer, or too long',
  unknown_type: 'type is none of m, mr, g, h',
  bad_sample_rate: 'sample rate is not @ and a decimal with digits on both sides of the point',
}

/** Faults of peers, for the reports. */
class Faults {
  peer: Peer = { transport: 'udp', address: '', port: 0 }
  readonly #reports: Reports
  /** One for all: a body may hold half a million bad lines. */
  readonly #error = { dialect: NAME, code: 'truncated', offset: 0, resync: true }

  constructor(reports: Reports) {
    this.#reports = reports
  }

  report(
    code: ErrorCode,
    detail: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    resync: boolean,
    origin: number,
  ): void {
    const error = this.#error
    error.code = code
    error.offset = offset
    error.resync = resync
    this.#reports.decodeError(error, bytes, this.peer, detail, start, end, origin)
  }
}

/** Lines into the ingest, errors into the reports; one for all sockets of a server. */
export class IngestReceiver extends LineMapper implements LineReceiver {
  readonly #ingest: LineIngest
  readonly #faults: Faults

  constructor(ingest: LineIngest, options: ReceiveOptions, reports: Reports) {
    super(ingest, options)
    this.#ingest = ingest
    this.#faults = new Faults(reports)
  }

  /** Says from whom the next bytes are. */
  begin(peer: Peer): void {
    this.#faults.peer = peer
    this.#ingest.begin(peer.address)
  }

  packetEnd(): void {}

  badLine(
    code: LineErrorCode,
    bytes: Uint8Array,
    lineStart: number,
    lineEnd: number,
    offset: number,
    origin: number,
  ): void {
    this.#faults.report(code, LINE_FAULTS[code], bytes, lineStart, lineEnd, offset, true, origin)
  }

  badPacket(
    code: PacketErrorCode,
    detail: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    isResync: boolean,
    origin: number,
  ): void {
    this.#faults.report(code, detail, bytes, start, end, offset, isResync, origin)
  }
}

/** Lines as messages to a callback. */
export class CallbackReceiver implements LineReceiver {
  readonly #onLine: (line: Message, peer: Peer) => void
  readonly #faults: Faults

  constructor(onLine: (line: Message, peer: Peer) => void, reports: Reports) {
    this.#onLine = onLine
    this.#faults = new Faults(reports)
  }

  begin(peer: Peer): void {
    this.#faults.peer = peer
  }

  line(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    _hash: number,
    type: number,
    value: number,
    rate: number,
  ): void {
    this.#onLine(
      lineMessage(bytes.subarray(keyStart, keyEnd), type, value, rate),
      this.#faults.peer,
    )
  }

  largeLine(
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    _hash: number,
    type: number,
    valueStart: number,
    valueEnd: number,
    rate: number,
  ): void {
    const value = BigInt(Buffer.from(bytes.subarray(valueStart, valueEnd)).toString('latin1'))
    this.#onLine(
      lineMessage(bytes.subarray(keyStart, keyEnd), type, value, rate),
      this.#faults.peer,
    )
  }

  packetEnd(): void {}

  badLine(
    code: LineErrorCode,
    bytes: Uint8Array,
    lineStart: number,
    lineEnd: number,
    offset: number,
    origin: number,
  ): void {
    this.#faults.report(code, LINE_FAULTS[code], bytes, lineStart, lineEnd, offset, true, origin)
  }

  badPacket(
    code: PacketErrorCode,
    detail: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    isResync: boolean,
    origin: number,
  ): void {
    this.#faults.report(code, detail, bytes, start, end, offset, isResync, origin)
  }
}
