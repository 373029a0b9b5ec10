/**
 * A queue of requests on disk, of one process: what was appended is there after `kill -9`, and goes
 * out in its order. It has a limit of bytes, above which its oldest file goes, and what that held
 * is counted. A record that was taken may come once more after a crash; none is left out.
 *
 *   NUMBER.queue   files of records (segment.ts), the newest of which is written to
 *   position       `NUMBER OFFSET`, padded: all before it has been taken
 *   lock.db        who has the folder
 */
import { type FileHandle, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderLock } from './folder-lock.ts'
import { makeFolder } from './make-folder.ts'
import {
  createSegment,
  FILE_HEAD_BYTES,
  RECORD_HEAD_BYTES,
  readRecord,
  recordBytes,
  type ScannedSegment,
  scanSegment,
} from './segment.ts'

interface DiskQueueOptions {
  readonly folder: string
  /** Limit of all files, at least four of one. */
  readonly bytesLimit: number
  readonly nowMs: number
  /** Takes note of a loss: `queue_full` with the oldest file, `damaged` where it can't be read. */
  readonly lost: (items: number, reason: 'queue_full' | 'damaged') => void
  /** Takes note of a file that is none of a queue: it is left as it is. */
  readonly foreign: (path: string) => void
}

export interface QueuedRecord {
  readonly payload: Uint8Array<ArrayBuffer>
  readonly items: number
  readonly timeMs: number
  /** File and end of the record in it. */
  readonly segment: number
  readonly end: number
}

interface Segment {
  readonly number: number
  readonly path: string
  file: FileHandle | undefined
  /** Whether it is of this process, and written to: one of a former process is only read. */
  readonly isOwn: boolean
  bytes: number
  /** Items that have not been taken. */
  items: number
  /** Time of its first record that has not been taken at the start. */
  firstMs: number | undefined
}

const SEGMENT_BYTES_MAX = 16 * 1024 * 1024
/** Files that the limit is divided into, at least. */
const SEGMENTS_MIN = 4
const POSITION_BYTES = 40

export class DiskQueue {
  readonly #options: DiskQueueOptions
  readonly #lock: FolderLock
  readonly #position: FileHandle
  readonly #segments: Segment[]
  /** Offset in the first file behind all that was taken. */
  #offset: number
  /** Highest number that a file had. */
  #lastNumber: number
  #chain: Promise<unknown> = Promise.resolve()

  private constructor(
    options: DiskQueueOptions,
    lock: FolderLock,
    position: FileHandle,
    segments: Segment[],
    offset: number,
    lastNumber: number,
  ) {
    this.#lastNumber = lastNumber
    this.#options = options
    this.#lock = lock
    this.#position = position
    this.#segments = segments
    this.#offset = offset
  }

  /**
   * Opens a folder, which is made if need be, with what waits in it.
   * @throws {FolderInUse} where another process has it
   */
  static async open(options: DiskQueueOptions): Promise<DiskQueue> {
    const { folder, nowMs } = options
    makeFolder(folder)
    const lock = new FolderLock(folder, { pid: process.pid, sinceMs: nowMs })
    try {
      const [first, offset] = await readPosition(join(folder, 'position'))
      const segments: Segment[] = []
      const numbers = await segmentNumbers(folder)
      for (const number of numbers) {
        const path = segmentPath(folder, number)
        const scanned = await scanSegment(path)
        if (scanned === undefined) {
          options.foreign(path)
          continue
        }
        const from = number === first ? offset : FILE_HEAD_BYTES
        const found = number < first ? undefined : segmentOf(path, number, from, scanned)
        if (found === undefined) await rm(path, { force: true })
        else segments.push(found)
      }
      const position = await open(join(folder, 'position'), 'a').then(async (made) => {
        await made.close()
        return open(join(folder, 'position'), 'r+')
      })
      const start = segments[0]?.number === first ? offset : FILE_HEAD_BYTES
      const last = Math.max(first, ...numbers)
      return new DiskQueue(options, lock, position, segments, start, last)
    } catch (error) {
      lock.release()
      throw error
    }
  }

  /** Bytes of all files. */
  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Items that wait. */
  get items(): number {
    return this.#segments.reduce((sum, { items }) => sum + items, 0)
  }

  /** Time of the oldest file that has some, Unix ms. */
  get oldestMs(): number | undefined {
    return this.#segments.find(({ items }) => items > 0)?.firstMs
  }

  /**
   * Appends a record.
   * @returns once the system has it, which keeps it whatever becomes of this process
   */
  append(payload: Uint8Array, items: number, timeMs: number): Promise<void> {
    return this.#inTurn(() => this.#append(recordBytes(payload, items, timeMs), items, timeMs))
  }

