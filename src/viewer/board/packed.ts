/** Samples as they travel, packed (api.ts SampleGroup), and as arrays of numbers. */
import type { SampleGroup } from '../../http/api.ts'

const BYTES_PER_NUMBER = 8
/** The byte order of the wire is that of every machine there is a browser for, but say so. */
const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

export interface Samples {
  /** Unix ms, rising. */
  readonly timesMs: Float64Array
  /** `values[column * timesMs.length + row]`; NaN = none. */
  readonly values: Float64Array
}

/** Reads one group; what is no whole number of doubles is left out. */
export function unpack(group: SampleGroup): Samples {
  const timesMs = numbersOf(group.times)
  const values = numbersOf(group.values)
  const isWhole = values.length === timesMs.length * group.ids.length
  return isWhole ? { timesMs, values } : { timesMs: new Float64Array(0), values }
}

function numbersOf(base64: string): Float64Array {
  const text = atob(base64)
  const length = Math.floor(text.length / BYTES_PER_NUMBER)
  const bytes = new Uint8Array(length * BYTES_PER_NUMBER)
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i)
  if (!IS_LITTLE_ENDIAN) for (let i = 0; i < length; i++) bytes.subarray(8 * i, 8 * i + 8).reverse()
  return new Float64Array(bytes.buffer)
}
