/**
 * The body of one session, read: what belongs to the series asked for is handed on, everything else
 * is counted (eventcounters.md §4.2, §6).
 */
import type { Task } from '../../../time/task.ts'
import type { Peer, Reports } from '../../endpoints.ts'
import { LineReader } from '../codec/line.ts'
import type { IgnoredReason, ReadWindow } from '../codec/read.ts'
import { type ErrorCode, LIMITS, NAME } from '../spec.ts'
import type { EndpointAddress } from './address.ts'

export interface ClientCounts {
  windows: number
  /** Windows of other series than the one asked for; they are dropped. */
  foreignSeries: number
  /** Lines that are no payload: their classes are in the reports. */
  badPayloads: number
  otherEvents: number
  linesTooLong: number
  keepAlives: number
  /** Sessions that were open and ended otherwise than by close(). */
  reconnects: number
}

interface SessionSink {
  window(window: ReadWindow): void
  /** Takes note of a whole line that the protocol knows: the server is one of ours. */
  life(): void
}

export class SessionReader {
  readonly #address: EndpointAddress
  readonly #counts: ClientCounts
  readonly #reports: Reports
  readonly #sink: SessionSink
  readonly #lines: LineReader
  readonly #peer: Peer

  /** @param counts added to; they belong to the client, over all its sessions */
  constructor(address: EndpointAddress, counts: ClientCounts, reports: Reports, sink: SessionSink) {
    this.#address = address
    this.#counts = counts
    this.#reports = reports
    this.#sink = sink
    const { hostname, profile } = address
    this.#peer = { transport: 'tcp', address: hostname, port: address.port }
    this.#lines = new LineReader(
      {
        onWindow: (window) => this.#onWindow(window),
        onIgnored: (reason) => this.#onIgnored(reason),
        onError: (code, line) => this.#onError(code, line),
      },
      { profile },
    )
  }

  /** Reads bytes of the body, in parts. */
  read(bytes: Uint8Array): Task {
    return this.#lines.pushInParts(bytes)
  }

  /** Ends the connection: what there is of an unfinished line is dropped. */
  end(): void {
    if (this.#lines.isInLine) this.#reports.count('lines_cut', 'connection')
  }

  /** Takes a window. Series are told apart by their number, never by the measured length (§4.2). */
  #onWindow(window: ReadWindow): void {
    this.#sink.life()
    for (const warning of window.warnings) this.#reports.count('payload_warnings', warning)
    if (window.malformed > 0) {
      this.#reports.count('metadata_pieces', 'malformed', window.malformed)
    }
    const { seriesMs } = this.#address
    if (seriesMs === 0 || window.seriesMs !== seriesMs) {
      this.#counts.foreignSeries++
      this.#reports.count('foreign_series', window.seriesMs === undefined ? 'unknown' : 'other')
      return
    }
    this.#counts.windows++
    this.#sink.window(window)
  }

  #onIgnored(reason: IgnoredReason): void {
    if (reason === 'keep_alive') {
      this.#counts.keepAlives++
      this.#sink.life()
    } else {
      this.#counts.otherEvents++
      this.#reports.count('other_events', 'line')
    }
  }

  #onError(code: ErrorCode, line: Uint8Array): void {
    if (code === 'line_too_long') {
      this.#counts.linesTooLong++
      this.#reports.count('line_too_long', 'line')
    } else {
      this.#counts.badPayloads++
      this.#reports.count('bad_payloads', code)
    }
    const error = { dialect: NAME, code, offset: 0, resync: true }
    const detail =
      code === 'line_too_long' ? `line longer than ${LIMITS.lineBytes} bytes` : `line is ${code}`
    this.#reports.decodeError(error, line, this.#peer, detail)
  }
}
