/**
 * How counters are named in the zone: the model's identity of a series, whose qualifier says what
 * the counter is and whose it is. So every thread that has the zone can tell what is in it.
 */
import type { CounterDescription } from '../../dialects/eventcounters/window.ts'
import {
  type Exemplar,
  type Identity,
  identityKey,
  identityOf,
  type Labels,
} from '../../model/index.ts'

/** Classes of what a metric of the zone holds; a histogram has a metric for its windows besides. */
const KEY_CLASSES = Object.freeze({
  EventCounter: 'summary',
  IncrementingEventCounter: 'counter',
  Counter: 'counter',
  FractionalCounter: 'counter',
  Gauge: 'gauge',
  Histogram: 'histogram',
  HistogramWindows: 'summary',
} as const)
export type KeyClass = keyof typeof KEY_CLASSES

export interface CounterKey {
  readonly of: KeyClass
  readonly provider: string
  readonly name: string
  /** Labels of the plain instruments; pairs of the others are no part of their identity. */
  readonly labels: Labels
}

export function encodeKey({ of, provider, name, labels }: CounterKey): Uint8Array {
  return identityKey({ name, kind: KEY_CLASSES[of], labels, qualifier: [of, provider] })
}

/** Decodes a key; undefined for that of something else. */
export function decodeKey(key: Uint8Array): CounterKey | undefined {
  const identity: Identity | undefined = identityOf(key)
  if (identity?.qualifier === undefined || identity.nameBytes !== undefined) return undefined
  const [of, provider] = identity.qualifier
  if (!Object.hasOwn(KEY_CLASSES, of)) return undefined
  if (KEY_CLASSES[of as KeyClass] !== identity.kind) return undefined
  return { of: of as KeyClass, provider, name: identity.name, labels: identity.labels }
}

/**
 * Message between threads about their counters beside the zone: how they describe themselves, that
 * they are closed, and exemplars. Totals never go this way.
 */
export type CounterMessage =
  | {
      readonly kind: 'described'
      /** False where a counter that was described already says something else of itself. */
      readonly isNew: boolean
      readonly threadId: number
      /** Key in the zone. */
      readonly key: Uint8Array
      readonly description: CounterDescription
    }
  | { readonly kind: 'closed'; readonly threadId: number; readonly key: Uint8Array }
  /** Exemplars of metrics of the zone, by their numbers. */
  | {
      readonly kind: 'exemplars'
      readonly of: readonly (readonly [metric: number, exemplars: readonly Exemplar[]])[]
    }
