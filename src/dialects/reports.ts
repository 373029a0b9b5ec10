/** Where dialects report errors, refusals and oddities. */
import type { DecodeErrorFields } from '../wire/decode-error.ts'
import type { Peer } from './peer.ts'

/** Errors and refusals, counted by reason with the last offenders kept. */
export interface Reports {
  /** A decode error; at most the first 128 bytes of the offending message are kept. */
  decodeError(error: DecodeErrorFields, message: Uint8Array, peer: Peer, detail: string): void
  /** Something odd in a message that was taken, by a name of the dialect's closed set. */
  decodeNote(note: string): void
  /** Things that were closed, refused or left out (one unless stated), by reason. */
  count(name: string, reason: string, amount?: number): void
  /** One line for the operator's log. */
  log(level: 'info' | 'warn' | 'error', message: string, facts?: Record<string, unknown>): void
}

/** Reports that go nowhere: servers and clients of an application that watches none. */
export const NO_REPORTS: Reports = { decodeError() {}, decodeNote() {}, count() {}, log() {} }
