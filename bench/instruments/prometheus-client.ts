/**
 * @prometheus-io/client, the usual choice (it was prom-client): counters by themselves and as label
 * sets, and a histogram.
 */
import { Counter, Histogram, Registry } from '@prometheus-io/client'
import { packageVersion } from '../measure/packages.ts'
import { type Instrument, inOrder, LABELS, VALUES } from './visits.ts'

const NAME = '@prometheus-io/client'
export const PROMETHEUS_CLIENT = `${NAME} ${packageVersion(NAME)}`

/** The bounds that our dense histogram has for the same values: 2^0 to 2^16. */
const BUCKETS = Array.from({ length: 17 }, (_, i) => 2 ** i)
const labelNames = ['route', 'status'] as const
const registers = [new Registry()]

/** What `labels()` gives is bound to its label set; there is no cheaper way to a labelled one. */
export function boundChildren(passes: number): Instrument {
  const counter = new Counter({ name: 'bound', help: 'bound', labelNames, registers })
  const children = LABELS.map((labels) => counter.labels(labels))
  const visited = inOrder(children)
  return {
    title: `${PROMETHEUS_CLIENT}, bound child`,
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.inc()
    },
    recorded: () => sum(counter),
  }
}

export function labelledIncrements(passes: number): Instrument {
  const counter = new Counter({ name: 'labelled', help: 'labelled', labelNames, registers })
  const labels = inOrder(LABELS)
  return {
    title: `${PROMETHEUS_CLIENT}, inc(labels)`,
    passes,
    pass() {
      for (let i = 0; i < labels.length; i++) counter.inc(labels[i]!)
    },
    recorded: () => sum(counter),
  }
}

export function unlabelled(passes: number): Instrument {
  const counters = LABELS.map((_, i) => new Counter({ name: `c${i}`, help: 'alone', registers }))
  const visited = inOrder(counters)
  return {
    title: `${PROMETHEUS_CLIENT}, counter without labels`,
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.inc()
    },
    recorded: async () => (await Promise.all(counters.map(sum))).reduce((a, b) => a + b),
  }
}

export function histograms(passes: number): Instrument {
  const options = { help: 'alone', buckets: BUCKETS, registers }
  const histograms = LABELS.map((_, i) => new Histogram({ name: `h${i}`, ...options }))
  const visited = inOrder(histograms)
  return {
    title: `${PROMETHEUS_CLIENT}, histogram, ${BUCKETS.length} buckets`,
    passes,
    pass() {
      for (let i = 0; i < visited.length; i++) visited[i]!.observe(VALUES[i]!)
    },
    recorded: async () => (await Promise.all(histograms.map(count))).reduce((a, b) => a + b),
  }
}

async function sum(counter: Counter<string>): Promise<number> {
  const { values } = await counter.get()
  return values.reduce((total, { value }) => total + value, 0)
}

async function count(histogram: Histogram): Promise<number> {
  const { values } = await histogram.get()
  return values.find(({ metricName }) => metricName?.endsWith('_count'))?.value ?? 0
}
