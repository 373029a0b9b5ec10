/** Handles on a zone: what a thread of ours holds for each metric that it records. */
import { identityKey, type Kind, sortLabels } from '../../src/model/index.ts'
import { Zone } from '../../src/shm/index.ts'
import { type Instrument, inOrder, LABELS, VALUES } from './visits.ts'

export const OURS = 'pentameter'

const zone = Zone.create()
const writer = zone.attach()
const reader = zone.reader()

export function counters(passes: number): Instrument {
  const metrics = LABELS.map((_, i) => zone.define(keyOf('counter', 'requests', i), 'counter'))
  const handles = metrics.map((metric) => writer.counter(metric)!)
  const visited = inOrder(handles)
  return {
    title: `${OURS}, labelled counter`,
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.add(1)
    },
    recorded: () => sum(metrics, (metric) => reader.counter(metric)),
  }
}

export function dense(passes: number): Instrument {
  const metrics = LABELS.map((_, i) => zone.define(keyOf('histogram', 'size', i), 'dense'))
  const handles = metrics.map((metric) => writer.dense(metric)!)
  const visited = inOrder(handles)
  return {
    title: `${OURS}, dense histogram`,
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.observe(VALUES[i]!)
    },
    recorded: () => sum(metrics, (metric) => sumOf(reader.dense(metric).bins)),
  }
}

export function exponential(passes: number): Instrument {
  const metrics = LABELS.map((_, i) => zone.define(keyOf('histogram', 'ns', i), 'exponential'))
  const handles = metrics.map((metric) => writer.exponential(metric)!)
  const visited = inOrder(handles)
  return {
    title: `${OURS}, exponential histogram`,
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.observe(VALUES[i]!)
    },
    recorded: () => sum(metrics, (metric) => reader.exponential(metric).count),
  }
}

function keyOf(kind: Kind, name: string, i: number): Uint8Array {
  return identityKey({ kind, name, labels: sortLabels(Object.entries(LABELS[i]!)) })
}

function sum(metrics: readonly number[], countOf: (metric: number) => bigint): number {
  return Number(metrics.reduce((total, metric) => total + countOf(metric), 0n))
}

function sumOf(bins: BigUint64Array): bigint {
  return bins.reduce((total, count) => total + count, 0n)
}
