/** A hub with filters under a clock in the test's hand; the filters' threads have real clocks. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startHub, type TestHub } from '../../../../test/support/hub/hub.ts'
import type { FilterStatus, FiltersAnswer } from '../http/api.ts'

export interface FilterHub extends TestHub {
  filter(name: string): FilterStatus
  /** Lets the clock bring about this many requests of every filter, and waits for them. */
  requests(count: number): Promise<void>
  /** Closes the running second of the hub, and waits for the requests that came meanwhile. */
  closeSecond(): Promise<void>
  stop(): Promise<void>
}

/** One request per step of the invented traffic (traffic.ts). */
const STEP_MS = 50
const PATIENCE_MS = 20_000
const POLL_MS = 5
const SECOND_MS = 1000
/** Without a further request for so long, none is under way: they take microseconds. */
const QUIET_MS = 100

/** @param filters entries of the config, without a rate: the test says how many requests come */
export async function startFilterHub(
  context: TestContext,
  filters: readonly Readonly<Record<string, unknown>>[],
  options: Readonly<Record<string, unknown>> = {},
  settings: Readonly<Record<string, unknown>> = {},
): Promise<FilterHub> {
  const requestsPerSecond = 1000 / STEP_MS
  const entries = filters.map((filter) => ({ requestsPerSecond, ...filter }))
  const started = await startHub({ ...options, proxywasm: { ...settings, filters: entries } })
  const { hub, clock } = started
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= hub.stop())
  // threads left behind by a failed test would keep its process
  context.after(stop)
  const statuses = (): readonly FilterStatus[] => {
    const answer: FiltersAnswer = hub.sources()
    return answer.filters ?? []
  }
  const running = (): FilterStatus[] => statuses().filter(({ state }) => state === 'running')
  return {
    ...started,
    stop,
    filter: (name) => statuses().find((each) => each.name === name)!,
    requests: async (count) => {
      for (let i = 0; i < count; i++) {
        const before = new Map(running().map(({ name, requests }) => [name, requests]))
        const isDone = (): boolean =>
          running().every(({ name, requests }) => requests > (before.get(name) ?? 0))
        // a step that finds the request before still under way sends none
        const isDoneByNow = (): boolean => {
          if (!isDone()) clock.advance(STEP_MS)
          return isDone()
        }
        await eventually(isDoneByNow, `request ${i} of every filter`)
        // its answer, behind which the next request may be sent
        await setTimeout(POLL_MS)
      }
    },
    closeSecond: async () => {
      clock.advance(SECOND_MS - (clock.wallMs() % SECOND_MS))
      for (let before = -1; hub.measurements('proxywasm') !== before; ) {
        before = hub.measurements('proxywasm')
        await setTimeout(QUIET_MS)
      }
    },
  }
}

/** Waits for what another thread brings about. */
export async function eventually(isTrue: () => boolean, what: string): Promise<void> {
  for (let waitedMs = 0; !isTrue(); waitedMs += POLL_MS) {
    if (waitedMs > PATIENCE_MS) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
    await setTimeout(POLL_MS)
  }
}

/** A file with these bytes, for as long as `use` takes. */
export async function withFile<T>(
  name: string,
  bytes: Uint8Array | string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-filter-'))
  const path = join(folder, name)
  writeFileSync(path, bytes)
  try {
    return await use(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
