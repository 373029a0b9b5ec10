/**
 * Heads of frames that are expected (§3). Windows of one series begin with the same bytes, and a
 * worker sends its series in the same order, window after window: so what keeps a series also
 * keeps the head of its last frame and which series came next, and a frame that begins as expected
 * is known by one comparison, with nothing of it parsed.
 */
import { FrameHead } from './frame-head.ts'

/** The head of a series' last frame, kept with the series. */
export class KnownHead extends FrameHead {
  /** Whose frame came after this one's, the last time. */
  next: KnownHead | undefined
  bytes: Uint8Array = EMPTY
  #view: DataView = EMPTY_VIEW

  /** @param frameStart of the frame with this head in `frame` */
  learn(head: FrameHead, frame: Uint8Array, frameStart: number): void {
    const size = head.binsStart
    if (this.bytes.length !== size) {
      this.bytes = new Uint8Array(size)
      this.#view = new DataView(this.bytes.buffer)
    }
    this.bytes.set(frame.subarray(frameStart, frameStart + size))
    this.copyFrom(head)
  }

  /** Whether a frame of `size` bytes at a place has this head, to the last byte of it. */
  isOf(frame: DataView, at: number, size: number): boolean {
    if (size !== this.size) return false
    const view = this.#view
    const end = this.binsStart
    let differing = 0
    let i = 0
    // sixteen bytes at a time and one branch in the end: a head that is expected is rarely wrong
    for (; i + 16 <= end; i += 16) {
      const j = at + i
      differing |= view.getInt32(i) ^ frame.getInt32(j)
      differing |= view.getInt32(i + 4) ^ frame.getInt32(j + 4)
      differing |= view.getInt32(i + 8) ^ frame.getInt32(j + 8)
      differing |= view.getInt32(i + 12) ^ frame.getInt32(j + 12)
    }
    for (; i < end; i++) differing |= view.getUint8(i) ^ frame.getUint8(at + i)
    return differing === 0
  }
}

const EMPTY = new Uint8Array(0)
const EMPTY_VIEW = new DataView(EMPTY.buffer)
