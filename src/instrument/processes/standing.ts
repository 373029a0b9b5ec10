/** Two gauges by which a scrape says for how many processes it answers. */
import type { Reading } from '../readings/reading.ts'

interface Standing {
  /** `cluster`: all processes of it; `process`: the one that answers, alone. */
  readonly of: 'cluster' | 'process'
  readonly processes: number
  /** Those whose values are of up to a second before the scrape. */
  readonly silent: number
}

export function standing({ of, processes, silent }: Standing): Reading[] {
  const labels = [['of', of] as const]
  const gauge = (name: string, value: number, displayName: string): Reading => {
    const texts = { provider: 'metrics', name, displayName, units: '' }
    const description = { ...texts, rateScaleSec: 0, metaData: labels, hasTags: true }
    return { kind: 'gauge', description, labels, value }
  }
  return [
    gauge('processes', processes, 'Processes that this answer adds up'),
    gauge('processes-silent', silent, 'Processes that did not answer in time: last values of them'),
  ]
}
