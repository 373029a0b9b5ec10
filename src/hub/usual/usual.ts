/**
 * Which series are not as usual: for all viewers the hub compares the last ten seconds of each
 * series with its own last ten minutes. It does so for as long as viewers ask, and in turns with
 * its large answers; the past it takes from the live ring.
 */
import type { Histogram, Kind } from '../../model/index.ts'
import { BucketSums } from '../../model/packed/bucket-sums.ts'
import { middleOf } from '../../model/usual.ts'
import { nsOfMs } from '../../time/clock.ts'
import type { Frame } from '../live/frame.ts'
import { mergeColumns, type PlacedCell } from '../live/merge-frames.ts'
import type { Session } from '../live/sessions.ts'
import { isDecrements } from '../series/record.ts'
import type { RoundRobin } from '../tasks/round-robin.ts'
import { forEachItem, type Task } from '../tasks/task.ts'
import type { HubView } from '../view.ts'
import { COLUMN_MS, forgottenAfterMs, PAST_MS, type Row, Rows } from './rows.ts'

export type { Row }

/** Time without a question after which it stops, and forgets. */
const IDLE_MS = 60_000
/** Rows judged between two looks at the clock: each sorts a minute's values twice. */
const JUDGED_PER_STEP = 32

/** Seconds that end in the same column. */
interface Column {
  readonly number: number
  readonly frames: Frame[]
}

/** Findings at the end of a column. */
export interface Comparison {
  /** End of the newest column, Unix ms. */
  readonly endMs: number
  readonly rows: Pick<Rows, 'get' | 'size'> & Iterable<Row>
  readonly unusual: readonly Row[]
  /** Ids of all series that are stale, rising. */
  readonly stale: readonly number[]
}

export class Usual {
  readonly #view: HubView
  readonly #turns: RoundRobin
  #watch: Watch | undefined
  #askedNs = 0n

  constructor(view: HubView, turns: RoundRobin) {
    this.#view = view
    this.#turns = turns
  }

  /** Gives the newest comparison, and goes on comparing; undefined until there is one. */
  ask(): Comparison | undefined {
    this.#askedNs = this.#view.clock.monotonicNs()
    this.#watch ??= this.#start()
    return this.#watch?.newest
  }

  /** @returns undefined where the hub has no session left */
  #start(): Watch | undefined {
    const watch = new Watch(this.#view, this.#turns)
    let session: Session | undefined
    const clockSteps = this.#view.clockSteps
    const take = (frame: Frame): void => {
      const idleNs = this.#view.clock.monotonicNs() - this.#askedNs
      // A clock that was set makes other columns: the next question begins anew.
      const isOver = idleNs > nsOfMs(IDLE_MS) || clockSteps !== this.#view.clockSteps
      if (isOver) this.#end(watch, session)
      else watch.take(frame)
    }
    session = this.#view.sessions.open({ intervalS: 1, onFrame: take })
    if (session === undefined) return undefined
    const { live, clock } = this.#view
    const endMs = live.newest?.endMs ?? clock.wallMs()
    for (const frame of live.between(endMs - PAST_MS, endMs)) watch.take(frame)
    return watch
  }

  #end(watch: Watch, session: Session | undefined): void {
    session?.close()
    watch.stop()
    if (this.#watch === watch) this.#watch = undefined
  }
}

/** One run of comparisons. */
class Watch {
  newest: Comparison | undefined
  readonly #view: HubView
  readonly #turns: RoundRobin
  readonly #rows = new Rows()
  readonly #sums = new BucketSums()
  #waiting: Column[] = []
  /** Column that was made last. */
  #column = 0
  #isWorking = false
  #isStopped = false

  constructor(view: HubView, turns: RoundRobin) {
    this.#view = view
    this.#turns = turns
  }

  stop(): void {
    this.#isStopped = true
    this.#waiting = []
  }

