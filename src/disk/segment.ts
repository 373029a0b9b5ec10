/**
 * A file of a queue: records one behind the other.
 *
 *   file    "PMQUEUE1" [record]…
 *   record  [size:u32le][crc:u32le][items:u32le][timeMs:f64le][payload: size bytes]
 *
 * The checksum (CRC-32 of zlib) is of all that follows it.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

const MAGIC = Buffer.from('PMQUEUE1')
export const FILE_HEAD_BYTES = MAGIC.length
export const RECORD_HEAD_BYTES = 20
/** Payload of a record; a larger one is not ours. */
const PAYLOAD_BYTES_LIMIT = 64 * 1024 * 1024

export interface RecordHead {
  readonly size: number
  readonly items: number
  readonly timeMs: number
}

/** Makes the bytes of a record. */
export function recordBytes(payload: Uint8Array, items: number, timeMs: number): Buffer {
  const bytes = Buffer.allocUnsafe(RECORD_HEAD_BYTES + payload.length)
  bytes.writeUInt32LE(payload.length, 0)
  bytes.writeUInt32LE(items, 8)
  bytes.writeDoubleLE(timeMs, 12)
  bytes.set(payload, RECORD_HEAD_BYTES)
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4)
  return bytes
}

/** Makes a file of records under a new name. */
export async function createSegment(path: string): Promise<FileHandle> {
  const file = await open(path, 'wx+')
  await file.write(MAGIC, 0, MAGIC.length, 0)
  return file
}

export interface ScannedSegment {
  readonly heads: readonly (RecordHead & { readonly at: number })[]
  /** End of the last whole record. */
  readonly end: number
}

/**
 * Lists the records of a file from an offset on, by their heads, up to the first that is not whole.
 * @returns undefined for a file that is not of this format; one that ends within its head is
 */
export async function scanSegment(path: string): Promise<ScannedSegment | undefined> {
  const file = await open(path, 'r')
  try {
    const { size: fileSize } = await file.stat()
    const head = Buffer.alloc(RECORD_HEAD_BYTES)
    const { bytesRead } = await file.read(head, 0, MAGIC.length, 0)
    if (!head.subarray(0, bytesRead).equals(MAGIC.subarray(0, bytesRead))) return undefined
    const heads: (RecordHead & { readonly at: number })[] = []
    let at = FILE_HEAD_BYTES
    while (at + RECORD_HEAD_BYTES <= fileSize) {
      await file.read(head, 0, RECORD_HEAD_BYTES, at)
      const { size, items, timeMs } = readHead(head)
      const end = at + RECORD_HEAD_BYTES + size
      if (size > PAYLOAD_BYTES_LIMIT || end > fileSize) break
      heads.push({ at, size, items, timeMs })
      at = end
    }
    return { heads, end: at }
  } finally {
    await file.close()
  }
}

function readHead(bytes: Buffer): RecordHead {
  return {
    size: bytes.readUInt32LE(0),
    items: bytes.readUInt32LE(8),
    timeMs: bytes.readDoubleLE(12),
  }
}

/** Reads the record at an offset; its payload is undefined where its checksum is another one. */
export async function readRecord(
  file: FileHandle,
  at: number,
): Promise<RecordHead & { readonly payload: Uint8Array<ArrayBuffer> | undefined }> {
  const headBytes = Buffer.alloc(RECORD_HEAD_BYTES)
  await file.read(headBytes, 0, RECORD_HEAD_BYTES, at)
  const head = readHead(headBytes)
  const bytes = new Uint8Array(Math.min(head.size, PAYLOAD_BYTES_LIMIT))
  const { bytesRead } = await file.read(bytes, 0, bytes.length, at + RECORD_HEAD_BYTES)
  const crc = crc32(bytes, crc32(headBytes.subarray(8)))
  const isWhole = bytesRead === head.size && crc === headBytes.readUInt32LE(4)
  return { ...head, payload: isWhole ? bytes : undefined }
}
