/**
 * What the host modes allow on counters and gauges (§4.1): the ABI's text with this project's
 * choices, nginx' host, and Envoy's. A histogram takes nothing but observations under any of them.
 */
import type { CounterMode } from '../../shm/index.ts'
import type { HostMode } from './host/abi.ts'

export interface Operations {
  /** Smallest delta of a counter: lower ones are refused. */
  readonly incrementMin: number
  /**
   * Mode of counters: `settable`, in which an increment past 2^64 - 1 is refused, or modulo 2^64.
   */
  readonly counterMode: Extract<CounterMode, 'settable' | 'wrapping'>
  /** Effect of recording a value to a counter. */
  readonly recordToCounter: 'sets_total' | 'refused' | 'adds'
  /** Gauges of filters take increments, for which all threads have to share one value. */
  readonly incrementsGauges: boolean
}

export const OPERATIONS: Readonly<Record<HostMode, Operations>> = Object.freeze({
  spec: {
    incrementMin: 0,
    counterMode: 'settable',
    recordToCounter: 'sets_total',
    incrementsGauges: true,
  },
  nginx: {
    incrementMin: -Infinity,
    counterMode: 'wrapping',
    recordToCounter: 'refused',
    incrementsGauges: false,
  },
  envoy: {
    incrementMin: 1,
    counterMode: 'wrapping',
    recordToCounter: 'adds',
    incrementsGauges: true,
  },
})
