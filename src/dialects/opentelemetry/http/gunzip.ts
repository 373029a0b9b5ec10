/**
 * Gzip unpacked into one piece of memory, of which each turn of the event loop fills a part: to put
 * all parts together at the end would hold everybody else for as long as 16 MiB take.
 */
import { createGunzip } from 'node:zlib'

/** Bytes of a part. */
const PART_BYTES = 65_536

/** Content that is longer than the memory there is for it. */
export class TooLong extends Error {
  override readonly name = 'TooLong'
}

/**
 * Unpacks a whole body.
 * @param room bytes that the content may have; so much memory is taken at once
 * @returns rejects with {@link TooLong}, or zlib's error for what is no gzip
 */
export function gunzipWithin(body: Uint8Array, room: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const bytes = Buffer.allocUnsafeSlow(room)
  const unpacked = createGunzip({ chunkSize: PART_BYTES })
  let size = 0
  unpacked.on('data', (part: Uint8Array) => {
    if (size + part.length > room) {
      unpacked.destroy(new TooLong(`more than ${room} bytes`))
      return
    }
    bytes.set(part, size)
    size += part.length
  })
  unpacked.on('end', () => resolve(bytes.subarray(0, size)))
  unpacked.on('error', reject)
  unpacked.end(body)
  return promise
}
