/**
 * Recordings of what a server has sent: `PSCOPE1` and a line feed, then entries of an event (u8),
 * milliseconds since the beginning (f64), the number of bytes (u32), all little-endian, and the
 * bytes. An entry is written at once and whole, so that a process that is killed leaves all but its
 * last one, and memory has none.
 */
import { closeSync, constants, fstatSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { CommandError } from '../../../../terminal/exit.ts'
import type { Clock } from '../../../../time/clock.ts'

/** Kinds of entries: a connection was begun, bytes of it came, it is over. */
type RecordedEvent = 'opened' | 'bytes' | 'closed'

export interface RecordedEntry {
  readonly event: RecordedEvent
  /** Time since the recording began. */
  readonly atMs: number
  /** Bytes of the stream in any cuts; none of the other events. */
  readonly bytes: Uint8Array
}

const MAGIC = Buffer.from('PSCOPE1\n')
const EVENTS: readonly RecordedEvent[] = ['opened', 'bytes', 'closed']
const HEAD_SIZE = 1 + 8 + 4
/** Bytes of one entry; a read of a socket has 64 KiB. */
const ENTRY_LIMIT = 16_777_216
const NO_BYTES = new Uint8Array(0)
const NS_PER_MS = 1e6

/** Writes a recording; a disk that takes no more ends it, and not the viewer. */
export class Recorder {
  readonly #file: number
  readonly #clock: Clock
  readonly #beganNs: bigint
  #isOpen = true
  #isConnected = false
  #size = MAGIC.length
  #failure: string | undefined

  /** @throws {CommandError} where the file is there already, or can't be made */
  constructor(path: string, clock: Clock) {
    this.#clock = clock
    this.#beganNs = clock.monotonicNs()
    try {
      this.#file = openSync(path, 'wx')
    } catch (error) {
      throw new CommandError(`can't record: ${reasonOf(error)}`)
    }
    try {
      writeSync(this.#file, MAGIC)
    } catch (error) {
      closeSync(this.#file)
      unlinkSync(path)
      throw new CommandError(`can't record: ${reasonOf(error)}`)
    }
  }

  /** Bytes that are in the file. */
  get size(): number {
    return this.#size
  }

  /** Reason why it ended before its time. */
  get failure(): string | undefined {
    return this.#failure
  }

  opened(): void {
    this.closed()
    this.#isConnected = true
    this.#write('opened', NO_BYTES)
  }

  bytes(bytes: Uint8Array): void {
    this.#write('bytes', bytes)
  }

  closed(): void {
    if (this.#isConnected) this.#write('closed', NO_BYTES)
    this.#isConnected = false
  }

  end(): void {
    this.closed()
    if (this.#isOpen) closeSync(this.#file)
    this.#isOpen = false
  }

  #write(event: RecordedEvent, bytes: Uint8Array): void {
    if (!this.#isOpen) return
    const entry = Buffer.alloc(HEAD_SIZE + bytes.length)
    entry[0] = EVENTS.indexOf(event)
    entry.writeDoubleLE(Number(this.#clock.monotonicNs() - this.#beganNs) / NS_PER_MS, 1)
    entry.writeUInt32LE(bytes.length, 9)
    entry.set(bytes, HEAD_SIZE)
    try {
      for (let at = 0; at < entry.length; ) at += writeSync(this.#file, entry, at)
      this.#size += entry.length
    } catch (error) {
      this.#failure = reasonOf(error)
      this.#isOpen = false
      closeSync(this.#file)
    }
  }
}

/** Reads a recording entry by entry. */
export class RecordingReader {
  readonly #file: number
  readonly #head = Buffer.alloc(HEAD_SIZE)
  #position = MAGIC.length
  #lastMs = 0
  /** Fault at the end of the file, once it has been read. */
  damage: string | undefined

  /** @throws {CommandError} where there is no file, or it is no recording */
  constructor(path: string) {
    try {
      // one that is a pipe is not waited for
      this.#file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    } catch (error) {
      throw new CommandError(`can't replay: ${reasonOf(error)}`)
    }
    const magic = Buffer.alloc(MAGIC.length)
    const isFile = fstatSync(this.#file).isFile()
    if (isFile && readSync(this.#file, magic, 0, magic.length, 0) === magic.length) {
      if (magic.equals(MAGIC)) return
    }
    closeSync(this.#file)
    throw new CommandError(`can't replay: ${path} is no recording of pentameter scope --record`)
  }

  /** Reads the next entry; undefined at the end, or where the rest is no entry. */
  next(): RecordedEntry | undefined {
    if (this.damage !== undefined) return undefined
    const head = this.#head
    const read = readSync(this.#file, head, 0, HEAD_SIZE, this.#position)
    if (read === 0) return undefined
    const event = EVENTS[head[0]!]
    const atMs = head.readDoubleLE(1)
    const length = head.readUInt32LE(9)
    if (read < HEAD_SIZE) return this.#end('is cut off')
    const isTime = atMs >= this.#lastMs && atMs < Number.POSITIVE_INFINITY
    if (event === undefined || !isTime || length > ENTRY_LIMIT) return this.#end('is damaged')
    const bytes = length === 0 ? NO_BYTES : Buffer.alloc(length)
    const at = this.#position + HEAD_SIZE
    if (length > 0 && readSync(this.#file, bytes, 0, length, at) < length) {
      return this.#end('is cut off')
    }
    this.#position = at + length
    this.#lastMs = atMs
    return { event, atMs, bytes }
  }

  close(): void {
    closeSync(this.#file)
  }

  #end(what: string): undefined {
    this.damage = `the recording ${what} at byte ${this.#position}`
    return undefined
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
