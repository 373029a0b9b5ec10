/**
 * A reporter: one period, any number of items, one window open at a time (§4.6). What a source, a
 * computation or a sink has; several of one worker may send windows with equal names and ends,
 * which every receiver adds up.
 *
 *   |-- window --|-- window --|-- window --|      ends are multiples of the period since 1970
 *           ^ created: the first one is short
 */
import { type Clock, nsOfMs } from '../../../time/clock.ts'
import { checkOptions, type GivenOptions } from '../../options.ts'
import { encodeError, type Metrics } from '../codec/encode.ts'
import { REPORT_OPTIONS, type ReportSettings, sizesProblem } from '../options.ts'
import { CATEGORIES, type Category, NAME_BYTES_LIMIT, type WindowRule } from '../spec.ts'
import { LatencyWindow } from './latency-window.ts'

/** A clock whose wall time is exact. */
export interface ReporterClock extends Pick<Clock, 'wallMs' | 'after'> {
  /** Reads nanoseconds since 1970-01-01 UTC; `wallMs` is the same time, less exactly. */
  wallNs(): bigint
}

/** Options of how windows are made. */
export interface WindowOptions extends GivenOptions<typeof REPORT_OPTIONS> {
  /**
   * Rule of which window takes the sample that comes too late; follows the profile unless given.
   */
  readonly windowRule?: WindowRule | undefined
}

/** Checks and completes the options of windows. @throws {RangeError} */
export function checkWindowOptions(options: WindowOptions): ReportSettings {
  const settings = checkOptions(REPORT_OPTIONS, options)
  const problem = sizesProblem(settings)
  if (problem !== undefined) {
    throw new RangeError(`${problem.option} ${settings.arraySizes}: ${problem.wanted}`)
  }
  const { windowRule = settings.profile } = options
  if (windowRule === 'document' || windowRule === 'peer') return { ...settings, windowRule }
  throw new RangeError(`windowRule ${windowRule}: want one of document, peer`)
}

/** Options of a reporter: whose windows it makes, by which clock, and what takes them. */
export interface ReporterOptions extends WindowOptions {
  readonly application: string
  readonly worker: string
  readonly clock: ReporterClock
  /**
   * Takes the windows that were closed together, in the order in which they are to be sent; they
   * are valid during the call only.
   */
  readonly send: (batch: readonly Metrics[]) => void
}

/** Recorder that measures one item. Calls never throw, and allocate nothing within a window. */
export interface Recorder {
  /** Records one latency in nanoseconds; what is none is left out and counted. */
  record(latencyNs: number | bigint): void
}

/** Counts messages that a pipeline has taken in. */
export interface IngestRecorder {
  /**
   * Counts one message unless stated; what is no whole number of 0 or more is left out and counted.
   */
  count(messages?: number): void
}

interface Item {
  readonly category: Category
  readonly name: string
  readonly pipeline: string
  id: number
  readonly window: LatencyWindow
}

const encoder = new TextEncoder()
const ID_MAX = 0xffff
const NS_PER_MS = 1_000_000n

/**
 * One window at a time over any number of items; a client makes those that it sends.
 *
 * @example
 * import { WallarooClient } from 'pentameter/wallaroo'
 *
 * const client = new WallarooClient({ application: 'shop', worker: 'w1' })
 * await client.start()
 * const reporter = client.reporter({ periodMs: 1000 })
 * reporter.startToEnd('Orders').record(71_000) // nanoseconds
 * await client.close()
 */
export class Reporter {
  /** Counts of records that are no latency, and of windows of items handed over so far. */
  readonly counts = { invalidLatency: 0, windows: 0 }
  readonly #options: ReporterOptions & ReportSettings
  readonly #periodNs: bigint
  readonly #items = new Map<string, Item>()
  /** End of the open window, and the millisecond it lies in. */
  #endNs: bigint
  #endMs: number
  #cancelTimer: (() => void) | undefined
  #isClosed = false

  /**
   * @throws {RangeError} for an option that cannot be used
   * @throws {EncodeError} for a name that is too long
   */
  constructor(options: ReporterOptions) {
    this.#options = { ...options, ...checkWindowOptions(options) }
    const { periodMs, clock, application, worker, idleFlush } = this.#options
    this.#periodNs = nsOfMs(periodMs)
    checkName('application', application)
    checkName('worker', worker)
    this.#endNs = windowEnd(clock.wallNs(), this.#periodNs)
    this.#endMs = Number(this.#endNs / NS_PER_MS)
    if (idleFlush) this.#startTimer()
  }

  /** End of the open window, ns. */
  get windowEndNs(): bigint {
    return this.#endNs
  }

  /**
   * Makes the recorder of the time inside of one computation.
   * @param id its position in the pipeline, 0 to 65535
   * @throws {EncodeError} for a name or id out of its range
   */
  computation(pipeline: string, name: string, id: number): Recorder {
    return this.#recorder('computation', pipeline, name, id)
  }

  /** Makes the recorder from a message's ingestion until its completion, on whatever worker. */
  startToEnd(pipeline: string): Recorder {
    return this.#recorder('start-to-end', pipeline, pipeline, 0)
  }

