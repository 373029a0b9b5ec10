/**
 * Samples of the series of one question, so many of them as their cells need: all that there are
 * of a short time or a narrow step, else the last one of each step. Of steps in which a total
 * began anew, or a series began, all samples are read, so that no increase is lost between two.
 */
import { HistoryError } from '../store.ts'
import type { EngineClient } from './engine-client.ts'
import { type StepRange, stepAt } from './growth.ts'
import { matrixOf, type SampledSeries } from './matrix.ts'
import { labelsKey, NAME_LABEL } from './written.ts'

/** Time of which all samples are read, whatever the step. */
const RAW_WINDOW_S = 7200
/** StepRange up to which they are, however long the time: repeated samples are as far apart. */
const RAW_STEP_S = 15
/** Time of one question for all samples; more points than these no engine gives of one series. */
const RAW_PIECE_S = 7200
const POINTS_LIMIT = 10_000
/** Time before the first step in which a series is looked for that stands still. */
const LOOKBACK_S = 300
/** Time of steps that are read whole, together; beyond it only totals that fall tell of a reset. */
const WHOLE_LIMIT_S = 86_400
/** Instants of a step at which the counts of native histograms are looked at. */
const SUBSTEPS = 600
/** Samples of one read. */
const SAMPLES_LIMIT = 5_000_000

/** Questions of one read to an engine. */
export class Sampling {
  readonly #client: EngineClient
  readonly #signal: AbortSignal
  readonly steps: StepRange
  readonly isRaw: boolean
  #samples = 0

  constructor(client: EngineClient, steps: StepRange, signal: AbortSignal) {
    this.#client = client
    this.#signal = signal
    this.steps = steps
    const { stepS, length } = steps
    this.isRaw = stepS <= RAW_STEP_S || stepS * length <= RAW_WINDOW_S
  }

