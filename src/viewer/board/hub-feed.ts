/**
 * Feeds a board from a hub: what it has kept first, then every sample as the stream brings it.
 * After the connection was lost, what was missed is read back before anything newer is shown; each
 * sample comes once, and those of a line in the order of time.
 */
import type { CellsEvent, SamplesEvent } from '../../http/api.ts'
import type { Board, SampleGroup } from '../../model/board/board.ts'
import type { CellJson } from '../store/series-data.ts'
import type { Store, StreamTap } from '../store/store.ts'
import { type BoardSeries, measure } from './measures.ts'
import { unpack } from './packed.ts'
import { readPast } from './past.ts'

/** Past that is read at the beginning, ms: all that a board can show. */
export const PAST_MS = 600_000
/** Values that wait for the past; beyond, it is given up. */
const HELD_LIMIT = 2_000_000
const SECOND_MS = 1000

interface Followed {
  readonly series: BoardSeries
  /** Time of the newest sample that the board has, Unix ms; -Infinity for one without a past. */
  lastMs: number
  /** The past is to be read before what is new. */
  isDue: boolean
}

/** Parts of the store that a feed needs. */
interface FeedStore extends Pick<Store, 'tap' | 'carries' | 'isAway' | 'isStale'> {
  readonly api: Pick<Store['api'], 'get' | 'range'>
  readonly clock: Pick<Store['clock'], 'nowMs'>
  readonly screen: Pick<Store['screen'], 'carry' | 'areIdsUnsure'>
}

interface FeedOptions {
  readonly store: FeedStore
  readonly board: Pick<Board, 'describe' | 'feed' | 'fill' | 'break' | 'remove'>
  /** Seconds that the board shows at least: more is read where the hub gives it. */
  readonly windowS: () => number
  /** Called when the board has got something. */
  readonly onFed: () => void
}

type Names = readonly (string | undefined)[]

export class HubFeed implements StreamTap {
  readonly #options: FeedOptions
  readonly #end: () => void
  /** Lines by name. */
  #followed = new Map<string, Followed>()
  /** Lines of each series of the hub. */
  #byId = new Map<number, readonly Followed[]>()
  /** Names of the columns of groups, by their ids: the same array while nothing changes. */
  readonly #columns = new Map<string, readonly (Followed | undefined)[]>()
  #names = new WeakMap<readonly (Followed | undefined)[], Names>()
  /** Lines that have a value a second. */
  #slow: readonly Followed[] = []
  #slowNames: readonly string[] = []
  #intervalS = 1
  #reading: AbortController | undefined
  /** The stream is to tell at another interval: what is between the two is told by neither. */
  #isChangingPace = false
  #held: SampleGroup[] = []
  #heldValues = 0

  constructor(options: FeedOptions) {
    this.#options = options
    this.#end = options.store.tap(this)
  }

  /** Tells whether the past is being read: what is new waits for it. */
  get isReading(): boolean {
    return this.#reading !== undefined
  }

