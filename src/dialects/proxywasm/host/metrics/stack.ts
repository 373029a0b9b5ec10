/**
 * Room on the stack. A filter may call the host from the last frame that its recursion leaves; an
 * overflow then would end the host's code anywhere, also while it holds the zone's lock, which is
 * everybody's. So whatever may take that lock first makes sure of its frames: the overflow happens
 * here, where nothing is held, and ends the filter alone.
 */

/** Far more frames than a definition or a reading is deep. */
const FRAMES = 256

export function reserveStack(frames = FRAMES): number {
  return frames === 0 ? 0 : 1 + reserveStack(frames - 1)
}
