/** Sharing a registry between threads: one serves the sessions, the others report to it. */
import type { SharedZone } from '../../shm/index.ts'
import type { CounterRegistry } from '../registry.ts'
import { Collector } from './collector.ts'
import type { CounterHome } from './home.ts'
import { Reporter } from './reporter.ts'

/** What is handed to other threads, by workerData or postMessage. */
export interface SharedRegistry {
  readonly zone: SharedZone
  /** Name of a BroadcastChannel. */
  readonly channel: string
}

const homes = new WeakMap<CounterRegistry, Collector | Reporter>()

/** The home of a registry's counters in the zone, which is made on first use. */
export function homeOf(registry: CounterRegistry): CounterHome {
  return homes.get(registry) ?? collectorOf(registry)
}

/** @throws {TypeError} when the registry reports to another thread */
export function shareRegistry(registry: CounterRegistry): SharedRegistry {
  return collectorOf(registry).share()
}

/** @throws {ZoneFullError} when too many threads have joined */
export function joinRegistry(registry: CounterRegistry, shared: SharedRegistry): void {
  homes.set(registry, new Reporter(registry, shared))
}

function collectorOf(registry: CounterRegistry): Collector {
  const home = homes.get(registry) ?? new Collector(registry)
  if (home instanceof Reporter) {
    throw new TypeError('a registry that another thread serves is shared by that thread')
  }
  homes.set(registry, home)
  return home
}