  /**
   * Follows these lines from now on; the past of those that are new is read.
   * @param intervalS seconds between two looks at gauges that their sources do not sample, and
   *   between two events with what came
   */
  follow(series: readonly BoardSeries[], intervalS: number): void {
    const { board } = this.#options
    const followed = new Map<string, Followed>()
    for (const each of series) {
      const known = this.#followed.get(each.name)
      const isSame = known !== undefined && isSameMeasure(known.series, each)
      const { lastMs, isDue } = isSame ? known : { lastMs: Number.NEGATIVE_INFINITY, isDue: true }
      followed.set(each.name, { series: each, lastMs, isDue })
      board.describe(each.name, each.about)
    }
    for (const name of this.#followed.keys()) if (!followed.has(name)) board.remove(name)
    this.#followed = followed
    this.#byId = Map.groupBy(followed.values(), ({ series: { id } }) => id)
    this.#columns.clear()
    this.#slow = [...followed.values()].filter(({ series: { kind } }) => kind !== 'gauge')
    this.#slowNames = this.#slow.map(({ series: { name } }) => name)
    this.#carry(intervalS)
    this.#readDue()
  }

  /** Changes how often the stream tells. */
  set intervalS(intervalS: number) {
    if (intervalS !== this.#intervalS) this.#carry(intervalS)
  }

  #carry(intervalS: number): void {
    if (intervalS !== this.#intervalS) this.#isChangingPace = true
    this.#intervalS = intervalS
    this.#options.store.screen.carry([...this.#byId.keys()], intervalS)
  }

  close(): void {
    this.#end()
    this.#reading?.abort()
    this.#followed.clear()
    this.#options.store.screen.carry([], 1)
  }

  hello(): void {
    this.#beginAnew()
  }

  carried(): void {
    if (this.#isChangingPace) this.#beginAnew()
    else this.#readDue()
    this.#feed()
  }

  /** Has all read back that came since the newest samples. */
  #beginAnew(): void {
    this.#isChangingPace = false
    for (const each of this.#followed.values()) each.isDue = true
    this.#readDue()
  }

  samples({ groups }: SamplesEvent): void {
    for (const group of groups) {
      const columns = this.#columnsOf(group.ids)
      const samples = unpack(group)
      if (columns.every((each) => each === undefined)) continue
      this.#take({ ...samples, names: this.#namesOf(columns) })
    }
    this.#feed()
  }

  cells(event: CellsEvent, isWhole: (id: number) => boolean): void {
    for (const [id, value] of event.gauges) {
      if (value !== null) continue
      for (const { series } of this.#byId.get(id) ?? []) this.#options.board.break(series.name)
    }
    if (this.#slow.length > 0) this.#takeSeconds(event, isWhole)
    this.#feed()
  }

  #takeSeconds(event: CellsEvent, isWhole: (id: number) => boolean): void {
    const { endMs, intervalMs } = event
    const cells = new Map<number, CellJson | null>()
    for (const list of [event.counters, event.histograms, event.summaries]) {
      for (const [id, cell] of list) cells.set(id, cell)
    }
    const values = new Float64Array(this.#slow.length)
    const names = this.#slow.map((each, i) => {
      const { series, lastMs } = each
      if (!isWhole(series.id)) return undefined
      // seconds before the stream carried it were told to others
      if (!each.isDue && lastMs < endMs - 1.5 * SECOND_MS) each.isDue = this.isReading === false
      values[i] = this.#valueOf(series, cells.get(series.id), intervalMs / SECOND_MS)
      return series.name
    })
    const isAll = names.every((name) => name !== undefined)
    this.#readDue()
    this.#take({ timesMs: [endMs], names: isAll ? this.#slowNames : names, values })
  }

  /** Reads a cell; without one a counter stood still, if its source is there. */
  #valueOf(series: BoardSeries, cell: CellJson | null | undefined, seconds: number): number {
    if (cell !== undefined) return measure(series, cell, seconds)
    const { store } = this.#options
    const isSilent = store.isAway(series.id) || store.isStale(series.id)
    return series.kind === 'counter' && !isSilent ? 0 : Number.NaN
  }

  #columnsOf(ids: readonly number[]): readonly (Followed | undefined)[] {
    const key = ids.join()
    let columns = this.#columns.get(key)
    if (columns === undefined) {
      columns = ids.map((id) => this.#byId.get(id)?.[0])
      // sources come and go: what they were together is not kept for ever
      if (this.#columns.size > this.#followed.size) this.#columns.clear()
      this.#columns.set(key, columns)
    }
    return columns
  }

  #namesOf(columns: readonly (Followed | undefined)[]): Names {
    let names = this.#names.get(columns)
    if (names === undefined) {
      names = columns.map((each) => each?.series.name)
      this.#names.set(columns, names)
    }
    return names
  }

  #take(group: SampleGroup): void {
    if (group.timesMs.length === 0) return
    this.#held.push(group)
    this.#heldValues += group.values.length
    if (this.#heldValues <= HELD_LIMIT) return
    for (const each of this.#followed.values()) each.isDue = false
    this.#isChangingPace = false
    this.#reading?.abort()
  }

  /** Hands on what has come, unless the past is still to come before it. */
  #feed(): void {
    const isWaiting = ({ names }: SampleGroup): boolean =>
      names.some((name) => name !== undefined && this.#followed.get(name)?.isDue)
    if (this.#reading !== undefined || this.#isChangingPace) return
    if (this.#held.length === 0 || this.#held.some(isWaiting)) return
    const groups = this.#held.flatMap((group) => this.#news(group))
    this.#held = []
    this.#heldValues = 0
    if (groups.length === 0) return
    this.#options.board.feed(groups)
    this.#options.onFed()
  }

  /**
   * Leaves out what the board has already: columns that are known up to different times are parted.
   */
  #news(group: SampleGroup): SampleGroup[] {
    const { names, timesMs, values } = group
    const columns = names.map((name) => (name === undefined ? undefined : this.#followed.get(name)))
    const endMs = timesMs[timesMs.length - 1]!
    const known = new Set<number>()
    for (const each of columns) if (each !== undefined) known.add(each.lastMs)
    const parts = [...known].flatMap((lastMs) => {
      const first = firstAfter(timesMs, lastMs)
      if (first === timesMs.length) return []
      if (first === 0 && known.size === 1 && !columns.includes(undefined)) return [group]
      const isOf = (column: number): boolean => columns[column]?.lastMs === lastMs
      return [rowsFrom({ names, timesMs, values }, first, isOf)]
    })
    for (const each of columns) if (each !== undefined) each.lastMs = Math.max(each.lastMs, endMs)
    return parts
  }

  /** Reads the past of lines that lack it, once the stream carries them all. */
  #readDue(): void {
    const { store } = this.#options
    if (this.#reading !== undefined || this.#isChangingPace) return
    if (store.screen.areIdsUnsure) return
    const due = [...this.#followed.values()].filter(({ isDue }) => isDue)
    if (due.length === 0 || !due.every(({ series: { id } }) => id < 0 || store.carries(id))) return
    const reading = new AbortController()
    this.#reading = reading
    void this.#read(due, reading).finally(() => {
      if (this.#reading === reading) this.#reading = undefined
      this.#readDue()
      this.#feed()
    })
  }

  async #read(due: readonly Followed[], { signal }: AbortController): Promise<void> {
    for (const each of due) each.isDue = false
    const nowMs = this.#options.store.clock.nowMs()
    const isNew = ({ lastMs }: Followed): boolean => lastMs === Number.NEGATIVE_INFINITY
    const [first, again] = [due.filter(isNew), due.filter((each) => !isNew(each))]
    const lastTimes = again.map(({ lastMs }) => lastMs)
    // this clock may be behind what the hub has told already
    const toMs = Math.max(nowMs, ...lastTimes.map((lastMs) => lastMs + 1))
    const gapMs = Math.min(toMs, ...lastTimes)
    // What the hub does not give stays a gap: the stream's state says why.
    const nothing = (): readonly SampleGroup[] => []
    const [past, missed] = await Promise.all([
      this.#readFrom(first, toMs - PAST_MS, toMs, signal).catch(nothing),
      this.#readFrom(again, Math.max(gapMs, toMs - PAST_MS), toMs, signal).catch(nothing),
    ])
    const { board, onFed } = this.#options
    // lines may have gone while the answer came
    const asked = new Map(due.map(({ series }) => [series.name, series]))
    const wanted = past.map((group) => this.#followedOf(group, asked))
    if (wanted.length > 0) {
      board.fill(wanted)
      this.#note(wanted)
    }
    const news = missed.flatMap((group) => this.#news(this.#followedOf(group, asked)))
    if (news.length > 0) board.feed(news)
    // what is not there yet is not asked for again
    for (const { series } of due) {
      const each = this.#followed.get(series.name)
      if (each !== undefined && each.series.kind !== 'gauge') {
        each.lastMs = Math.max(each.lastMs, toMs - SECOND_MS)
      }
    }
    onFed()
  }

  /** Leaves the names of lines that are followed no more, or measure something else now, out. */
  #followedOf(group: SampleGroup, asked: ReadonlyMap<string, BoardSeries>): SampleGroup {
    const isWanted = (name: string): boolean => {
      const now = this.#followed.get(name)
      const before = asked.get(name)
      return now !== undefined && before !== undefined && isSameMeasure(now.series, before)
    }
    const names = group.names.map((name) =>
      name !== undefined && isWanted(name) ? name : undefined,
    )
    return { ...group, names }
  }

  async #readFrom(
    followed: readonly Followed[],
    fromMs: number,
    toMs: number,
    signal: AbortSignal,
  ): Promise<readonly SampleGroup[]> {
    const series = followed.map((each) => each.series).filter(({ id }) => id > 0)
    if (series.length === 0 || fromMs >= toMs) return []
    const leastMs = this.#options.windowS() * SECOND_MS
    return readPast(this.#options.store.api, { series, fromMs, toMs, leastMs }, signal)
  }

  /** Keeps up to which time the board has each line. */
  #note(groups: readonly SampleGroup[]): void {
    for (const { names, timesMs } of groups) {
      const endMs = timesMs[timesMs.length - 1]
      if (endMs === undefined) continue
      for (const name of names) {
        const each = name === undefined ? undefined : this.#followed.get(name)
        if (each !== undefined) each.lastMs = Math.max(each.lastMs, endMs)
      }
    }
  }
}

function isSameMeasure(a: BoardSeries, b: BoardSeries): boolean {
  return a.kind === b.kind && a.source === b.source && a.statistic === b.statistic
}

/** Finds the first row after a time. */
function firstAfter(timesMs: ArrayLike<number>, lastMs: number): number {
  let first = 0
  while (first < timesMs.length && timesMs[first]! <= lastMs) first++
  return first
}

/** Gives rows from one on, of some columns. */
function rowsFrom(
  { names, timesMs, values }: SampleGroup,
  first: number,
  isOf: (column: number) => boolean,
): SampleGroup {
  const rows = timesMs.length
  const left = rows - first
  const kept = names.flatMap((_, column) => (isOf(column) ? [column] : []))
  const part = new Float64Array(kept.length * left)
  kept.forEach((column, at) => {
    for (let row = 0; row < left; row++) {
      part[at * left + row] = values[column * rows + first + row]!
    }
  })
  const times = Float64Array.from({ length: left }, (_, row) => timesMs[first + row]!)
  return { timesMs: times, names: kept.map((column) => names[column]), values: part }
}
