/** One event of a stream, decoded. */
import type { EventMetadata, Payload } from '../spec.ts'

export interface NetTraceEvent {
  readonly metadata: EventMetadata
  /** Ticks since the session's start; exact within 2^53, which is 104 days at 1 GHz. */
  readonly ticks: number
  /** Thread that the event is of: its id, of version 6 its index in the stream. */
  readonly thread: number
  /** Id that the system has for it, as far as the stream says so. */
  readonly osThread: number
  /** Thread that wrote it down, whose {@link sequence} it is. */
  readonly captureThread: number
  /** Number of the event among those of its thread, from 1 on, modulo 2^32. */
  readonly sequence: number
  readonly stackId: number
  /** Whether no later event of the stream is older. */
  readonly isSorted: boolean
  readonly payloadSize: number
  /** Values; undefined for no bytes, and for bytes of which the stream says no fields. */
  readonly payload: Payload | undefined
}
