/**
 * Where a collection goes: a file, or standard output. Text comes in whole lines; what closes the
 * document is written behind it at once where that can be overwritten, so that a file is whole at
 * every moment, even when the process is killed.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs'

export interface Destination {
  /** Size of the document so far, without its end. */
  readonly bytes: number
  /** @throws an Error of the system when it can't be written */
  append(text: string): void
  /** Ends it; a second call does nothing. */
  close(): void
}

/**
 * Replaces what the file holds; what is no regular file (a pipe, a device) is written in order.
 *
 * @param end closes the document
 */
export function openFile(path: string, end: string): Destination {
  const fd = openSync(path, 'w')
  if (fstatSync(fd).isFile()) return new FileDestination(fd, end)
  const write = (text: string): void => writeAll(fd, Buffer.from(text), null)
  return new StreamDestination(write, end, () => closeSync(fd))
}

export function toStream(write: (text: string) => unknown, end: string): Destination {
  return new StreamDestination(write, end, () => {})
}

class FileDestination implements Destination {
  readonly #fd: number
  readonly #end: string
  #bytes = 0
  #isOpen = true

  constructor(fd: number, end: string) {
    this.#fd = fd
    this.#end = end
  }

  get bytes(): number {
    return this.#bytes
  }

  /**
   * Writes text and the end of the document, over which the next text goes. What a full disk has
   * cut is taken back, so that the file is the whole document that it was before.
   */
  append(text: string): void {
    try {
      writeAll(this.#fd, Buffer.from(text + this.#end), this.#bytes)
    } catch (error) {
      ftruncateSync(this.#fd, this.#bytes)
      writeAll(this.#fd, Buffer.from(this.#end), this.#bytes)
      throw error
    }
    this.#bytes += Buffer.byteLength(text)
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    closeSync(this.#fd)
  }
}

class StreamDestination implements Destination {
  readonly #write: (text: string) => unknown
  readonly #end: string
  readonly #release: () => void
  #bytes = 0
  #isOpen = true

  constructor(write: (text: string) => unknown, end: string, release: () => void) {
    this.#write = write
    this.#end = end
    this.#release = release
  }

  get bytes(): number {
    return this.#bytes
  }

  append(text: string): void {
    this.#write(text)
    this.#bytes += Buffer.byteLength(text)
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      if (this.#end !== '') this.#write(this.#end)
    } finally {
      this.#release()
    }
  }
}

/** @param position in a file; null = after what was written before */
function writeAll(fd: number, bytes: Uint8Array, position: number | null): void {
  let done = 0
  while (done < bytes.length) {
    const at = position === null ? null : position + done
    done += writeSync(fd, bytes, done, bytes.length - done, at)
  }
}
