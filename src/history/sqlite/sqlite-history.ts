/**
 * The embedded history: a folder with a database of bundles and a head log, owned by one process.
 * A second is durable when `append` has resolved; everything else is done in between, in steps.
 * It is made to have a thread of its own: a step may take a tenth of a second.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { FolderLock } from '../../disk/folder-lock.ts'
import { runNow, type Task } from '../../time/task.ts'
import {
  type BoundSeries,
  type CellAnswer,
  type CellQuery,
  type ClosedSecond,
  type FoundSeries,
  HistoryError,
  type HistoryHealth,
  type HistoryStore,
  type LivingQuery,
  type LivingSeries,
  type PastQuery,
  type SeriesDefinition,
  type SeriesQuery,
  type StoredSeries,
} from '../store.ts'
import { Insertion, type PastCell } from './bundles/insertion.ts'
import { type KeptFrom, keptFrom } from './bundles/kept-from.ts'
import {
  BundleTable,
  blockNumber,
  HOUR,
  LEVELS,
  type Level,
  MINUTE,
  MINUTE1,
  SECOND,
  SECOND5,
} from './bundles/levels.ts'
import { compacting, sealing, type Tables } from './bundles/maintenance.ts'
import { reading } from './bundles/reading.ts'
import { type RetentionRules, retaining, usedBytes } from './bundles/retention.ts'
import { inTransaction, mergeLog, openDatabase, readState, setState } from './database.ts'
import { asHistoryError, lockFolder } from './folder.ts'
import { deleteHead, HeadLog, headNumbers } from './head/head-log.ts'
import { OpenWindows } from './head/open-windows.ts'
import {
  recordOf,
  type SecondRecord,
  type SlotChanges,
  type SlotDefinition,
} from './head/record.ts'
import { RefSlots } from './head/ref-slots.ts'
import { readLiving } from './living.ts'
import { finding, slotNews } from './past-series.ts'
import { replayHeads } from './recovery.ts'
import type { NoteDamage } from './row-facts.ts'
import { Runs } from './runs.ts'
import { Slots } from './slots.ts'

interface SqliteHistoryOptions extends RetentionRules {
  readonly folder: string
  readonly nowMs: () => number
  /** Significant digits of gauges that are no decimals of few places; absent or 0 = every bit. */
  readonly digits?: number
}

/** Time in steps before others of the event loop have their turn, ms. */
const SLICE_MS = 8
/** Seconds that wait for a seal at most, where the disk takes none: then further ones are lost. */
const OPEN_RECORDS_LIMIT = 3600
/** Seconds that are open when an append waits for what is being sealed. */
const WAIT_RECORDS = 600
/** Wait before a seal that failed is tried again, ms. */
const RETRY_MS = 10_000
/** Time after the start, and between two looks, until what is too old goes, ms. */
const RETAIN_MS = 600_000
/** Longest time for which one step of other work waits for reads, ms. */
const READS_FIRST_MS = 500
/** Commits that may come between the steps of a read before it is done in one. */
const READ_RESTARTS = 2

export class SqliteHistory implements HistoryStore {
  readonly #options: SqliteHistoryOptions
  readonly #lock: FolderLock
  readonly #db: DatabaseSync
  readonly #tables: Tables
  readonly #refs = new RefSlots()
  readonly #lost: Record<string, number> = {}
  readonly #damaged: Record<string, number> = {}
  readonly #notes: string[] = []
  #open = new OpenWindows()
  /** Windows that are being written; their head logs are there until they are. */
  #sealed: OpenWindows | undefined
  #head: HeadLog
  #state: HistoryHealth['state'] = 'running'
  #message: string | undefined
  #taken = 0
  #durableS: number | undefined
  /** End of the second that came last, which is not the newest where the clock was set back. */
  #until: { readonly untilS?: number } = {}
  #retryMs = 0
  #retainMs: number
  /** Reads under way. */
  #reads = 0
  /** Number of changes of what is in bundles. */
  #commits = 0
  #maintenance: Promise<void> = Promise.resolve()
  #isMaintained = false

