/** Waiting without a limit: on a busy machine a question takes longer, but it never ends early. */
import { setTimeout as wait } from 'node:timers/promises'

const POLL_MS = 20
/** After so long, and again and again, it is told what is waited for. */
const TELL_MS = 30_000

/**
 * Waits until something is so.
 * @param isDone throws where it never will be
 * @param what what is waited for, for people
 */
export async function until(
  isDone: () => Promise<boolean> | boolean,
  what: string,
  pollMs = POLL_MS,
): Promise<void> {
  const begin = performance.now()
  let told = 0
  while (!(await isDone())) {
    await wait(pollMs)
    const periods = Math.floor((performance.now() - begin) / TELL_MS)
    if (periods === told) continue
    told = periods
    console.error(`still waiting after ${(periods * TELL_MS) / 1000} s: ${what}`)
  }
}
