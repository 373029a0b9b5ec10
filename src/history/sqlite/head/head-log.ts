/**
 * The head log: seconds that are in no bundle yet, in files of rising numbers. A record is durable
 * when `append` has returned; a record that was torn by the end of the machine ends the file.
 *
 *   head-NUMBER.log: [magic 'PMHL'][version:u32le] then records
 *   record: [size:u32le][crc32 of the bytes:u32le][bytes as record.ts has them]
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { HistoryError } from '../../store.ts'
import { decodeRecord, encodeRecord, RECORD_VERSION, type SecondRecord } from './record.ts'

const MAGIC = 0x4c48_4d50
const HEAD_BYTES = 8
const RECORD_HEAD_BYTES = 8

/** A file that is written; one at a time. */
export class HeadLog {
  readonly number: number
  readonly #path: string
  readonly #descriptor: number
  #size = HEAD_BYTES

  /** @throws the error of the file system, with no file left behind */
  constructor(folder: string, number: number) {
    this.number = number
    const path = headPath(folder, number)
    this.#path = path
    this.#descriptor = openSync(path, 'wx', 0o600)
    try {
      const head = Buffer.alloc(HEAD_BYTES)
      head.writeUInt32LE(MAGIC, 0)
      head.writeUInt32LE(RECORD_VERSION, 4)
      writeWhole(this.#descriptor, head, 0)
      fdatasyncSync(this.#descriptor)
      syncFolder(folder)
    } catch (error) {
      closeSync(this.#descriptor)
      unlinkSync(path)
      throw error
    }
  }

  get size(): number {
    return this.#size
  }

  /** Tells whether its name leads to a file. */
  get isThere(): boolean {
    return existsSync(this.#path)
  }

  /**
   * Writes a record, which is durable then.
   * @throws the error of the file system; the file ends as it did before
   */
  append(record: SecondRecord): void {
    const bytes = encodeRecord(record)
    const whole = Buffer.allocUnsafe(RECORD_HEAD_BYTES + bytes.length)
    whole.writeUInt32LE(bytes.length, 0)
    whole.writeUInt32LE(crc32(bytes), 4)
    whole.set(bytes, RECORD_HEAD_BYTES)
    try {
      writeWhole(this.#descriptor, whole, this.#size)
      fdatasyncSync(this.#descriptor)
    } catch (error) {
      ftruncateSync(this.#descriptor, this.#size)
      throw error
    }
    this.#size += whole.length
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function writeWhole(descriptor: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done)
  }
}

export function headPath(folder: string, number: number): string {
  return join(folder, `head-${number}.log`)
}

/** Makes names of a folder durable, where the platform can. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Makes the bytes of a file durable. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Lists the numbers of the head logs of a folder, rising. */
export function headNumbers(folder: string): number[] {
  return readdirSync(folder)
    .flatMap((name) => /^head-(\d+)\.log$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

export function deleteHead(folder: string, number: number): void {
  unlinkSync(headPath(folder, number))
}

/** Outcome of reading a head log to the last whole record. */
interface HeadReading {
  readonly records: number
  /** Bytes behind the last whole record; they are cut off where that was asked for. */
  readonly torn: number
  /** File to which these bytes went: a whole record was behind the one that can't be read. */
  readonly kept?: string
}

/**
 * Reads a head log, and shows each record. What ends it is the torn record of a kill, unless more
 * came after it: that is damage, and stays beside the log for who can read it.
 * @param cuts whether what ends it is cut off
 * @throws {HistoryError} for a file that is no head log of a version we know
 */
export function replayHead(
  folder: string,
  number: number,
  cuts: boolean,
  visit: (record: SecondRecord) => void,
): HeadReading {
  const path = headPath(folder, number)
  const file = readFileSync(path)
  if (file.length < HEAD_BYTES) {
    if (cuts) truncateSync(path, 0)
    return { records: 0, torn: file.length }
  }
  if (file.readUInt32LE(0) !== MAGIC) throw new HistoryError('foreign', `${path} is no head log`)
  const version = file.readUInt32LE(4)
  if (version < 1 || version > RECORD_VERSION) {
    const text = `${path} is of version ${version}, this one knows ${RECORD_VERSION}`
    throw new HistoryError('newer', text)
  }
  let at = HEAD_BYTES
  let records = 0
  for (; wholeAt(file, at); records++) {
    const end = endAt(file, at)
    visit(readRecord(file.subarray(at + RECORD_HEAD_BYTES, end), version, path))
    at = end
  }
  const torn = file.length - at
  if (!cuts || torn === 0) return { records, torn }
  const isDamaged = torn > RECORD_HEAD_BYTES && wholeAt(file, endAt(file, at))
  const kept = isDamaged ? `head-${number}.damaged` : undefined
  if (kept !== undefined) {
    writeFileSync(join(folder, kept), file.subarray(at), { mode: 0o600, flush: true })
  }
  truncateSync(path, at)
  return { records, torn, ...(kept === undefined ? {} : { kept }) }
}

function endAt(file: Buffer, at: number): number {
  return at + RECORD_HEAD_BYTES + file.readUInt32LE(at)
}

/** Tells whether a whole record begins at a place; the file may end before it. */
function wholeAt(file: Buffer, at: number): boolean {
  if (at + RECORD_HEAD_BYTES > file.length) return false
  const end = endAt(file, at)
  // no record is empty: a file system may leave zeros where nothing was written
  if (end > file.length || end === at + RECORD_HEAD_BYTES) return false
  return crc32(file.subarray(at + RECORD_HEAD_BYTES, end)) === file.readUInt32LE(at + 4)
}

/** Reads a record whose checksum holds: one that is none was written by another version. */
function readRecord(bytes: Uint8Array, version: number, path: string): SecondRecord {
  try {
    return decodeRecord(bytes, version)
  } catch (error) {
    throw new HistoryError('foreign', `${path} holds no records of version ${version}: ${error}`)
  }
}
