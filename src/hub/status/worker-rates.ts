/** How much each ingest thread took in the last second, from totals read once a second. */
import type { WorkerStatus } from './status.ts'

/** An ingest thread as its pool knows it. */
export type WorkerReading = Omit<WorkerStatus, 'ratePerSecond'>

export class WorkerRates {
  /** By thread. */
  #totals: readonly number[] = []
  #rates: readonly number[] = []

  /** Closes an interval of so many seconds. */
  close(workers: readonly WorkerReading[], seconds: number): void {
    const totals = workers.map(({ measurements }) => measurements)
    this.#rates = totals.map((total, thread) => (total - (this.#totals[thread] ?? 0)) / seconds)
    this.#totals = totals
  }

  describe(workers: readonly WorkerReading[]): WorkerStatus[] {
    return workers.map((worker, thread) => ({
      ...worker,
      ratePerSecond: this.#rates[thread] ?? 0,
    }))
  }
}
