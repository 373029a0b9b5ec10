/** Decode and merge, and nothing else: the series of every frame by its names, its bins added. */
import type { FrameVisitor } from '../../src/dialects/wallaroo/codec/frame-visitor.ts'
import type { MetricsFrame } from '../../src/dialects/wallaroo/codec/metrics-frame.ts'
import { LatencyTotals } from '../../src/dialects/wallaroo/rollup/latency-totals.ts'
import { SeriesIndex } from '../../src/dialects/wallaroo/rollup/series-index.ts'

export class FrameMerger implements FrameVisitor {
  readonly #index = new SeriesIndex<LatencyTotals>()

  metrics(frame: MetricsFrame): void {
    let totals = this.#index.find(frame)
    if (totals === undefined) {
      totals = new LatencyTotals()
      this.#index.add(frame, totals)
    }
    totals.add(frame)
  }

  messages(): bigint {
    return this.#index.values().reduce((sum, { counts }) => sum + counts.total(), 0n)
  }

  connect(): void {}

  join(): void {}

  note(): void {}

  reject(code: string): never {
    throw new Error(`frame rejected: ${code}`)
  }
}
