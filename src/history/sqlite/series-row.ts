/**
 * Rows of series: their columns, and the checksum that says that all of these are as they were
 * written. A database does not notice a changed bit in its values, and a total or a name with one
 * would be told as if it were right.
 */
import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'

const COLUMNS = [
  ...['slot', 'kind', 'hash', 'metadata', 'origin', 'firstS', 'lastS', 'total', 'living', 'key'],
]

const NUMBERS = new Set(['slot', 'kind', 'hash', 'firstS', 'lastS', 'living', 'crc'])

/** Words a value so that it is a number whatever has become of it: no integer is beyond 2^53. */
function plain(column: string, value = column): string {
  return NUMBERS.has(column) ? `1.0 * ${value}` : value
}

/** Columns as a statement selects them for a {@link SeriesRow}. */
export const ROW_COLUMNS = [...COLUMNS, 'crc'].map((column) => plain(column)).join()

/** A row as an array, which thousands of are read at once. */
export type SeriesRow = readonly [
  slot: number,
  kind: number,
  hash: number,
  metadata: string,
  origin: string | null,
  firstS: number | null,
  lastS: number | null,
  total: Uint8Array | null,
  living: number,
  key: Uint8Array,
  crc: number,
]

const NO_BYTES = new Uint8Array(0)

/**
 * Gives the part of a key's hash by which its series is found: 48 bits, of a hash for which no
 * client can make up many keys that share them.
 */
export function keyHash(key: Uint8Array): number {
  return hash('sha256', key, 'buffer').readUIntBE(0, 6)
}

/** Computes the checksum of a row, whatever is in its columns; its own place has no part in it. */
function crcOf(row: readonly unknown[]): number {
  const numbers = `${row[0]} ${row[1]} ${row[2]} ${row[5]} ${row[6]} ${row[8]}`
  const texts = crc32(`${numbers} ${row[4]}\n${row[3]}`)
  return crc32(bytesOf(row[7]), crc32(bytesOf(row[9]), texts))
}

function bytesOf(value: unknown): Uint8Array | string {
  if (value instanceof Uint8Array) return value
  return value === null ? NO_BYTES : String(value)
}

/**
 * Tells how far a row can be believed: all of it, the key alone, by which its cells are found, or
 * nothing.
 */
export function wholenessOf(row: SeriesRow): 'whole' | 'key' | 'none' {
  if (crcOf(row) === row[10]) return 'whole'
  return row[9] instanceof Uint8Array && keyHash(row[9]) === row[2] ? 'key' : 'none'
}

/** Has statements of {@link changing} compute checksums. */
export function defineRowCrc(db: DatabaseSync): void {
  db.function('row_crc', { deterministic: true, varargs: true }, (...row) => crcOf(row))
}

/** Words the change of columns of a row, and of its checksum with them. */
export function changing(change: Readonly<Partial<Record<string, string>>>): string {
  const sets = Object.entries(change).map(([column, value]) => `${column} = ${value}`)
  const values = COLUMNS.map((column) => plain(column, change[column]))
  return `UPDATE series SET ${[...sets, `crc = row_crc(${values.join()})`].join()}`
}
