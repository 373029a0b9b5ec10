/** What a soak does to the hub itself: threads are ended, filters too, and its clock is set. */
import { setTimeout } from 'node:timers/promises'
import type { SourcesAnswer } from '../../src/http/api.ts'
import { type Client, pause, type Surroundings } from './clients/client.ts'

const HOUR_MS = 3_600_000
/** Together they take the clock back to where it was, so that no run goes ever further. */
const STEPS_MS = [3000, HOUR_MS, -3000, -HOUR_MS]
/** Longer than the longest window of a page. */
const AROUND_MS = 4000
const NAMES_AROUND = ['soak.meter', 'soak.spread count']
const THREADS = 2
const QUIET_MS = 300
const DRAIN_TRIES = 200
const POLL_MS = 100

/** Ends one of the ingest threads, behind a closed gate, and waits until all run again. */
export const threadKiller: Client = async (surroundings, signal) => {
  const { target, ledger, gate, random } = surroundings
  for (;;) {
    await pause(6000 + random.below(8000), signal)
    if (signal.aborted) return
    await gate.closed(async () => {
      await drained(surroundings)
      target.hub.endThreads(`ingest ${random.below(THREADS)}`)
      ledger.add('thread ends', 1)
      await setTimeout(QUIET_MS)
      await running(surroundings)
    })
  }
}

/** Ends the thread of all filters at once; each is started again by its next request. */
export const filterKiller: Client = async ({ target, ledger, random }, signal) => {
  for (;;) {
    await pause(8000 + random.below(8000), signal)
    if (signal.aborted) return
    target.hub.endThreads('proxywasm')
    ledger.add('filter ends', 1)
  }
}

/**
 * Sets the clock, and notes what was sent around each step back: windows of several seconds that a
 * stream had begun then are of a time that comes again.
 */
export const clockSetter: Client = async ({ target, ledger, random }, signal) => {
  for (let step = 0; ; step++) {
    await pause(random.below(4000), signal)
    const before = NAMES_AROUND.map((name) => ledger.of(name))
    await pause(AROUND_MS, signal)
    if (signal.aborted) return
    const stepMs = STEPS_MS[step % STEPS_MS.length]!
    target.hub.stepClock(stepMs)
    ledger.add('clock steps', 1)
    await pause(AROUND_MS, signal)
    if (stepMs > 0) continue
    NAMES_AROUND.forEach((name, i) => {
      ledger.add(`${name} around steps back`, ledger.of(name) - before[i]!)
    })
  }
}

/** Waits until the hub has counted all that was sent through the gate. */
export async function drained({ target, ledger }: Surroundings): Promise<void> {
  await setTimeout(QUIET_MS)
  for (let left = DRAIN_TRIES; left > 0; left--) {
    const [meter, spread] = await Promise.all([
      target.named('soak.meter'),
      target.named('soak.spread'),
    ])
    const isAll =
      Number(meter?.current) === ledger.of('soak.meter') &&
      Number(spread?.current) === ledger.of('soak.spread count')
    if (isAll) return
    await setTimeout(POLL_MS)
  }
  ledger.faults.push(`${new Date().toISOString()} not all that was sent was counted in time`)
}

async function running({ target }: Surroundings): Promise<void> {
  for (let left = DRAIN_TRIES; left > 0; left--) {
    const { workers = [] } = await target.json<SourcesAnswer>('/api/v1/sources')
    if (workers.length > 0 && workers.every(({ state }) => state === 'running')) return
    await setTimeout(POLL_MS)
  }
}
