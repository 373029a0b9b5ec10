/** Samples of what the hub's process holds, taken from outside and told by itself. */
import { readdirSync, readFileSync } from 'node:fs'
import type { SourcesAnswer } from '../../src/http/api.ts'
import { pause } from './clients/client.ts'
import type { Row } from './comparison.ts'
import { flat } from './flatness.ts'
import type { Target } from './target.ts'

const SAMPLE_MS = 2000
const MEBIBYTE = 1_048_576

interface Sample {
  readonly rssMb: number
  readonly heapMb: number
  readonly descriptors: number
  readonly zoneKb: number
  readonly series: number
}

export class Sampler {
  readonly #target: Target
  readonly #samples: Sample[] = []

  constructor(target: Target) {
    this.#target = target
  }

  get last(): Sample | undefined {
    return this.#samples.at(-1)
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#samples.push(await this.#take())
      await pause(SAMPLE_MS, signal)
    }
  }

  async #take(): Promise<Sample> {
    const { pid } = this.#target.hub
    const heapMb = (await this.#target.hub.heapBytes()) / MEBIBYTE
    const sources = await this.#target.json<SourcesAnswer>('/api/v1/sources')
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return {
      heapMb,
      rssMb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
      descriptors: descriptorsOf(pid),
      zoneKb: (sources.zone?.bytesTotal ?? 0) / 1024,
      series: sources.limits.find(({ name }) => name === 'seriesLimit')?.used ?? 0,
    }
  }

  rows(): Row[] {
    const of = (key: keyof Sample) => this.#samples.map((sample) => sample[key])
    return [
      flat('resident memory, MB', of('rssMb'), { share: 0.1, amount: 10 }),
      flat('heap in use, MB', of('heapMb'), { share: 0.1, amount: 3 }),
      flat('file descriptors', of('descriptors'), { share: 0, amount: 5 }),
      flat('zone, kB', of('zoneKb'), { share: 0.05, amount: 256 }),
      flat('series', of('series'), { share: 0.1, amount: 10 }),
    ]
  }
}

export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
