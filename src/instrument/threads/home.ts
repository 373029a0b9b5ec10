/**
 * Between a registry and its counters in shared memory: where these live (a home), and what a home
 * asks of the registry.
 */
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import type {
  SharedZone,
  SummaryHandle,
  Writer,
  Zone,
  ZoneOptions,
  ZoneReader,
} from '../../shm/index.ts'
import type { Clock } from '../../time/clock.ts'
import type { KeptExemplars } from '../recording/kept-exemplars.ts'
import type { Report } from '../reports.ts'
import type { Membership } from '../sessions/members.ts'
import type { Collection, ServedCounter } from '../sessions/served-counter.ts'

/** Registry as it is handed to other threads, by workerData or postMessage. */
export interface SharedRegistry {
  readonly zone: SharedZone
  /** Name of a BroadcastChannel. */
  readonly channel: string
}

/** Taker of samples: a handle of the zone, or a counter of this thread. */
export type SampleHandle = Pick<SummaryHandle, 'observe'>

export interface CounterHome {
  readonly zone: Zone
  /** Writer of this thread. */
  readonly writer: Writer
  readonly reader: ZoneReader
  /**
   * Gives the handle for this thread's samples of a summary that was presented; undefined where
   * the zone has no room for them.
   */
  samples(metric: number): SampleHandle | undefined
  /** Has a counter served under its description; again when that has changed. */
  present(key: Uint8Array, description: CounterDescription): Membership
}

/** A counter that was added, removed, or describes itself anew. */
export interface CounterChange {
  readonly kind: 'added' | 'changed' | 'removed'
  readonly counter: ServedCounter
}

export interface ListeningWatcher {
  /**
   * Called when the windows of a session are about to begin, outside of a collection. Must not
   * throw.
   */
  begin(): void
  /** Called when no session is open any more. Must not throw. */
  end(): void
}

/** Gives the place of a counter that stood in for the one that is added; undefined = none did. */
export type Adopt = (counter: ServedCounter) => Membership | undefined

export interface HomeRegistry {
  readonly zoneOptions: ZoneOptions
  readonly report: Report
  readonly exemplars: KeptExemplars
  readonly clock: Clock
  /** Puts a counter into the sessions, under the source of that name, which is made if need be. */
  addStandIn(provider: string, counter: ServedCounter): Membership
  findCounter(provider: string, name: string): ServedCounter | undefined
  onCollection(callback: (collection: Collection) => void): () => void
  onCounter(callback: (change: CounterChange) => void): () => void
  connect(watcher: ListeningWatcher, adopt: Adopt): void
}
