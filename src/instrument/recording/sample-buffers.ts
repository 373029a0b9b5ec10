/**
 * Room for the samples of counters that are listened to. Many share one array: where thousands are
 * written at random, an array object of each counter's own would be one more cache miss per sample.
 */

/** Samples of one counter: half a kilobyte. */
export const BUFFER_LENGTH = 64
/** Buffers of one array, 32 KiB. */
const BUFFERS = 64

/** One counter's part of an array, `array[base]` to `array[base + BUFFER_LENGTH - 1]`. */
interface SampleBuffer {
  readonly array: Float64Array
  readonly base: number
}

/** Buffers to give out: those given back, and the rest of the last array. */
const free: SampleBuffer[] = []

export function takeBuffer(): SampleBuffer {
  const known = free.pop()
  if (known !== undefined) return known
  const array = new Float64Array(BUFFERS * BUFFER_LENGTH)
  for (let i = BUFFERS - 1; i > 0; i--) free.push({ array, base: i * BUFFER_LENGTH })
  return { array, base: 0 }
}

export function giveBack(buffer: SampleBuffer): void {
  free.push(buffer)
}

/** The buffer of a counter that nothing listens to. */
export const NO_BUFFER: SampleBuffer = { array: new Float64Array(0), base: 0 }
