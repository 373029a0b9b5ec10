/**
 * Pushes all series to an OTLP receiver, interval after interval: a sink of the hub, so that time
 * is that of closed seconds and the last one is not lost. There is no queue that could grow: an
 * export reads the totals of its moment, and one that fails is followed by a newer one.
 */
import type { Frame } from '../../../hub/live/frame.ts'
import type { SeriesRecord } from '../../../hub/series/record.ts'
import type { Sink } from '../../../hub/sinks/sinks.ts'
import type { ExportStatus } from '../../../hub/status/status.ts'
import { runSliced } from '../../../hub/tasks/loop-budget.ts'
import type { Task } from '../../../hub/tasks/task.ts'
import type { HubView } from '../../../hub/view.ts'
import { Delivery, type DeliveryOptions, type Outcome } from '../../../peers/delivery.ts'
import type { Clock } from '../../../time/clock.ts'
import { answerBudget, type Pieces } from '../../pieces.ts'
import { Deltas, type OpenDelta } from './deltas.ts'
import { otlpFormat } from './format.ts'
import type { NamedMetric } from './layout.ts'
import { type Encoding, OtlpRequest } from './request.ts'
import { OtlpSource, type SourceOptions } from './source.ts'

interface OtlpOptions extends SourceOptions, DeliveryOptions {
  readonly encoding: Encoding
  /** Pause between two exports, on a grid of the wall clock. */
  readonly intervalMs: number
}

/** Reports of an exporter, under a closed set of names and reasons. */
interface OtlpReports {
  /**
   * - `requests`: `taken`, `retried`, `refused`, `failed`
   * - `points`: `taken`; `rejected` by the receiver; `refused` or `failed` with their request
   * - `intervals`: `exported`, `incomplete`, or `skipped` because the one before was not finished
   * - `inexact`: `above_int64`, `overflow_folded`
   */
  count(name: string, reason: string, amount: number): void
  log(level: 'info' | 'warn', message: string, facts?: Record<string, unknown>): void
}

/** Requests that are made ahead of being sent where totals have to be durable first, bytes. */
const AHEAD_BYTES = 8_388_608
/** Time for which they wait for the disk, ms; one that stands still stops no export. */
const DURABLE_MS = 10_000
/** The last export gets so long when the hub stops. */
const STOP_GRACE_MS = 3000

/** A request that is not changed any more. */
interface Made extends Pick<OtlpRequest, 'points' | 'deltas'> {
  readonly body: Uint8Array<ArrayBuffer>
}

export class OtlpExporter implements Sink {
  readonly name = 'otlp'
  readonly #options: OtlpOptions
  readonly #clock: Clock
  readonly #view: Pick<HubView, 'durable'>
  readonly #reports: OtlpReports
  readonly #source: OtlpSource
  readonly #deltas: Deltas
  readonly #delivery: Delivery
  /** Controller that ends waiting for the next attempt, and all further ones. */
  readonly #hurry = new AbortController()
  /** Controller that ends attempts under way. */
  readonly #abort = new AbortController()
  #run: Promise<void> | undefined
  /** Failure that came last, until something is taken again. */
  #problem: { readonly cause: string; readonly hint: string } | undefined
  /** Message about points that were not taken: told once. */
  #rejection: string | undefined
  #lastSuccessMs: number | undefined
  #endMs = 0
  readonly #points = { taken: 0, lost: 0 }

