/** Reads of attached peers under budgets that a test has in its hand. */
import type { Readable } from 'node:stream'
import type { PartedReading, SharedReads } from '../../src/dialects/endpoints.ts'

/** No budget: everything is read when it comes. */
export const READS_AT_ONCE: SharedReads = {
  isSpent: false,
  share: (_stream, _peer, takeOver) => void takeOver(),
}

/** A budget for one part each time: of what has come, and of what waits. */
export class SteppedReads implements SharedReads {
  readonly isSpent = true
  readonly #readings: { readonly stream: Readable; readonly reading: PartedReading }[] = []

  share(stream: Readable, _peer: string, takeOver: () => PartedReading): void {
    const reading = takeOver()
    this.#readings.push({ stream, reading })
    stream.on('data', () => {
      if (reading.hasRest) stream.pause()
    })
  }

  get hasRest(): boolean {
    return this.#readings.some(({ reading }) => reading.hasRest)
  }

  /** Does one part of what waits. */
  step(): void {
    for (const { stream, reading } of this.#readings) {
      if (!reading.hasRest) continue
      reading.goOn()
      if (!reading.hasRest) stream.resume()
    }
  }
}
