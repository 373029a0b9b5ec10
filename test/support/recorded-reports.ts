/** Reports that a test reads back. */
import type { Peer, Reports } from '../../src/dialects/endpoints.ts'
import type { DecodeErrorFields } from '../../src/wire/decode-error.ts'

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly facts: Readonly<Record<string, unknown>>
}

export class RecordedReports implements Reports {
  readonly errors: { readonly code: string; readonly peer: Peer; readonly size: number }[] = []
  /** What each of them was of, in words. */
  readonly details: string[] = []
  readonly lines: LogLine[] = []
  /** By `name reason`. */
  readonly counts: Record<string, number> = {}

  decodeError(
    error: DecodeErrorFields,
    bytes: Uint8Array,
    peer: Peer,
    detail: string,
    start = 0,
    end = bytes.length,
  ): void {
    this.details.push(detail)
    this.errors.push({ code: error.code, peer, size: end - start })
  }

  decodeNote(note: string): void {
    this.count('decode_notes', note)
  }

  count(name: string, reason: string, amount = 1): void {
    const key = `${name} ${reason}`
    this.counts[key] = (this.counts[key] ?? 0) + amount
  }

  log(level: string, message: string, facts: Record<string, unknown> = {}): void {
    this.lines.push({ level, message, facts })
  }
}