  constructor(
    view: HubView,
    options: OtlpOptions,
    reports: OtlpReports,
    random: () => number = Math.random,
  ) {
    this.#options = options
    this.#clock = view.clock
    this.#view = view
    this.#reports = reports
    this.#source = new OtlpSource(view, options)
    this.#deltas = new Deltas(view, options)
    const retried = (): void => reports.count('requests', 'retried', 1)
    const { clock } = view
    const signals = { hurry: this.#hurry.signal, signal: this.#abort.signal }
    this.#delivery = new Delivery(options, otlpFormat(options.encoding), {
      clock,
      random,
      ...signals,
      retried,
    })
  }

  /** Adds a closed second to what is exported by interval. */
  take(frame: Frame): Task {
    return this.#deltas.take(frame)
  }

  /** Does no more than {@link take}: what came late is part of the next export. */
  *late(): Task {}

  /** Begins an export where an interval ends with a second. */
  *deliver(frame: Frame): Task {
    const { intervalMs } = this.#options
    const isDue = Math.floor(frame.endMs / intervalMs) > Math.floor(this.#endMs / intervalMs)
    const isFirst = this.#endMs === 0
    this.#endMs = frame.endMs
    if (!isDue || isFirst) return
    if (this.#run !== undefined) {
      this.#reports.count('intervals', 'skipped', 1)
      return
    }
    this.#run = this.#export().finally(() => {
      this.#run = undefined
    })
  }

  /** Resolves when the export under way, if there is one, has ended. */
  async settled(): Promise<void> {
    await this.#run
  }

  /** Exports what is left, once, and lets go. */
  async close(): Promise<void> {
    this.#hurry.abort()
    const cancel = this.#clock.after(STOP_GRACE_MS, () => this.#abort.abort())
    await this.#run
    if (!this.#abort.signal.aborted) await this.#export()
    cancel()
  }

  /** Exports; never rejects: whatever happens, what was not taken is given back. */
  async #export(): Promise<void> {
    const closed = this.#deltas.close(this.#endMs)
    const isComplete = await this.#sendAll(closed).catch((error: unknown) => {
      this.#fail(String(error), 'this is a fault of ours')
      return false
    })
    await runSliced(this.#deltas.giveBack(closed.values()), answerBudget(this.#clock))
    this.#reports.count('intervals', isComplete ? 'exported' : 'incomplete', 1)
    if (isComplete) this.#succeed()
  }

  /**
   * @param closed loses what a receiver has taken
   * @returns whether all was taken
   */
  async #sendAll(closed: Map<number, OpenDelta>): Promise<boolean> {
    let isComplete = true
    for await (const request of this.#durable(closed)) {
      const outcome = await this.#delivery.send(request.body)
      this.#account(outcome, request.points)
      if (outcome.kind === 'taken') {
        for (const id of request.deltas) closed.delete(id)
      } else isComplete = false
      // no receiver is there: what is left would fail alike, and the next export has it again
      if (outcome.kind === 'failed') break
    }
    return isComplete
  }

  /**
   * Makes requests ahead where a further start goes on from totals: they are handed on when all
   * that they tell is durable.
   */
  async *#durable(closed: ReadonlyMap<number, OpenDelta>): AsyncGenerator<Made> {
    const aheadBytes = this.#view.durable?.isKept === true ? AHEAD_BYTES : 0
    let ahead: Made[] = []
    let size = 0
    for await (const request of this.#requests(closed)) {
      const body = new Uint8Array(request.body())
      ahead.push({ body, points: request.points, deltas: request.deltas })
      size += body.length
      if (size < aheadBytes) continue
      await this.#view.durable?.reach(DURABLE_MS)
      yield* ahead
      ahead = []
      size = 0
    }
    await this.#view.durable?.reach(DURABLE_MS)
    yield* ahead
  }

  /** The same object, filled anew: to be done with before the next is asked for. */
  async *#requests(closed: ReadonlyMap<number, OpenDelta>): AsyncGenerator<OtlpRequest> {
    const { encoding } = this.#options
    const budget = answerBudget(this.#clock)
    const noteInexact = (what: string): void => this.#reports.count('inexact', what, 1)
    const request = new OtlpRequest(encoding, this.#source.resource)
    for (const piece of this.#source.pieces(this.#endMs, closed, noteInexact)) {
      if (piece !== undefined) request.add(piece)
      if (request.isFull) {
        yield request
        request.begin()
      }
      if (budget.isSpent) await budget.yieldLoop()
    }
    if (request.points > 0) yield request
  }

  #account(outcome: Outcome, points: number): void {
    const { kind } = outcome
    this.#reports.count('requests', kind, 1)
    if (kind !== 'taken') {
      this.#reports.count('points', kind, points)
      this.#points.lost += points
      this.#fail(outcome.cause, outcome.hint)
      return
    }
    const rejected = Math.min(Math.max(outcome.rejectedPoints, 0), points)
    this.#reports.count('points', 'taken', points - rejected)
    this.#points.taken += points - rejected
    if (rejected === 0) return
    this.#reports.count('points', 'rejected', rejected)
    this.#points.lost += rejected
    if (this.#rejection !== outcome.message) {
      this.#warn('the OTLP receiver did not take some points: see what it said', {
        said: outcome.message,
      })
    }
    this.#rejection = outcome.message
  }

  #fail(cause: string, hint: string): void {
    if (this.#problem?.cause !== cause) {
      this.#warn(`OTLP export fails: ${cause}; ${hint}`, {})
    }
    this.#problem = { cause, hint }
  }

  #succeed(): void {
    if (this.#problem !== undefined) this.#reports.log('info', 'OTLP export works again')
    this.#problem = undefined
    this.#lastSuccessMs = this.#endMs
  }

  #warn(message: string, facts: Record<string, unknown>): void {
    this.#reports.log('warn', message, { url: shownUrl(this.#options.url), ...facts })
  }

  status(): ExportStatus {
    const { url, intervalMs } = this.#options
    return {
      name: this.name,
      url: shownUrl(url),
      intervalMs,
      state: this.#stateNow(),
      ...(this.#problem === undefined
        ? {}
        : { message: `${this.#problem.cause}; ${this.#problem.hint}` }),
      lastSuccessMs: this.#lastSuccessMs ?? null,
      points: this.#points.taken,
      pointsLost: this.#points.lost,
      waiting: this.#deltas.size,
    }
  }

  #stateNow(): ExportStatus['state'] {
    if (this.#problem !== undefined) return 'failing'
    return this.#lastSuccessMs === undefined ? 'starting' : 'exporting'
  }

  metricsOf(record: SeriesRecord): readonly NamedMetric[] {
    return this.#source.metricsOf(record)
  }

  /** Makes the next export as of now, as JSON. */
  json(): Pieces<string> {
    return this.#source.json(this.#deltas.open)
  }
}

/** Writes a URL without what may be secret. */
function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
