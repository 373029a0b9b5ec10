/**
 * What threads tell each other of their counters beside the zone: how they describe themselves, and
 * that they are disposed of. Numbers never go this way.
 */
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'

export type CounterMessage =
  | {
      readonly kind: 'described'
      /** False where a counter that was described already says something else of itself. */
      readonly isNew: boolean
      readonly threadId: number
      /** Of the zone. */
      readonly key: Uint8Array
      readonly description: CounterDescription
    }
  | { readonly kind: 'disposed'; readonly threadId: number; readonly key: Uint8Array }
