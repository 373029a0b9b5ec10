/** Where the counters of a registry live that are in the zone: what an instrument asks of it. */
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import type { Writer, Zone, ZoneReader } from '../../shm/index.ts'
import type { Membership } from '../sessions/members.ts'

/** Takes finite numbers. */
export interface SampleCell {
  /** @returns false where the sample could not be taken */
  observe(value: number): boolean
}

export interface CounterHome {
  readonly zone: Zone
  /** Of this thread. */
  readonly writer: Writer
  readonly reader: ZoneReader
  /**
   * Where this thread's samples of a summary go that was presented; undefined where the zone has
   * no room for them.
   */
  samples(metric: number): SampleCell | undefined
  /** Has a counter served under its description; again when that has changed. */
  present(key: Uint8Array, description: CounterDescription): Membership
}