  get #toS(): number {
    const { fromS, stepS, length } = this.steps
    return fromS + stepS * length
  }

  /**
   * Reads totals: some from before the first step say where it stood.
   * @param selector of all rows
   * @param growing selector of the row that tells of a new beginning
   * @param native selector of native histograms, of which Prometheus 2 knows no last one of a time
   */
  async totals(selector: string, growing: string, native?: string): Promise<SampledSeries[]> {
    const { fromS, stepS } = this.steps
    if (this.isRaw) return this.#raw(selector, fromS - LOOKBACK_S, this.#toS)
    const lead = Math.ceil(LOOKBACK_S / stepS)
    const lasts = await this.overSteps('last_over_time', selector, lead)
    const resets = await this.#resets(`${growing}[${stepS + LOOKBACK_S}s]`)
    const natives = native === undefined ? [] : await this.#range(native, lead)
    if (natives.some((each) => each.natives.length > 0)) {
      // of these it knows no resets either, but of their counts
      const counts = `histogram_count(${native})`
      const everyS = Math.ceil(stepS / SUBSTEPS)
      resets.push(...(await this.#resets(`${counts}[${stepS + LOOKBACK_S}s:${everyS}s]`)))
      lasts.push(...natives)
    }
    const whole = wholeSteps(lasts, this.steps, lead, resets)
    // a row that is no more after a reset would be taken for one of now, at its step's end
    const found = lasts.map((each) => without(each, whole, this.steps))
    for (const [from, to] of spansOf(whole)) {
      const [start, end] = [fromS + from * stepS, fromS + to * stepS]
      found.push(...(await this.#raw(selector, start, end)))
    }
    return found
  }

  /** Reads all samples of the steps. */
  all(selector: string): Promise<SampledSeries[]> {
    return this.#raw(selector, this.steps.fromS, this.#toS)
  }

  async #raw(selector: string, fromS: number, toS: number): Promise<SampledSeries[]> {
    const found: SampledSeries[] = []
    for (let start = fromS; start < toS; start += RAW_PIECE_S) {
      const end = Math.min(start + RAW_PIECE_S, toS)
      const query = `${selector}[${(end - start) * 1000 - 1}ms]`
      found.push(...(await this.#ask('query', { query, time: String(end) })))
    }
    return found
  }

  /**
   * Reads one value for each step, at its end.
   * @param lead steps before the first one that are read, too
   */
  async overSteps(
    call: 'last_over_time' | 'min_over_time' | 'max_over_time' | 'count_over_time',
    selector: string,
    lead = 0,
  ): Promise<SampledSeries[]> {
    // Prometheus 2 counts a sample at the very beginning, too
    const query = `${call}(${selector}[${this.steps.stepS * 1000 - 1}ms])`
    return this.#range(query, lead)
  }

  /** Finds steps in which totals may have begun anew. */
  #resets(range: string): Promise<SampledSeries[]> {
    return this.#range(`resets(${range}) > 0`, 0)
  }

  async #range(query: string, lead: number): Promise<SampledSeries[]> {
    const { fromS, stepS, length } = this.steps
    const found: SampledSeries[] = []
    for (let first = -lead; first < length; first += POINTS_LIMIT) {
      const end = Math.min(first + POINTS_LIMIT, length)
      const asked = {
        query,
        start: String(fromS + (first + 1) * stepS),
        end: String(fromS + end * stepS),
        step: String(stepS),
        // VictoriaMetrics else moves the bounds to where it has kept an answer
        nocache: '1',
      }
      found.push(...(await this.#ask('query_range', asked)))
    }
    return found
  }

  async #ask(path: string, asked: Readonly<Record<string, string>>): Promise<SampledSeries[]> {
    const found = matrixOf(await this.#client.ask(path, asked, this.#signal))
    for (const { times, natives } of found) this.#samples += times.length + natives.length
    if (this.#samples > SAMPLES_LIMIT) {
      throw new HistoryError('too_large', `read of more than ${SAMPLES_LIMIT} samples, the limit`)
    }
    return found
  }
}

/** Lists the steps of which all samples are needed. */
function wholeSteps(
  found: readonly SampledSeries[],
  steps: StepRange,
  lead: number,
  resets: readonly SampledSeries[],
): ReadonlySet<number> {
  const whole = new Set<number>()
  const add = (step: number): void => {
    const isBounded = (whole.size + 1) * steps.stepS <= WHOLE_LIMIT_S
    if (step >= 0 && step < steps.length && isBounded) whole.add(step)
  }
  for (const { times } of resets) for (const timeS of times) add(stepAt(steps, timeS))
  // the rows of a series have the same labels but for name and bound, and begin alike
  const seen = new Map<string, Set<number>>()
  for (const { labels, times, natives } of found) {
    const rest = [...labels].filter(([key]) => key !== NAME_LABEL)
    const key = labelsKey(rest)
    const places = seen.get(key) ?? new Set()
    seen.set(key, places)
    for (const timeS of times) places.add(stepAt(steps, timeS))
    for (const [timeS] of natives) places.add(stepAt(steps, timeS))
  }
  for (const places of seen.values()) {
    let last = Number.NEGATIVE_INFINITY
    for (const place of [...places].sort((a, b) => a - b)) {
      if (place - last > lead) add(place)
      last = place
    }
  }
  return whole
}

/** Leaves out the samples of some steps. */
function without(
  series: SampledSeries,
  left: ReadonlySet<number>,
  steps: StepRange,
): SampledSeries {
  const isKept = (timeS: number): boolean => !left.has(stepAt(steps, timeS))
  return {
    labels: series.labels,
    times: series.times.filter(isKept),
    values: series.values.filter((_, i) => isKept(series.times[i]!)),
    natives: series.natives.filter(([timeS]) => isKept(timeS)),
  }
}

/** Joins neighbouring steps: each span has those of [from, to). */
function spansOf(steps: ReadonlySet<number>): (readonly [from: number, to: number])[] {
  const spans: [number, number][] = []
  for (const step of [...steps].sort((a, b) => a - b)) {
    const last = spans.at(-1)
    if (last?.[1] === step) last[1]++
    else spans.push([step, step + 1])
  }
  return spans
}
