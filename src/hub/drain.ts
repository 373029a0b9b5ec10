/**
 * At a stop: takes what has reached this machine already. The kernel may still be handing it on (a
 * window that opens again, a connection that waits to be accepted), so only a while without
 * anything is the end. A peer that goes on sending is cut off after a second.
 */
import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../time/clock.ts'

/**
 * Number of looks in a row without anything new that are the end, the time between two, and the
 * limits.
 */
const QUIET_LOOKS = 4
const LOOK_MS = 5
const LOOKS_LIMIT = 200
const DRAIN_NS = 1_000_000_000n

/** @param taken rises with everything that arrives */
export async function drain(clock: Clock, taken: () => number): Promise<void> {
  const endNs = clock.monotonicNs() + DRAIN_NS
  let seen = -1
  let quiet = 0
  for (let looks = 0; looks < LOOKS_LIMIT && quiet <= QUIET_LOOKS; looks++, quiet++) {
    if (clock.monotonicNs() >= endNs) return
    const now = taken()
    if (now !== seen) quiet = 0
    seen = now
    // a turn of the loop, whatever the hub's clock says: the sockets are read in it
    await setTimeout(LOOK_MS)
  }
}
