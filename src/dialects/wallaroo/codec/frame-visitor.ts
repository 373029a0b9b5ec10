/** What the scanner reports to: numbers and byte ranges, valid during the call only. */
import type { ErrorCode, Note } from '../spec.ts'
import type { MetricsFrame } from './metrics-frame.ts'

export interface FrameVisitor {
  /** @param notes mask of `noteBit` */
  connect(notes: number): void
  /** @param workerStart -1 where the short form names no worker */
  join(
    bytes: Uint8Array,
    applicationStart: number,
    applicationEnd: number,
    workerStart: number,
    workerEnd: number,
    notes: number,
  ): void
  /** Takes a metrics frame: one object that the next call fills again. */
  metrics(frame: MetricsFrame): void
  /**
   * Called when a frame is lost; after `frame_too_large` so is the connection.
   * @param start of the frame, `end` as far as its bytes are at hand
   * @param offset of what is wrong, from the frame's first byte
   */
  reject(
    code: ErrorCode,
    detail: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
  ): void
  /** Notes an oddity of the connection and of no one frame. */
  note(note: Note): void
}

/** Taker of frames ahead of the scanner, in the same order; their results are the same. */
export interface UsualFrames {
  /** Frames that the last call took. */
  readonly taken: number
  /**
   * Takes whole frames from a place on, as long as they are usual ones.
   * @returns where the first begins that is not
   */
  take(bytes: Uint8Array, at: number): number
}