  /**
   * Opens the history of a folder, which is made where it is not there.
   * @throws {HistoryError} `in_use`, `foreign`, `newer`, `damaged` or `unwritable`: nothing was
   *   changed then
   */
  constructor(options: SqliteHistoryOptions) {
    this.#options = options
    const { folder, nowMs } = options
    this.#retainMs = nowMs() + RETAIN_MS
    this.#lock = lockFolder(folder, nowMs())
    let db: DatabaseSync | undefined
    try {
      const opened = openDatabase(folder)
      db = opened.db
      this.#db = db
      this.#tables = this.#tablesOf(db)
      this.#durableS = this.#tables.runs.lastS
      if (!opened.isIndexed) this.#notes.push('the index of series was damaged, and is made anew')
      this.#head = this.#recover(opened.wasClean)
    } catch (error) {
      db?.close()
      this.#lock.release()
      throw asHistoryError(error, folder)
    }
  }

  #tablesOf(db: DatabaseSync): Tables {
    const table = (level: Level) => {
      return new BundleTable(db, level, this.#noteDamage, this.#options.digits)
    }
    return {
      db,
      refs: this.#refs,
      slots: new Slots(db, this.#noteDamage),
      runs: new Runs(db),
      second5: table(SECOND5),
      second: table(SECOND),
      minute1: table(MINUTE1),
      minute: table(MINUTE),
      hour: table(HOUR),
    }
  }

  /** Replays what was durable and not sealed, seals it, and begins a head log. */
  #recover(wasClean: boolean): HeadLog {
    const { folder } = this.#options
    const last = replayHeads(folder, this.#tables, {
      take: (record) => this.#take(record),
      damaged: this.#noteDamage,
      note: (text) => this.#notes.push(text),
    })
    if (!wasClean) this.#notes.push(`not closed in order: ${this.#open.records} seconds replayed`)
    if (this.#open.records > 0) {
      runNow(sealing(this.#tables, this.#open, last + 1))
      this.#open = new OpenWindows()
    } else setState(this.#db, 'head', last + 1)
    for (const number of headNumbers(folder)) deleteHead(folder, number)
    return new HeadLog(folder, last + 1)
  }

  #take(record: SecondRecord): void {
    const { endS, seconds } = record
    this.#tables.runs.add(endS - seconds, endS)
    this.#open.take(record)
    this.#durableS = Math.max(this.#durableS ?? 0, endS)
    if (seconds > 0) this.#until = { untilS: endS }
  }

  /** Tells whether the files have no names any more: what is written to them is lost. */
  get isGone(): boolean {
    return !this.#head.isThere
  }

  async append(second: ClosedSecond): Promise<void> {
    if (this.#state === 'closed') throw new HistoryError('closed', 'the history is closed')
    try {
      this.#append(second)
    } catch (error) {
      const failure = asHistoryError(error, this.#options.folder)
      this.#lose(failure.code)
      this.#state = failure.code === 'full' ? 'full' : 'failed'
      this.#message = failure.message
      throw failure
    }
    if (this.#state !== 'running' && this.#sealed === undefined) {
      this.#state = 'running'
      this.#message = undefined
    }
    this.#maintain(second.endS)
    // who appends faster than time passes waits for the work that this makes
    if (this.#open.records >= WAIT_RECORDS) await this.#maintenance
  }

  #append(second: ClosedSecond): void {
    if (this.#open.records >= OPEN_RECORDS_LIMIT) {
      throw new HistoryError('full', `${OPEN_RECORDS_LIMIT} seconds wait to be sealed`)
    }
    const changes = this.#changesOf(second)
    const record = recordOf(second, changes, (ref) => this.#refs.get(ref))
    this.#head.append(record)
    for (const ref of second.ended) this.#refs.delete(ref)
    this.#take(record)
    this.#taken++
  }

  /** Gives slots to what is defined, and finds those of what has ended. */
  #changesOf({ defined, ended }: ClosedSecond): SlotChanges {
    const { slots } = this.#tables
    const refs = this.#refs
    const changes = { defined: [] as SlotDefinition[], anew: [] as number[], ended: [] as number[] }
    const define = (each: SeriesDefinition): void => {
      const definition = slots.define(each)
      if (definition === undefined) return
      const { slot } = definition
      // the former one of its key, of which cells may come until it is told to have ended
      if (![0, each.ref].includes(refs.holder(slot))) changes.anew.push(slot)
      // the former key of a series that has another one now
      const former = refs.get(each.ref)
      if (former !== slot && refs.delete(each.ref) !== 0) changes.ended.push(former)
      refs.set(each.ref, slot)
      changes.defined.push(definition)
    }
    if (defined.length > 0) inTransaction(this.#db, () => defined.forEach(define))
    for (const ref of ended) {
      const slot = refs.get(ref)
      if (slot !== 0 && refs.holder(slot) === ref) changes.ended.push(slot)
    }
    return changes
  }

  #lose(reason: string): void {
    this.#lost[reason] = (this.#lost[reason] ?? 0) + 1
  }

  readonly #noteDamage: NoteDamage = ({ code }) => {
    this.#damaged[code] = (this.#damaged[code] ?? 0) + 1
  }

  /** Begins what is due, one after another. */
  #maintain(endS: number): void {
    if (this.#isMaintained || this.#options.nowMs() < this.#retryMs) return
    const window = Math.floor((endS - 1) / SECOND5.windowS)
    const isDue = [...this.#open.windows.keys()].some((each) => each < window)
    const isOld = this.#options.nowMs() >= this.#retainMs
    if (!isDue && this.#sealed === undefined && !isOld) return
    this.#isMaintained = true
    this.#maintenance = this.#work(endS).finally(() => {
      this.#isMaintained = false
    })
  }

  async #work(endS: number): Promise<void> {
    try {
      await this.#seal()
      await this.#inBackground(compacting(this.#tables, endS - SECOND5.windowS))
      if (this.#options.nowMs() >= this.#retainMs) await this.retain()
    } catch (error) {
      const failure = asHistoryError(error, this.#options.folder)
      this.#state = failure.code === 'full' ? 'full' : 'failed'
      this.#message = failure.message
      this.#retryMs = this.#options.nowMs() + RETRY_MS
      // room is made by what may go, where anything may
      await this.retain().catch(() => {})
    }
  }

  /** Seals all that was appended so far, the rest of a seal that failed first. */
  async #seal(): Promise<void> {
    if (this.#sealed === undefined) {
      if (this.#open.records === 0) return
      const { folder } = this.#options
      const next = new HeadLog(folder, this.#head.number + 1)
      this.#head.close()
      this.#head = next
      this.#sealed = this.#open
      this.#open = new OpenWindows()
    }
    await this.#inBackground(sealing(this.#tables, this.#sealed, this.#head.number))
    mergeLog(this.#db)
    this.#sealed = undefined
    this.#commits++
    const { folder } = this.#options
    for (const number of headNumbers(folder)) {
      if (number < this.#head.number) deleteHead(folder, number)
    }
  }

  /** Runs steps, each of which may change bundles; reads go first, for a while. */
  async #inBackground<T>(steps: Task<T>): Promise<T> {
    for (;;) {
      const { done, value } = steps.next()
      this.#commits++
      if (done === true) return value
      const untilMs = performance.now() + READS_FIRST_MS
      do await new Promise(setImmediate)
      while (this.#reads > 0 && performance.now() < untilMs)
    }
  }

  async read(query: CellQuery): Promise<CellAnswer> {
    this.#reads++
    try {
      return { ...(await this.#read(query)), ...this.#until }
    } finally {
      this.#reads--
    }
  }

  async #read(query: CellQuery): Promise<CellAnswer> {
    for (let restarts = 0; ; restarts++) {
      const commits = this.#commits
      const steps = reading(this.#tables, this.#openWindows, query, this.#keptFrom())
      if (restarts === READ_RESTARTS) return runNow(steps)
      const answer = await run(steps, () => commits !== this.#commits)
      if (answer !== undefined) return answer
    }
  }

  async find(query: PastQuery): Promise<FoundSeries> {
    const news = slotNews(this.#tables, this.#openWindows, query)
    return run(finding(this.#db, news, query, this.#noteDamage))
  }

  async list(query?: SeriesQuery): Promise<readonly StoredSeries[]> {
    return this.#tables.slots.list(query)
  }

  async living(query: LivingQuery): Promise<LivingSeries> {
    return readLiving(this.#db, query, this.#noteDamage)
  }

  async bind({ numbers, refs }: BoundSeries): Promise<void> {
    for (let row = 0; row < numbers.length; row++) this.#refs.set(refs[row]!, numbers[row]!)
  }

  async remove(keys: readonly Uint8Array[]): Promise<number> {
    await this.#maintenance
    await this.#seal()
    const found = keys.flatMap((key) => this.#tables.slots.find(key) ?? [])
    const slots = new Set(found.map(({ slot }) => slot))
    const blocks = new Set([...slots].map(blockNumber))
    await this.#inBackground(this.#removing(slots, blocks))
    return slots.size
  }

  *#removing(slots: ReadonlySet<number>, blocks: ReadonlySet<number>): Task {
    for (const { table } of LEVELS) {
      const bundles = this.#tables[table]
      for (const [window, block] of bundles.rows(0, 2 ** 31)) {
        if (!blocks.has(block)) continue
        bundles.remove(window, block, slots)
        yield
      }
    }
    for (const slot of slots) this.#tables.slots.delete(slot)
    this.#refs.deleteSlots(slots)
  }

  /**
   * Adds cells of the past that come from outside, all of them or none: whether the work throws, is
   * killed or finds no room, the history is as it was before. No second may come meanwhile.
   * @param source name of where they come from, for {@link insertedS}
   * @param work is given what adds a batch
   * @throws what the work throws; {RangeError} for a cell that can't be kept, {HistoryError} where
   *   the disk takes none
   */
  async insert(
    source: string,
    work: (add: (cells: readonly PastCell[]) => void) => Promise<void>,
  ): Promise<void> {
    await this.#maintenance
    const insertion = new Insertion(this.#tables, this.#openWindows)
    try {
      await work((cells) => insertion.add(cells))
      setState(this.#db, `inserted ${source}`, Math.floor(this.#options.nowMs() / 1000))
      insertion.commit()
    } catch (error) {
      insertion.cancel()
      const isOfStore = (error as { readonly errcode?: number }).errcode !== undefined
      throw isOfStore ? asHistoryError(error, this.#options.folder) : error
    }
    this.#commits++
  }

  /** Gives the time when cells of a source were added, Unix seconds; 0 for never. */
  insertedS(source: string): number {
    return readState(this.#db, `inserted ${source}`)
  }

  async retain(): Promise<void> {
    const { nowMs } = this.#options
    this.#retainMs = nowMs() + RETAIN_MS
    // hours are made of five minutes before these go; a full disk may take none
    const compacted = this.#inBackground(compacting(this.#tables, nowMs() / 1000))
    await compacted.catch(() => {})
    const steps = retaining(this.#tables, this.#options, nowMs() / 1000, this.#head.size)
    await this.#inBackground(steps)
    this.#tables.slots.forget()
  }

  async health(): Promise<HistoryHealth> {
    const { folder, bytesLimit } = this.#options
    const kept = this.#keptFrom()
    return {
      state: this.#state,
      ...(this.#message === undefined ? {} : { message: this.#message }),
      place: folder,
      bytes: this.#state === 'closed' ? 0 : usedBytes(this.#db) + this.#head.size,
      bytesLimit,
      series: this.#tables.slots.count,
      resolutions: [
        { stepS: 1, fromS: kept[1] },
        { stepS: 60, fromS: kept[60] },
        { stepS: 3600, fromS: kept[3600] },
      ],
      taken: this.#taken,
      lost: { ...this.#lost },
      damaged: { ...this.#damaged },
      durableS: this.#durableS,
      notes: [...this.#notes],
    }
  }

  #keptFrom(): KeptFrom {
    return keptFrom(this.#tables, this.#openWindows)
  }

  /** Windows that are in no bundle yet, the older ones first. */
  get #openWindows(): readonly OpenWindows[] {
    return this.#sealed === undefined ? [this.#open] : [this.#sealed, this.#open]
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return
    await this.#maintenance
    this.#state = 'closed'
    try {
      await this.#seal()
      setState(this.#db, 'clean', 1)
      mergeLog(this.#db)
      this.#head.close()
      deleteHead(this.#options.folder, this.#head.number)
    } catch {
      // what is in the head log is read at the next start
    } finally {
      this.#db.close()
      this.#lock.release()
    }
  }
}

/** Runs steps in slices of the event loop; undefined where they were given up. */
async function run<T>(steps: Task<T>): Promise<T>
async function run<T>(steps: Task<T>, isVain: () => boolean): Promise<T | undefined>
async function run<T>(steps: Task<T>, isVain?: () => boolean): Promise<T | undefined> {
  let endMs = performance.now() + SLICE_MS
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (performance.now() < endMs) continue
    await new Promise(setImmediate)
    if (isVain?.() === true) return undefined
    endMs = performance.now() + SLICE_MS
  }
}
