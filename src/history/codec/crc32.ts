/** CRC-32 as zlib, gzip and PNG have it (ISO 3309): reflected, polynomial 0xedb88320. */

/** Eight tables: table k is of a byte with k zeros behind it, so that eight are taken at a time. */
const TABLES = tablesOf()

function tablesOf(): Int32Array[] {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) === 0 ? 0 : 0xedb8_8320)
    return crc
  })
  const tables = [first]
  for (let k = 1; k < 8; k++) {
    tables.push(tables[k - 1]!.map((crc) => (crc >>> 8) ^ first[crc & 255]!))
  }
  return tables
}

const [T0, T1, T2, T3, T4, T5, T6, T7] = TABLES as [
  ...[Int32Array, Int32Array, Int32Array, Int32Array],
  ...[Int32Array, Int32Array, Int32Array, Int32Array],
]

/** Computes the checksum of bytes, as an unsigned word. */
export function crc32(bytes: Uint8Array): number {
  let crc = -1
  let i = 0
  for (const end = bytes.length - 7; i < end; i += 8) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
    crc =
      T7[crc & 255]! ^
      T6[(crc >>> 8) & 255]! ^
      T5[(crc >>> 16) & 255]! ^
      T4[crc >>> 24]! ^
      T3[bytes[i + 4]!]! ^
      T2[bytes[i + 5]!]! ^
      T1[bytes[i + 6]!]! ^
      T0[bytes[i + 7]!]!
  }
  for (; i < bytes.length; i++) crc = (crc >>> 8) ^ T0[(crc ^ bytes[i]!) & 255]!
  return (crc ^ -1) >>> 0
}
