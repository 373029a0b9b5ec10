/**
 * The stream cut into messages, `[size:u32le][type:u8][body]`, wherever its bytes are cut. A size
 * above the limit ends it: nothing is held for such a message.
 */
import { ByteQueue } from '../../../wire/byte-queue.ts'
import { BODY_BYTES_LIMIT, HEADER_BYTES } from '../spec.ts'

export class MessageSplit {
  readonly #queue = new ByteQueue()
  #hasEnded = false

  /** Bytes held of a message that is not whole. */
  get bytesHeld(): number {
    return this.#queue.size
  }

  /** Whether a message that is too large has come: no more is read. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  push(bytes: Uint8Array): void {
    if (!this.#hasEnded) this.#queue.append(bytes)
  }

  /**
   * Takes the next whole message.
   * @param visit gets its type and body, which is valid during the call
   * @returns false where there is none yet, and where the stream has ended
   */
  next(visit: (type: number, body: Uint8Array) => void): boolean {
    const held = this.#queue.peek()
    if (held.length < HEADER_BYTES) return false
    const size = held[0]! + held[1]! * 0x100 + held[2]! * 0x1_0000 + held[3]! * 0x100_0000
    if (size > BODY_BYTES_LIMIT) {
      this.#hasEnded = true
      this.#queue.clear()
      return false
    }
    const end = HEADER_BYTES + size
    if (held.length < end) return false
    visit(held[4]!, held.subarray(HEADER_BYTES, end))
    this.#queue.drop(end)
    return true
  }
}
