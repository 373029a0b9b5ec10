/** A registry on a clock that a test moves, and what its sessions get. */

import type {
  CounterSession,
  SessionRequest,
} from '../../src/dialects/eventcounters/server/counter-source.ts'
import type { CounterWindow } from '../../src/dialects/eventcounters/window.ts'
import {
  CounterRegistry,
  EventSource,
  type RegistryOptions,
} from '../../src/instrument/registry.ts'
import { FakeClock } from './fake-clock.ts'

export interface Payload {
  /** Seconds since the clock's start. */
  readonly at: number
  readonly name: string
  /** Nominal, seconds. */
  readonly series: number
  /** Measured. */
  readonly sec: number
  readonly increment?: number
  readonly count?: number
  readonly mean?: number
}

export interface Followed {
  /** Undefined where the limit of sessions is reached. */
  readonly session: CounterSession | undefined
  readonly payloads: Payload[]
  /** Moments of its boundaries, seconds, also of those without payloads. */
  readonly boundaries: number[]
  readonly windows: CounterWindow[]
}

export class TestRegistry {
  readonly clock: FakeClock
  readonly registry: CounterRegistry
  readonly source: EventSource
  readonly logged: string[] = []

  constructor(options: Omit<RegistryOptions, 'clock' | 'log'> = {}, clock = new FakeClock()) {
    this.clock = clock
    const log = (message: string) => this.logged.push(message)
    this.registry = new CounterRegistry({ ...options, clock, log })
    this.source = new EventSource('Source', { registry: this.registry })
  }

  /** Opens a session that keeps what it gets. */
  follow(intervalSec: number, request: Partial<SessionRequest> = {}): Followed {
    const payloads: Payload[] = []
    const boundaries: number[] = []
    const windows: CounterWindow[] = []
    const intervalMs = intervalSec * 1000
    const session = this.registry.open({ intervalMs, deliver: 'own', ...request }, (boundary) => {
      const at = (boundary.timeMs - this.clock.startMs) / 1000
      boundaries.push(at)
      windows.push(...boundary.windows)
      payloads.push(...boundary.windows.map((window) => briefly(window, at)))
    })
    return { session, payloads, boundaries, windows }
  }

  /** Lets seconds pass. */
  pass(seconds: number): void {
    this.clock.advance(seconds * 1000)
  }
}

function briefly({ counter, seriesMs, intervalSec, statistics }: CounterWindow, at: number) {
  const head = { at, name: counter.name, series: seriesMs / 1000, sec: intervalSec }
  if (statistics.kind === 'sum') return { ...head, increment: statistics.increment }
  return { ...head, count: statistics.count, mean: statistics.mean }
}
