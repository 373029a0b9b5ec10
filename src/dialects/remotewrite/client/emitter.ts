/** The sending side as the hub uses it: closed cells become totals, and these requests. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import { stateFolder } from '../../../disk/state-folder.ts'
import type { Cell, Exact } from '../../../model/index.ts'
import { runNow, type Task } from '../../../time/task.ts'
import type {
  ChosenPeer,
  ClientContext,
  EmittedSeries as HubSeries,
  Reports,
  Target,
  TotalsEmitter,
} from '../../endpoints.ts'
import { EMIT_DEFAULTS, type EmitOptions } from '../options.ts'
import { HELP_BYTES_LIMIT } from '../spec.ts'
import { writeAddress } from './address.ts'
import { Claims } from './claims.ts'
import { EmittedSeries, type HistogramForm } from './emitted-series.ts'
import { Outbox } from './outbox.ts'
import { RequestWriter } from './request-writer.ts'

/** Time behind the end of the first second at which it is written where no other one came. */
const LAST_MS = 250
/** Series that are looked at in one step. */
const SERIES_A_STEP = 32

export function connectTotals(
  target: Target,
  context: ClientContext,
): TotalsEmitter<EmittedSeries> {
  return new RemoteWriteEmitter(target, context)
}

class RemoteWriteEmitter implements TotalsEmitter<EmittedSeries> {
  readonly #target: Target
  readonly #hub: string
  readonly #form: HistogramForm
  readonly #repeatMs: number
  readonly #reports: Reports
  readonly #claims: Claims
  readonly #outbox: Outbox
  readonly #writer: RequestWriter
  /** Series by the second of the round in which they may be told again. */
  readonly #rounds: readonly Set<EmittedSeries>[]
  #opened = 0
  #endMs = 0
  /**
   * End of the second in which it was made: a former process may have written samples of that time
   * when it stopped, and no series takes two. What it brings is written with the next one.
   */
  readonly #firstMs: number
  /** Series that have something of that second. */
  readonly #held = new Set<EmittedSeries>()

  /** @throws {TypeError} for an address that makes no sense */
  constructor(target: Target, { clock, reports, options }: ClientContext) {
    const emit = { ...EMIT_DEFAULTS, ...(options.emit as Partial<EmitOptions> | undefined) }
    const { url, hub = emit.hub ?? hostname(), histograms = emit.histograms } = writeAddress(target)
    const queueFolder = emit.queueFolder ?? join(stateFolder(), 'pentameter', 'remotewrite')
    this.#target = target
    this.#firstMs = Math.ceil(clock.wallMs() / 1000) * 1000
    this.#hub = hub
    this.#form = histograms
    this.#repeatMs = emit.repeatS * 1000
    this.#reports = reports
    this.#claims = new Claims(hub)
    this.#rounds = Array.from({ length: emit.repeatS }, () => new Set<EmittedSeries>())
    this.#outbox = new Outbox({ ...emit, url, hub, queueFolder }, { clock, reports })
    this.#writer = new RequestWriter((request) => this.#outbox.offer(request, this.#endMs))
  }

  open(told: HubSeries, total: Cell | undefined): EmittedSeries {
    const series = new EmittedSeries(this.#form, told.isAway, total)
    series.rename(this.#claimed(series, told), helpOf(told))
    this.#rounds[this.#opened++ % this.#rounds.length]!.add(series)
    return series
  }

  #claimed(series: EmittedSeries, told: HubSeries): NonNullable<ReturnType<Claims['claim']>> {
    const names = this.#claims.claim(series, told)
    if (names === undefined) this.#reports.count('emit', 'name_conflict')
    return names ?? []
  }

  change(series: EmittedSeries, told: HubSeries): void {
    const former = series.names
    this.#claims.release(series, former)
    const names = this.#claimed(series, told)
    if (JSON.stringify(names) !== JSON.stringify(former)) {
      series.stale(this.#writer, this.#endMs + 1)
      series.rename(names, helpOf(told))
    } else series.describe(helpOf(told))
  }

  send(series: EmittedSeries, cell: Cell, endMs: number, sum?: Exact): void {
    this.#endMs = endMs
    series.add(cell, sum)
    if (endMs > this.#firstMs) series.write(this.#writer, endMs)
    else this.#held.add(series)
  }

  add(series: EmittedSeries, cell: Cell, sum?: Exact): void {
    series.add(cell, sum)
  }

  end(series: EmittedSeries, endMs: number): void {
    this.#endMs = endMs
    series.stale(this.#writer, endMs)
    this.#claims.release(series, series.names)
    this.#held.delete(series)
    for (const round of this.#rounds) round.delete(series)
  }

  *flush(endMs: number): Task {
    this.#endMs = endMs
    if (endMs <= this.#firstMs) return
    yield* this.#writeHeld(endMs)
    const round = this.#rounds[Math.floor(endMs / 1000) % this.#rounds.length]!
    let looked = 0
    for (const series of round) {
      if (++looked % SERIES_A_STEP === 0) yield
      if (series.isAway()) series.stale(this.#writer, endMs)
      else if (endMs - series.sentMs >= this.#repeatMs) series.write(this.#writer, endMs)
    }
    this.#writer.flush()
    this.#outbox.sync()
  }

  *#writeHeld(timeMs: number): Task {
    let written = 0
    for (const series of this.#held) {
      if (++written % SERIES_A_STEP === 0) yield
      if (series.sentMs !== timeMs) series.write(this.#writer, timeMs)
    }
    this.#held.clear()
  }

  status(): ChosenPeer {
    const { host: address, port } = this.#target
    const { link, waiting, counts, problem, version } = this.#outbox
    const { samples, bytes, oldestMs } = waiting
    const { sent, dropped, refused } = counts
    return {
      peer: { transport: 'tcp', address, port },
      sinceMs: link.sinceMs,
      link,
      facts: {
        ...{ hub: this.#hub, sent, waiting: samples, queueBytes: bytes, dropped, refused },
        ...(version === undefined ? {} : { version }),
        ...(oldestMs === undefined ? {} : { waitingSince: new Date(oldestMs).toISOString() }),
        ...(problem === undefined ? {} : { problem }),
      },
    }
  }

  async close(): Promise<void> {
    // of a process that lived for less than a second: between what others write at whole ones
    runNow(this.#writeHeld(this.#endMs + LAST_MS))
    this.#writer.flush()
    await this.#outbox.close()
  }
}

function helpOf({ metadata: { description, displayName } }: HubSeries): string {
  return (description || displayName || '').slice(0, HELP_BYTES_LIMIT)
}
