/** Frames that wait for a connection: the newest ones, up to a number, and to so many bytes. */
export class FrameBuffer {
  readonly #limit: number
  readonly #bytesLimit: number
  #frames: Uint8Array[] = []
  #bytes = 0

  constructor(limit: number, bytesLimit: number) {
    this.#limit = limit
    this.#bytesLimit = bytesLimit
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0
  }

  /** @returns how many frames had to go for these, or of these */
  push(frames: readonly Uint8Array[]): number {
    // one by one: a batch may be larger than a call may have arguments
    for (const frame of frames) {
      this.#frames.push(frame)
      this.#bytes += frame.length
    }
    let surplus = Math.max(this.#frames.length - this.#limit, 0)
    for (let i = 0; i < surplus; i++) this.#bytes -= this.#frames[i]!.length
    while (this.#bytes > this.#bytesLimit) this.#bytes -= this.#frames[surplus++]!.length
    this.#frames.splice(0, surplus)
    return surplus
  }

  /** Takes all of them, oldest first. */
  takeAll(): Uint8Array[] {
    const frames = this.#frames
    this.#frames = []
    this.#bytes = 0
    return frames
  }
}
