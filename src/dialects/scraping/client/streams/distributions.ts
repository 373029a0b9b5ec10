/**
 * Series of distributions. A classic histogram is made of its buckets, which come as samples of
 * their own; a summary of its sum and count. All are since a start: what is new is their gain.
 */
import { emptyLike, takeGain } from '../../../../model/histogram/cumulative.ts'
import { type Exact, Histogram, subtractExact } from '../../../../model/index.ts'
import { BUCKETS_LIMIT } from '../../spec.ts'
import { type Code, type Scrape, Start, Stream } from './stream.ts'

abstract class Distribution extends Stream {
  readonly start = new Start()
  #reading: Histogram | undefined
  readonly #gain = new Histogram()

  /** Merges what a reading has more than the one before it. */
  protected merge(read: Histogram, scrape: Scrape): void {
    const earlier = this.#reading
    const isFall = earlier === undefined ? undefined : !takeGain(read, earlier, this.#gain)
    const order = this.start.orderOf(isFall, this.timeMs, scrape, this.ingest)
    const isWhole = order === 'whole' || order === 'reset'
    const histogram = order === 'first' ? emptyLike(read) : isWhole ? read : this.#gain
    this.#say(read)
    this.ingest.merge(this.slot(), { kind: 'histogram', histogram })
    this.#reading = read
  }

  /** Tells of the bounds, which exports and viewers show. */
  #say({ bounds, sum }: Histogram): void {
    const { bounds: known, lacksSum = false } = this.metadata
    const isSame =
      known?.length === bounds?.length && known?.every((each, i) => each === bounds![i])
    if ((isSame ?? bounds === undefined) && lacksSum === (sum === undefined)) return
    const { bounds: _, lacksSum: __, ...rest } = this.metadata
    this.describe({
      ...rest,
      ...(bounds === undefined ? {} : { bounds }),
      ...(sum === undefined ? { lacksSum: true } : {}),
    })
  }

  /** Keeps its total: it goes on where it was, should it come again. */
  end(): void {}
}

export class NativeStream extends Distribution {
  #staged = new Histogram()

  stage(histogram: Histogram): undefined {
    this.#staged = histogram
  }

  protected takeStaged(scrape: Scrape): undefined {
    this.merge(this.#staged, scrape)
  }
}

interface Bucket {
  readonly bound: number
  /** Observations up to the bound, and the scrape that they are of. */
  count: Exact
  stagedIn: number
}

export class ClassicStream extends Distribution {
  readonly #buckets: Bucket[] = []
  #sum: Exact | undefined
  #count: Exact | undefined
  #scrape = 0

  /** Gives the place of a bucket. */
  placeOf(bound: number): number | Code {
    if (Number.isNaN(bound)) return 'bad_buckets'
    const known = this.#buckets.findIndex((bucket) => bucket.bound === bound)
    if (known >= 0) return known
    if (this.#buckets.length > BUCKETS_LIMIT) return 'buckets_limit'
    return this.#buckets.push({ bound, count: 0, stagedIn: 0 }) - 1
  }

  stageBucket(place: number, count: Exact, scrape: number): Code | undefined {
    const bucket = this.#buckets[place]!
    if (bucket.stagedIn === scrape) return 'duplicate'
    const code = countProblem(count)
    if (code !== undefined) return code
    this.#begin(scrape)
    bucket.count = count
    bucket.stagedIn = scrape
    return undefined
  }

  stageSum(sum: Exact, scrape: number): undefined {
    this.#begin(scrape)
    this.#sum = Number.isFinite(Number(sum)) ? sum : undefined
  }

  stageCount(count: Exact, scrape: number): Code | undefined {
    const code = countProblem(count)
    if (code !== undefined) return code
    this.#begin(scrape)
    this.#count = count
    return undefined
  }

  #begin(scrape: number): void {
    if (this.#scrape === scrape) return
    this.#scrape = scrape
    this.#sum = undefined
    this.#count = undefined
  }

  protected takeStaged(scrape: Scrape): Code | undefined {
    const buckets = this.#staged()
    const last = buckets.at(-1)
    const hasInfinite = last?.bound === Number.POSITIVE_INFINITY
    const count = this.#count ?? (hasInfinite ? last.count : undefined)
    if (count === undefined) return 'bad_buckets'
    if (hasInfinite) buckets.pop()
    if (buckets.some(({ bound }) => bound === Number.NEGATIVE_INFINITY)) return 'bad_buckets'
    const histogram = new Histogram(0)
    histogram.bounds = buckets.map(({ bound }) => bound)
    let before: Exact = 0
    const counts = [...buckets.map((bucket) => bucket.count), count].map((each) => {
      const own = subtractExact(each, before)
      before = each
      return own
    })
    if (counts.some((own) => own < 0)) return 'bad_buckets'
    histogram.positive.counts = BigUint64Array.from(counts, (own) => BigInt(own))
    histogram.count = BigInt(count)
    histogram.sum = histogram.isEmpty && this.#sum !== undefined ? 0 : this.#sum
    this.merge(histogram, scrape)
    return undefined
  }

  /** Lists the buckets of this scrape in the order of their bounds; some may be gone. */
  #staged(): Bucket[] {
    return this.#buckets
      .filter(({ stagedIn }) => stagedIn === this.#scrape)
      .sort((a, b) => (a.bound < b.bound ? -1 : 1))
  }
}

export class SummaryStream extends Stream {
  readonly start = new Start()
  #sum: Exact | undefined
  #count: Exact | undefined
  #reading: { readonly count: Exact; readonly sum: Exact } | undefined
  #scrape = 0

  stageSum(sum: Exact, scrape: number): undefined {
    this.#begin(scrape)
    this.#sum = sum
  }

  stageCount(count: Exact, scrape: number): Code | undefined {
    const code = countProblem(count)
    if (code !== undefined) return code
    this.#begin(scrape)
    this.#count = count
    return undefined
  }

  #begin(scrape: number): void {
    if (this.#scrape === scrape) return
    this.#scrape = scrape
    this.#sum = undefined
    this.#count = undefined
  }

  /** Takes sum and count: what they gained is one of unknown range. */
  protected takeStaged(scrape: Scrape, timeMs: number): Code | undefined {
    const [count, sum] = [this.#count, this.#sum ?? 0]
    if (count === undefined) return 'bad_value'
    if (!Number.isFinite(Number(sum))) return 'bad_value'
    const before = this.#reading
    const isFall = before === undefined ? undefined : count < before.count
    const order = this.start.orderOf(isFall, this.timeMs, scrape, this.ingest)
    const isNext = order === 'next'
    const gained =
      order === 'first' ? 0 : Number(isNext ? subtractExact(count, before!.count) : count)
    const gainedSum = Number(isNext ? subtractExact(sum, before!.sum) : sum)
    const mean = gained === 0 ? 0 : gainedSum / gained
    const summary = { count: gained, mean, squares: 0, min: Number.NaN, max: Number.NaN }
    const seconds = this.secondsSince(timeMs)
    this.ingest.merge(this.slot(), { kind: 'summary', summary }, seconds)
    this.#reading = { count, sum }
    return undefined
  }

  /** Keeps its total: it goes on where it was, should it come again. */
  end(): void {}
}

function countProblem(count: Exact): Code | undefined {
  if (!(count >= 0) || count === Number.POSITIVE_INFINITY) return 'bad_value'
  return typeof count === 'bigint' || Number.isInteger(count) ? undefined : 'float_counts'
}
