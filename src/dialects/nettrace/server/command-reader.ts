/**
 * The one command of a connection (§3), out of pieces of any size. Bytes behind it mean nothing,
 * as for a runtime, but there is an end to how many are taken.
 */
import { ByteQueue } from '../../../wire/byte-queue.ts'
import { type ReadCommand, readCommand } from '../codec/ipc/read.ts'
import { HRESULT, IPC_HEADER_BYTES, IPC_MAGIC } from '../spec.ts'

export class CommandReader {
  readonly #held = new ByteQueue()
  #isOver = false

  /** Bytes held; never more than those of one message. */
  get bytesHeld(): number {
    return this.#held.size
  }

  /**
   * Takes bytes until there is a command.
   * @returns the command, or what it is refused with, once; undefined before and after
   */
  push(bytes: Uint8Array): ReadCommand | undefined {
    if (this.#isOver) return undefined
    const headMissing = IPC_HEADER_BYTES - this.#held.size
    this.#held.append(bytes.subarray(0, Math.max(0, headMissing)))
    if (this.#held.size < IPC_HEADER_BYTES) return undefined
    const rest = bytes.subarray(Math.max(0, headMissing))
    // a magic or a size that is none is refused by the header alone
    const missing = this.#sizeTold() - this.#held.size
    if (missing > 0) this.#held.append(rest.subarray(0, missing))
    return this.#held.size < this.#sizeTold() ? undefined : this.#finish()
  }

  /** Ends the reading: a connection that has sent a part of a command is refused. */
  end(): ReadCommand | undefined {
    if (this.#isOver || this.#held.size === 0) return undefined
    this.#isOver = true
    this.#held.clear()
    return { error: HRESULT.badEncoding }
  }

  /** Size that the header tells; that of the header where it is no header. */
  #sizeTold(): number {
    const held = this.#held.peek()
    for (let i = 0; i < IPC_MAGIC.length; i++) {
      if (held[i] !== IPC_MAGIC.charCodeAt(i)) return IPC_HEADER_BYTES
    }
    return Math.max(IPC_HEADER_BYTES, held[14]! | (held[15]! << 8))
  }

  #finish(): ReadCommand {
    this.#isOver = true
    const command = readCommand(this.#held.peek())
    this.#held.clear()
    return command
  }
}
