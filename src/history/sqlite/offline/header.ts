/**
 * The first page of a database: a header that is nearly the same in all of ours, and the list of
 * tables. Without them SQLite reads nothing of it, so that a copy gets them as they have to be.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { HistoryError } from '../../store.ts'
import { APPLICATION_ID, hasLog, PAGE_BYTES } from '../database.ts'

const HEADER_BYTES = 100
/** Bytes that may be wrong in a header that is still taken for one of ours. */
const WRONG_LIMIT = 8

/** Bytes that are the same in all of ours: magic, size of a page, log, shares, schema, text. */
const FIXED: readonly (readonly [at: number, bytes: Uint8Array])[] = [
  [0, Buffer.from('SQLite format 3\0', 'latin1')],
  [16, Uint8Array.of(PAGE_BYTES >> 8, PAGE_BYTES & 255, 2, 2, 0, 64, 32, 32)],
  [44, Uint8Array.of(0, 0, 0, 4)],
  [56, Uint8Array.of(0, 0, 0, 1)],
  [64, Uint8Array.of(0, 0, 0, 1)],
  [68, bigEndian(APPLICATION_ID)],
  [72, new Uint8Array(20)],
]
const PAGES_AT = 28
/** Pages that a copy has, empty ones at its end: each table begins on one of them. */
const PAGES_LEAST = 64
const CHANGES_AT = 24
const VALID_FOR_AT = 92

function bigEndian(number: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}

/**
 * Tells whether SQLite would not read a file because of its header or its length.
 * @throws {HistoryError} `foreign` for what is no database of ours
 */
export function needsRepair(path: string): boolean {
  const head = headerOf(path)
  const wrong = FIXED.reduce((sum, [at, bytes]) => {
    return sum + bytes.reduce((count, byte, i) => count + (head[at + i] === byte ? 0 : 1), 0)
  }, 0)
  const isEmpty = head.every((byte) => byte === 0)
  if (wrong > WRONG_LIMIT && !isEmpty) throw new HistoryError('foreign', `${path} is no history`)
  const isLong = hasLog(path) || sizeOf(head) === statSync(path).size
  return wrong > 0 || !isLong
}

function headerOf(path: string): Buffer {
  const head = Buffer.alloc(HEADER_BYTES)
  const descriptor = openSync(path, 'r')
  try {
    readSync(descriptor, head, 0, HEADER_BYTES, 0)
  } finally {
    closeSync(descriptor)
  }
  return head
}

function sizeOf(head: Buffer): number {
  return head.readUInt32BE(PAGES_AT) * PAGE_BYTES
}

/** Copies a database, and the log beside it, with the header that it has to have. */
export function copyRepaired(from: string, to: string): void {
  const head = headerOf(from)
  for (const [at, bytes] of FIXED) head.set(bytes, at)
  copyWith(from, to, head)
}

/**
 * Copies a database with the first page of a new one, which has the list of tables: their pages are
 * the same in all that no older version made.
 */
export function copyWithTables(from: string, to: string, fresh: string): void {
  copyWith(from, to, readFileSync(fresh).subarray(0, PAGE_BYTES))
}

/** @param begin of the copy, which is told its length */
function copyWith(from: string, to: string, begin: Buffer): void {
  copyFileSync(from, to)
  if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`)
  const pages = Math.max(PAGES_LEAST, Math.floor(statSync(from).size / PAGE_BYTES))
  truncateSync(to, pages * PAGE_BYTES)
  begin.writeUInt32BE(pages, PAGES_AT)
  // the number of pages holds where these two agree
  begin.copy(begin, VALID_FOR_AT, CHANGES_AT, CHANGES_AT + 4)
  const descriptor = openSync(to, 'r+')
  try {
    writeSync(descriptor, begin, 0, begin.length, 0)
  } finally {
    closeSync(descriptor)
  }
}
