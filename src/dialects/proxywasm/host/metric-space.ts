/**
 * Where the metrics of filters live: the one thing a host asks of its surroundings, so that the
 * same host writes into the document's store as well as into a hub's zone.
 */
import type { Writer, Zone } from '../../../shm/index.ts'
import type { FilterMetricType } from '../spec.ts'
import type { HostMode } from './abi.ts'

/**
 * Space of a host's metrics, for one thread. What its metrics are in the zone is fixed by the host
 * mode, since the ABI's operations depend on it: a counter is a counter of mode `wrapping`; a gauge
 * is of mode `shared`, under `nginx` of mode `last`; a histogram is `dense` (or `expanding`).
 * Metrics of other modes are not reachable for a filter, whatever id it invents: they are the
 * zone's other users'.
 */
export interface MetricSpace {
  readonly zone: Zone
  /** Writer of this thread, attached; the space's owner detaches it. */
  readonly writer: Writer
  readonly host: HostMode

  /**
   * Defines the metric of a filter's name, if it is new. Under `envoy` a name may exist once per
   * type; under the others a name with another type is the refusal `type_mismatch`.
   * @param name as the filter gave it: any bytes, owned by the caller, to be copied
   * @returns its number in the zone, or a negative answer that `refusalOf` names
   */
  define(filter: string, name: Uint8Array, type: FilterMetricType): number

  /**
   * Finds the metric that a name has, or -1; the caller looks at its type. Under `envoy` that of
   * the type. Takes no lock.
   */
  find(filter: string, name: Uint8Array, type?: FilterMetricType): number

  /**
   * Gives the bytes whose CRC-32 is the metric's id under `nginx`: the prefixed name. Undefined for
   * a metric that is no filter's. Equal in all threads.
   */
  prefixedName(metric: number): Uint8Array | undefined
}

/** Source of a thread's space: a module to import there, and what to give it. */
export interface MetricSpaceSource {
  /** Address (file URL) of a module that exports {@link OpenMetricSpace} as `openMetricSpace`. */
  readonly module: string
  /** Data for structured clone: a zone's `shared`, names, ports. */
  readonly data: unknown
  readonly transfer?: readonly (MessagePort | ArrayBuffer)[]
}

export type OpenMetricSpace = (data: unknown) => MetricSpace | Promise<MetricSpace>
type MessagePort = import('node:worker_threads').MessagePort