  /**
   * Makes the recorder from a message's arrival on this worker until its completion or hand-over.
   */
  nodeIngressEgress(pipeline: string): Recorder {
    return this.#recorder('node-ingress-egress', pipeline, this.#options.worker, 0)
  }

  /**
   * Makes the recorder of messages that the pipeline's source has taken in: a counter in the form
   * of latencies of 0.
   */
  ingestion(pipeline: string): IngestRecorder {
    const item = this.#item('pipeline-ingestion', pipeline, `${pipeline} source`, 0)
    return { count: (messages = 1) => this.#take(item, messages, true) }
  }

  #recorder(category: Category, pipeline: string, name: string, id: number): Recorder {
    const item = this.#item(category, pipeline, name, id)
    return { record: (latencyNs) => this.#take(item, latencyNs, false) }
  }

  /**
   * Finds an item; items are told apart by category, pipeline and name: the id only goes with them.
   */
  #item(category: Category, pipeline: string, name: string, id: number): Item {
    checkName('pipeline', pipeline)
    checkName('name', name)
    checkId(id)
    const key = JSON.stringify([category, pipeline, name])
    const known = this.#items.get(key)
    if (known !== undefined) {
      known.id = id
      return known
    }
    const window = new LatencyWindow(this.#options.binning)
    const item: Item = { category, name, pipeline, id, window }
    this.#items.set(key, item)
    return item
  }

  /**
   * Takes a sample. The peer counts the one that comes too late in the old window and closes that
   * then; the document closes it first.
   */
  #take(item: Item, value: number | bigint, isCount: boolean): void {
    if (this.#isClosed) return
    const isDocument = this.#options.windowRule === 'document'
    if (isDocument && this.#isOver()) this.#flush()
    const { window } = item
    const isTaken = isCount ? window.count(value as number) : window.record(value)
    if (!isTaken) this.counts.invalidLatency++
    else if (!isDocument && this.#isOver()) this.#flush()
  }

  /** Tells whether the time is later than the window's end, which belongs to it. */
  #isOver(): boolean {
    const { clock } = this.#options
    // all but the last millisecond are told apart without a bigint
    return clock.wallMs() >= this.#endMs && clock.wallNs() > this.#endNs
  }

  /** Sends the window, if anything was recorded in it, and opens the one that holds now. */
  #flush(): void {
    this.#send()
    const { clock } = this.#options
    this.#endNs = windowEnd(clock.wallNs(), this.#periodNs)
    this.#endMs = Number(this.#endNs / NS_PER_MS)
  }

  #send(): void {
    const { windowRule, send } = this.#options
    const items = [...this.#items.values()]
    if (items.every(({ window }) => window.isEmpty)) return
    const sent = windowRule === 'peer' ? items : items.filter(({ window }) => !window.isEmpty)
    const batch = CATEGORIES.flatMap((category) =>
      sent.filter((item) => item.category === category).map((item) => this.#metrics(item)),
    )
    this.counts.windows += batch.length
    send(batch)
    for (const { window } of items) window.clear()
  }

  #metrics({ category, name, pipeline, id, window }: Item): Metrics {
    const { application, worker } = this.#options
    const periodNs = this.#periodNs
    const { bins, minNs, maxNs } = window
    const identity = { application, category, name, worker, pipeline, id }
    return { ...identity, bins, minNs, maxNs, periodNs, endNs: this.#endNs }
  }

  #startTimer(): void {
    const { clock } = this.#options
    const leftMs = Number(this.#endNs - clock.wallNs()) / 1e6
    this.#cancelTimer = clock.after(Math.max(leftMs, 0), () => this.#onTimer())
  }

  #onTimer(): void {
    const { clock } = this.#options
    const leftNs = this.#endNs - clock.wallNs()
    // a timer may be early; a clock that was set back must not keep the window open for long
    if (leftNs <= 0n || leftNs > this.#periodNs) this.#flush()
    this.#startTimer()
  }

  /**
   * Closes the reporter; with `idleFlush` sends the open window with its regular end. Nothing is
   * taken any more.
   */
  close(): void {
    if (this.#isClosed) return
    this.#cancelTimer?.()
    if (this.#options.idleFlush) this.#send()
    this.#isClosed = true
  }
}

/** Finds the first multiple of the period that is later than a time. */
function windowEnd(nowNs: bigint, periodNs: bigint): bigint {
  return nowNs + periodNs - (nowNs % periodNs)
}

/** Refuses a name that no frame can hold. @throws {EncodeError} `name_too_long` */
function checkName(what: string, name: string): void {
  const size = encoder.encode(name).length
  if (size > NAME_BYTES_LIMIT) {
    throw encodeError('name_too_long', `${what} of ${size} bytes, limit ${NAME_BYTES_LIMIT}`)
  }
}

/** Refuses what is no u16. @throws {EncodeError} `out_of_range` */
function checkId(id: number): void {
  if (Number.isInteger(id) && id >= 0 && id <= ID_MAX) return
  throw encodeError('out_of_range', `id ${id} is not in 0 to ${ID_MAX}`)
}
