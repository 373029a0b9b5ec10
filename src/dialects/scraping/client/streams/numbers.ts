/** Series of single numbers: gauges as they are, counters by what they gain. */
import { type Exact, subtractExact } from '../../../../model/index.ts'
import { type Code, type Scrape, Start, Stream } from './stream.ts'

export class GaugeStream extends Stream {
  #staged: Exact = 0
  #isKnown = false

  stage(value: Exact): undefined {
    this.#staged = value
  }

  protected takeStaged(): undefined {
    const value = this.#staged
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.ingest.note('not_finite')
      this.end()
      return
    }
    this.ingest.set(this.slot(), value)
    this.#isKnown = true
  }

  end(): void {
    if (this.#isKnown && this.hasSlot) this.ingest.end(this.slot())
    this.#isKnown = false
  }
}

export class CounterStream extends Stream {
  readonly start = new Start()
  #staged: Exact = 0
  #reading: Exact | undefined
  readonly #cell = { kind: 'counter' as const, delta: 0 as Exact }

  stage(value: Exact): Code | undefined {
    if (!(value >= 0) || value === Number.POSITIVE_INFINITY) return 'bad_value'
    this.#staged = value
    return undefined
  }

  protected takeStaged(scrape: Scrape, timeMs: number): undefined {
    const [value, before] = [this.#staged, this.#reading]
    const isFall = before === undefined ? undefined : value < before
    const order = this.start.orderOf(isFall, this.timeMs, scrape, this.ingest)
    const cell = this.#cell
    cell.delta = order === 'first' ? 0 : value
    if (order === 'next') cell.delta = subtractExact(value, before!)
    const fromMs = order === 'whole' ? this.start.ms : this.timeMs
    this.ingest.merge(this.slot(), cell, this.secondsSince(timeMs, fromMs))
    this.#reading = value
  }

  /** Keeps its total: it goes on where it was, should it come again. */
  end(): void {}
}