  take(frame: Frame): void {
    const number = Math.ceil(frame.endMs / COLUMN_MS)
    if (this.#waiting.at(-1)?.number !== number) this.#waiting.push({ number, frames: [] })
    this.#waiting.at(-1)!.frames.push(frame)
    if (!this.#isWorking) void this.#work()
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    while (this.#hasColumn()) {
      await this.#turns.run(this.#compare(), () => !this.#isStopped)
    }
    this.#isWorking = false
  }

  /** Tells whether the column that has waited longest is whole. */
  #hasColumn(): boolean {
    const first = this.#waiting[0]
    if (first === undefined || this.#isStopped) return false
    return this.#waiting.length > 1 || first.frames.at(-1)!.endMs >= first.number * COLUMN_MS
  }

  *#compare(): Task {
    while (this.#hasColumn()) yield* this.#make(this.#waiting.shift()!)
    const column = this.#column
    const unusual: Row[] = []
    const judge = (row: Row): void => {
      row.judge(column)
      if (row.unusualS > 0) unusual.push(row)
    }
    yield* forEachItem(this.#rows, judge, JUDGED_PER_STEP)
    const stale = yield* this.#stale()
    this.newest = { endMs: column * COLUMN_MS, rows: this.#rows, unusual, stale }
  }

  *#stale(): Task<number[]> {
    const { series, clock, staleAfterMs } = this.#view
    const beforeMs = clock.wallMs() - staleAfterMs
    const stale: number[] = []
    yield* forEachItem({ [Symbol.iterator]: () => series[Symbol.iterator]() }, (record) => {
      if (record.lastDataMs < beforeMs && !isDecrements(record)) stale.push(record.id)
    })
    return stale
  }

  /** Makes a column of all series. */
  *#make({ number, frames }: Column): Task {
    for (let skipped = Math.max(this.#column + 1, number - PAST_MS / COLUMN_MS); ; skipped++) {
      if (skipped >= number || this.#column === 0) break
      yield* forEachItem(this.#rows, (row) => row.skip(skipped))
    }
    this.#column = number
    for (const frame of frames) {
      yield* this.#counters(frame)
      yield* this.#gauges(frame)
    }
    yield* mergeColumns(frames, 'histogram', (id, cells) => this.#takeHistogram(id, cells))
    yield* mergeColumns(frames, 'summary', (id, cells) => this.#takeSummary(id, cells))
    const seconds = frames.reduce((sum, frame) => sum + frame.seconds, 0)
    const endMs = frames.at(-1)!.endMs
    const { staleAfterMs } = this.#view
    yield* forEachItem([...this.#rows], (row) => {
      row.close(number, seconds, () => this.#isUnknown(row, endMs))
      if (endMs - row.lastDataMs > forgottenAfterMs(staleAfterMs)) this.#rows.delete(row)
    })
  }

  *#counters(frame: Frame): Task {
    const { endMs } = frame
    let at = 0
    yield* forEachItem(frame.counterIds, (id) => {
      this.#count(id, frame.deltaNumberAt(at++), endMs)
    })
  }

  /** Counts the growth of a counter; decrements, which have no row, are taken off theirs. */
  #count(id: number, value: number, endMs: number): void {
    const part = this.#rows.get(id) === undefined ? this.#view.series.get(id) : undefined
    if (part?.kind !== 'counter' || !part.isDecrements) {
      this.#rowOf(id, 'counter')?.take({ value, count: value, endMs })
    } else if (part.wholeId !== undefined) {
      this.#rowOf(part.wholeId, 'counter')?.take({ value: -value, count: -value, endMs })
    }
  }

  *#gauges(frame: Frame): Task {
    const { endMs, seconds } = frame
    let at = 0
    yield* forEachItem(frame.gaugeIds, (id) => {
      const last = frame.gaugeValues[at]!
      const spread = frame.spreadAt(at++)
      const value = spread === undefined ? last : middleOf(spread.min, spread.max)
      this.#rowOf(id, 'gauge')?.takeGauge({ value, last, endMs, seconds })
    })
  }

  #takeHistogram(id: number, cells: readonly PlacedCell[]): void {
    const row = this.#rowOf(id, 'histogram')
    if (row === undefined) return
    const sums = this.#sums
    sums.clear()
    const isSummed = cells.every(({ frame, at }) => frame.addHistogramTo(sums, at))
    const merged = isSummed ? sums : merge(cells)
    const count = Number(merged.count)
    const { endMs } = cells.at(-1)!.frame
    if (count > 0) row.take({ value: merged.quantile(0.99), count, endMs })
  }

  #takeSummary(id: number, cells: readonly PlacedCell[]): void {
    const row = this.#rowOf(id, 'summary')
    if (row === undefined) return
    let count = 0
    let sum = 0
    for (const { frame, at } of cells) {
      const summary = frame.summaryAt(at)
      count += summary.count
      sum += summary.count * summary.mean
    }
    if (count === 0) return
    row.take({ value: sum / count, count, endMs: cells.at(-1)!.frame.endMs })
  }

  #rowOf(id: number, kind: Kind): Row | undefined {
    const known = this.#rows.get(id)
    if (known !== undefined) return known
    const row = this.#rows.create(id, kind)
    if (row !== undefined && kind === 'counter') this.#fillPast(row)
    return row
  }

  /** Writes what is known of a counter that has not moved before: it stood still. */
  #fillPast(row: Row): void {
    const { series, live } = this.#view
    const firstMs = Math.max(series.get(row.id)?.firstSeenMs ?? Infinity, live.oldestMs ?? Infinity)
    const first = Math.max(
      Math.ceil(firstMs / COLUMN_MS) + 1,
      this.#column - PAST_MS / COLUMN_MS + 1,
    )
    for (let column = first; column < this.#column; column++) row.stoodStill(column)
  }

  /** Tells whether nothing is known of a column in which nothing came for a series. */
  #isUnknown({ id, lastDataMs }: Row, endMs: number): boolean {
    if (endMs - lastDataMs > this.#view.staleAfterMs) return true
    const source = this.#view.series.get(id)?.source
    return source === undefined || this.#view.wasAway(source, endMs - COLUMN_MS, endMs)
  }
}

/** Merges histograms with bounds of their own, which can't be summed. */
function merge(cells: readonly PlacedCell[]): Histogram {
  const [first, ...others] = cells.map(({ frame, at }) => frame.histogramAt(at))
  for (const other of others) first!.mergeFrom(other)
  return first!
}
