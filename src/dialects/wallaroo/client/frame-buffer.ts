/** Frames that wait for a connection: the newest ones, up to a number. */
export class FrameBuffer {
  readonly #limit: number
  #frames: Uint8Array[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0
  }

  /** @returns how many frames had to go for these, or of these */
  push(frames: readonly Uint8Array[]): number {
    // one by one: a batch may be larger than a call may have arguments
    for (const frame of frames) this.#frames.push(frame)
    const surplus = Math.max(this.#frames.length - this.#limit, 0)
    this.#frames.splice(0, surplus)
    return surplus
  }

  /** Takes all of them, oldest first. */
  takeAll(): Uint8Array[] {
    const frames = this.#frames
    this.#frames = []
    return frames
  }
}
