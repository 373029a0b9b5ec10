/** Unpacking of gzip bodies (§3.4) with the platform's zlib. */
import { gunzipSync } from 'node:zlib'
import type { Inflate } from '../codec.ts'

interface Gunzipped {
  readonly buffer: Uint8Array
  /** Its `bytesWritten` says how much of the input was taken. */
  readonly engine: { readonly bytesWritten: number }
}

/**
 * Unpacks one or more members. zlib stops silently at a zero byte behind a member, so what it took
 * is compared with what there was. At most `bytesMax` of output are ever made.
 */
export const inflateGzip: Inflate = (body, bytesMax) => {
  try {
    // 0 would mean "no limit" to zlib
    const options = { info: true, maxOutputLength: Math.max(bytesMax, 1) }
    const { buffer, engine } = gunzipSync(body, options) as unknown as Gunzipped
    return engine.bytesWritten === body.length ? buffer : 'corrupt'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? 'too_large'
      : 'corrupt'
  }
}