  async #append(bytes: Buffer, items: number, timeMs: number): Promise<void> {
    const { bytesLimit } = this.#options
    let last = this.#segments.at(-1)
    const segmentLimit = Math.min(SEGMENT_BYTES_MAX, Math.floor(bytesLimit / SEGMENTS_MIN))
    if (last?.isOwn !== true || last.bytes + bytes.length > segmentLimit) {
      last = await this.#begin()
    }
    while (this.#segments.length > 1 && this.bytes + bytes.length > bytesLimit) {
      await this.#dropOldest()
    }
    const file = last.file!
    try {
      await file.write(bytes, 0, bytes.length, last.bytes)
    } catch (error) {
      await file.truncate(last.bytes).catch(() => {})
      throw error
    }
    last.bytes += bytes.length
    last.items += items
    last.firstMs ??= timeMs
  }

  async #begin(): Promise<Segment> {
    const number = this.#lastNumber + 1
    const path = segmentPath(this.#options.folder, number)
    const file = await createSegment(path)
    this.#lastNumber = number
    const counts = { bytes: FILE_HEAD_BYTES, items: 0, firstMs: undefined }
    const segment = { number, path, file, isOwn: true, ...counts }
    if (this.#segments.length === 0) this.#offset = FILE_HEAD_BYTES
    this.#segments.push(segment)
    return segment
  }

  async #dropOldest(): Promise<void> {
    const { items } = this.#segments[0]!
    await this.#removeFirst()
    if (items > 0) this.#options.lost(items, 'queue_full')
  }

  async #removeFirst(): Promise<void> {
    const [{ file, path }] = this.#segments.splice(0, 1) as [Segment]
    this.#offset = FILE_HEAD_BYTES
    await file?.close()
    await rm(path, { force: true })
  }

  /** Gives the oldest record, which stays until it is taken; undefined where nothing waits. */
  first(): Promise<QueuedRecord | undefined> {
    return this.#inTurn(async () => {
      for (let segment = this.#segments[0]; segment !== undefined; segment = this.#segments[0]) {
        while (this.#offset < segment.bytes) {
          segment.file ??= await open(segment.path, 'r')
          const { payload, size, items, timeMs } = await readRecord(segment.file, this.#offset)
          const end = this.#offset + RECORD_HEAD_BYTES + size
          if (payload !== undefined) {
            return { payload, items, timeMs, segment: segment.number, end }
          }
          this.#options.lost(Math.min(items, segment.items), 'damaged')
          segment.items -= Math.min(items, segment.items)
          this.#offset = end
        }
        if (this.#segments.length === 1) return undefined
        await this.#removeFirst()
      }
      return undefined
    })
  }

  /** Takes a record away that {@link first} gave. */
  take({ segment: number, end, items }: QueuedRecord): Promise<void> {
    return this.#inTurn(async () => {
      const [segment] = this.#segments
      // its file may have gone meanwhile, by the limit
      if (segment?.number !== number) return
      this.#offset = end
      segment.items -= items
      await this.#position.write(positionText(number, end), 0)
    })
  }

  /** Has the disk take what was appended, so that it survives the machine, too. */
  sync(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#segments.at(-1)?.file?.datasync()
    })
  }

  /** Lets go of the folder; what waits stays in it. */
  async close(): Promise<void> {
    await this.#inTurn(async () => {
      for (const { file } of this.#segments) await file?.close()
      await this.#position.close()
      this.#lock.release()
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#chain.then(work)
    this.#chain = done.catch(() => {})
    return done
  }
}

function segmentOf(
  path: string,
  number: number,
  from: number,
  { heads, end }: ScannedSegment,
): Segment | undefined {
  const waiting = heads.filter(({ at }) => at >= from)
  if (waiting.length === 0) return undefined
  const items = waiting.reduce((sum, head) => sum + head.items, 0)
  const counts = { bytes: end, items, firstMs: waiting[0]!.timeMs }
  return { number, path, file: undefined, isOwn: false, ...counts }
}

async function segmentNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder)
  const numbers = names.flatMap((name) => /^(\d{12})\.queue$/.exec(name)?.[1] ?? [])
  return numbers.map(Number).sort((a, b) => a - b)
}

function segmentPath(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(12, '0')}.queue`)
}

function positionText(number: number, offset: number): string {
  return `${number} ${offset}`.padEnd(POSITION_BYTES - 1).concat('\n')
}

/** Reads up to where all was taken; the start of all files where that is not known. */
async function readPosition(path: string): Promise<readonly [number: number, offset: number]> {
  const text = await readFile(path, 'latin1').catch(() => '')
  const [, number = '0', offset = String(FILE_HEAD_BYTES)] = /^(\d+) (\d+) *\n/.exec(text) ?? []
  return [Number(number), Number(offset)]
}
