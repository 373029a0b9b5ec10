/**
 * Ways to hold many labelled counters in one thread, ready to be incremented. Each makes its names
 * itself, one by one, so that what is kept of them is kept by the library.
 */
import { Counter, Registry } from '@prometheus-io/client'
import { identityKey, sortLabels } from '../../src/model/index.ts'
import { type CounterHandle, Zone } from '../../src/shm/index.ts'

export const COUNTER_COUNT = 100_000

/** What a holder keeps alive. */
export interface Held {
  readonly counters: readonly unknown[]
  /** Increments that the thread's library knows of: one each. */
  total(): Promise<number> | number
}

export const HOLDERS = {
  /** The same metrics in all threads: who comes second finds what the first has defined. */
  handles: (shared?: Zone['shared']) => holdHandles(labelledKey, shared!),
  /** The same as numbers, as the hub itself holds its series. */
  places: (shared?: Zone['shared']) => holdPlaces(labelledKey, shared!),
  plainHandles: (shared?: Zone['shared']) => holdHandles(plainKey, shared!),
  children: () => holdLabelSets((counter, labels) => counter.labels(labels)),
  labelSets: () => holdLabelSets((counter, labels) => counter.inc(labels, 0)),
}
export type Holder = keyof typeof HOLDERS

function holdHandles(keyOf: (i: number) => Uint8Array, shared: Zone['shared']): Held {
  const zone = Zone.open(shared)
  const writer = zone.attach()
  const counters: CounterHandle[] = []
  for (let i = 0; i < COUNTER_COUNT; i++) {
    const handle = writer.counter(zone.define(keyOf(i), 'counter'))!
    handle.add(1)
    counters.push(handle)
  }
  return {
    counters,
    total: () => counters.reduce((sum, handle) => sum + Number(handle.value()), 0),
  }
}

function holdPlaces(keyOf: (i: number) => Uint8Array, shared: Zone['shared']): Held {
  const zone = Zone.open(shared)
  const writer = zone.attach()
  const counters: number[] = []
  for (let i = 0; i < COUNTER_COUNT; i++) {
    const place = writer.counterPlace(zone.define(keyOf(i), 'counter'))
    writer.addSmall(place, 1)
    counters.push(place)
  }
  return {
    counters,
    total() {
      let sum = 0
      for (let i = 0; i < COUNTER_COUNT; i++) {
        sum += Number(writer.counter(zone.find(keyOf(i)))!.value())
      }
      return sum
    },
  }
}

/** 24 bytes, as the store's specification counts them. */
function plainKey(i: number): Uint8Array {
  return Buffer.from(`app.service.requests.${i.toString(36).padStart(3, '0')}`.padEnd(24, '_'))
}

function labelledKey(i: number): Uint8Array {
  const labels = sortLabels(Object.entries(labelsOf(i)))
  return identityKey({ kind: 'counter', name: 'requests', labels })
}

function labelsOf(i: number): Labels {
  return { route: `/route/${i >> 2}`, status: String(200 + (i & 3)) }
}

type Labels = { route: string; status: string }

function holdLabelSets(hold: (counter: Counter<keyof Labels>, labels: Labels) => unknown): Held {
  const counter = new Counter({
    name: 'requests',
    help: 'requests',
    labelNames: ['route', 'status'],
    registers: [new Registry()],
  })
  const counters: unknown[] = []
  for (let i = 0; i < COUNTER_COUNT; i++) {
    counter.inc(labelsOf(i))
    counters.push(hold(counter, labelsOf(i)))
  }
  return {
    counters,
    total: async () => (await counter.get()).values.reduce((sum, { value }) => sum + value, 0),
  }
}
