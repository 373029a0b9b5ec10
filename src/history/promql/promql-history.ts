/**
 * A history in an engine that people run already, read by the HTTP API of Prometheus. What stands
 * in it was written by the relays of hubs; this reads it back as cells.
 *
 * Counters and buckets come back to the unit, up to the 2^53 of doubles; of a summary count and
 * mean are known, of a gauge what it was at the ends of seconds. Series that several hubs wrote are
 * merged, as cells of several series are.
 */
import { type Cell, mergeCells } from '../../model/index.ts'
import {
  type CellAnswer,
  type CellQuery,
  type FoundSeries,
  HistoryError,
  type HistoryReader,
  type PastQuery,
} from '../store.ts'
import { EngineClient } from './engine-client.ts'
import { findWritten } from './finding.ts'
import { growthOf, type RowSample, type StepRange, stepAt } from './growth.ts'
import type { SampledSeries } from './matrix.ts'
import { histogramOfSample } from './native.ts'
import { Sampling } from './sampling.ts'
import {
  BOUND_LABEL,
  HUB_LABEL,
  labelsKey,
  NAME_LABEL,
  rowsOf,
  sampleValue,
  selectorOf,
  type WrittenSeries,
} from './written.ts'

export interface PromqlOptions {
  /** Address of the API, `/api/v1` included, without credentials. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Time for a whole read. */
  readonly timeoutMs: number
  /** Name of the only hub whose series are read. */
  readonly hub?: string
  readonly answerBytesLimit?: number
}

interface PromqlParts {
  /**
   * Says how a series was written; undefined for one that no hub writes. It is asked at the
   * beginning of a read, before anything is waited for.
   */
  readonly namesOf: (key: Uint8Array) => WrittenSeries | undefined
  /** A gauge that every hub writes each second: where it is, one ran. */
  readonly pulse: Uint8Array
}

/** Cells of one answer, and series of one question. */
const CELLS_LIMIT = 2_000_000
const SERIES_A_QUESTION = 100
/** Questions under way at once, of one read. */
const QUESTIONS_AT_ONCE = 4

interface Found {
  readonly series: WrittenSeries
  readonly cells: (Cell | undefined)[]
  isThere: boolean
}

export class PromqlHistory implements HistoryReader {
  readonly #client: EngineClient
  readonly #options: PromqlOptions
  readonly #parts: PromqlParts
  readonly #closing = new AbortController()

  constructor(options: PromqlOptions, parts: PromqlParts) {
    this.#client = new EngineClient(options)
    this.#options = options
    this.#parts = parts
  }

  async read({ groups, fromS, toS, stepS }: CellQuery): Promise<CellAnswer> {
    const firstS = Math.floor(fromS / stepS) * stepS
    const length = Math.max(0, Math.ceil((toS - firstS) / stepS))
    const series = groups.reduce((sum, group) => sum + group.length, 0)
    const cells = length * Math.max(1, series)
    if (cells > CELLS_LIMIT) {
      throw new HistoryError('too_large', `read of ${cells} cells, limit ${CELLS_LIMIT}`)
    }
    const steps = { fromS: firstS, stepS, length }
    const covered = new Uint8Array(length)
    const found = this.#wanted(groups.flat(), length)
    const pulse = this.#parts.namesOf(this.#parts.pulse)
    if (length > 0 && found.size > 0) {
      const sampling = new Sampling(this.#client, steps, this.#signal())
      const questions = batchesOf([...new Set(found.values())]).map((batch) => {
        return () => this.#readBatch(sampling, batch)
      })
      if (pulse !== undefined) questions.push(() => this.#readCovered(sampling, pulse, covered))
      await all(questions)
    }
    const columns = groups.map((group) => columnOf(group, found, length))
    return { fromS: firstS, stepS, length, covered, columns }
  }

  find(query: PastQuery): Promise<FoundSeries> {
    return findWritten(this.#client, query, this.#options.hub, this.#signal())
  }

  /** Asks for nothing that costs anything, to see whether it answers. */
  async probe(): Promise<void> {
    await this.#client.ask('query', { query: '1' }, this.#signal())
  }

  async close(): Promise<void> {
    this.#closing.abort()
  }

  #signal(): AbortSignal {
    const timeout = AbortSignal.timeout(this.#options.timeoutMs)
    return AbortSignal.any([this.#closing.signal, timeout])
  }

  /** Finds what is asked for by keys; keys that are the same in an engine share what is found. */
  #wanted(keys: readonly Uint8Array[], length: number): Map<string, Found> {
    const found = new Map<string, Found>()
    const known = new Map<string, Found>()
    for (const key of keys) {
      const series = this.#parts.namesOf(key)
      if (series === undefined) continue
      const name = `${series.kind} ${series.name} ${labelsKey(series.labels)}`
      let each = known.get(name)
      if (each === undefined) {
        each = { series, cells: new Array(length).fill(undefined), isThere: false }
        known.set(name, each)
      }
      found.set(keyText(key), each)
    }
    return found
  }

  /** Reads series that have the same names. */
  async #readBatch(sampling: Sampling, batch: readonly Found[]): Promise<void> {
    const { series } = batch[0]!
    const written = batch.map((each) => each.series)
    const names = [...rowsOf(series).keys()]
    const select = (some: readonly string[]) => selectorOf(written, some, this.#options.hub)
    const targets = new Map(batch.map((each) => [labelsKey(each.series.labels), each]))
    if (series.kind === 'gauge') {
      await readGauges(sampling, select(names), targets)
      return
    }
    const growing = series.kind === 'counter' ? names : [`${series.name}_count`]
    const natives = [series.nativeName ?? series.name]
    const native = series.kind === 'histogram' ? select(natives) : undefined
    const sampled = await sampling.totals(select(names), select(growing), native)
    for (const [target, samples] of byTarget(sampled, targets)) {
      target.isThere = true
      put(target, growthOf(target.series, samples, sampling.steps))
    }
  }

  async #readCovered(sampling: Sampling, pulse: WrittenSeries, covered: Uint8Array): Promise<void> {
    const selector = selectorOf([pulse], [pulse.name], this.#options.hub)
    const found = sampling.isRaw
      ? await sampling.all(selector)
      : await sampling.overSteps('count_over_time', selector)
    for (const { times } of found) {
      for (const timeS of times) {
        const step = stepAt(sampling.steps, timeS)
        if (step >= 0 && step < covered.length) covered[step] = 1
      }
    }
  }
}

/** Puts series together that one question can ask for. */
function batchesOf(found: readonly Found[]): Found[][] {
  const batches: Found[][] = []
  const open = new Map<string, Found[]>()
  for (const each of found) {
    const name = `${each.series.kind} ${each.series.name}`
    let batch = open.get(name)
    if (batch === undefined || batch.length === SERIES_A_QUESTION) {
      batch = []
      batches.push(batch)
      open.set(name, batch)
    }
    batch.push(each)
  }
  return batches
}

/** Runs questions, some of them at once; the first that fails ends all. */
async function all(questions: (() => Promise<void>)[]): Promise<void> {
  const left = questions.values()
  const run = async (): Promise<void> => {
    for (const question of left) await question()
  }
  await Promise.all(Array.from({ length: QUESTIONS_AT_ONCE }, run))
}

/** Gives the labels by which a series of an engine is one of ours: all but those of its rows. */
function ownLabels({ labels }: SampledSeries, isBucket: boolean): string {
  return labelsKey(
    [...labels].filter(([key]) => {
      return key !== NAME_LABEL && key !== HUB_LABEL && !(isBucket && key === BOUND_LABEL)
    }),
  )
}

/** Sorts samples by the series that they are of, and by the hub that wrote them. */
function* byTarget(
  found: readonly SampledSeries[],
  targets: ReadonlyMap<string, Found>,
): Iterable<readonly [Found, RowSample[]]> {
  const sorted = new Map<string, { readonly target: Found; readonly samples: RowSample[] }>()
  for (const each of found) {
    const name = each.labels.get(NAME_LABEL) ?? ''
    const [first] = targets.values()
    const row = rowsOf(first!.series).get(name)
    if (row === undefined) continue
    const target = targets.get(ownLabels(each, row === 'bucket'))
    if (target === undefined) continue
    const { shift } = target.series
    const place = `${each.labels.get(HUB_LABEL)} ${labelsKey(target.series.labels)}`
    const entry = sorted.get(place) ?? { target, samples: [] }
    sorted.set(place, entry)
    const { samples } = entry
    const bound = sampleValue(each.labels.get(BOUND_LABEL) ?? '', shift)
    if (row === 'bucket' && Number.isNaN(bound)) continue
    const told = row === 'bucket' ? `le ${bound}` : row
    const unit = row === 'sum' || row === 'value' ? shift : 0
    each.times.forEach((timeS, i) => {
      const value = sampleValue(each.values[i]!, unit)
      if (!Number.isNaN(value) && row !== 'native') samples.push({ timeS, row: told, value })
    })
    for (const [timeS, sample] of each.natives) {
      const value = row === 'native' ? histogramOfSample(sample) : undefined
      if (value !== undefined) samples.push({ timeS, row: told, value })
    }
  }
  for (const { target, samples } of sorted.values()) yield [target, samples]
}

/** Reads gauges: of wide steps the last value, the least and the largest. */
async function readGauges(
  sampling: Sampling,
  selector: string,
  targets: ReadonlyMap<string, Found>,
): Promise<void> {
  const { steps, isRaw } = sampling
  if (isRaw) {
    for (const each of await sampling.all(selector)) putGauge(each, targets, steps)
    return
  }
  const lasts = await sampling.overSteps('last_over_time', selector)
  for (const each of lasts) putGauge(each, targets, steps)
  for (const call of ['min_over_time', 'max_over_time'] as const) {
    const found = await sampling.overSteps(call, selector)
    for (const each of found) widen(each, targets, steps)
  }
}

function putGauge(
  each: SampledSeries,
  targets: ReadonlyMap<string, Found>,
  steps: StepRange,
): void {
  const target = targets.get(ownLabels(each, false))
  if (target === undefined) return
  target.isThere = true
  each.times.forEach((timeS, i) => {
    const value = sampleValue(each.values[i]!, target.series.shift)
    if (Number.isNaN(value)) return
    put(target, [[stepAt(steps, timeS), { kind: 'gauge', value, at: timeS * 1000 }]])
  })
}

/** Adds what a gauge was besides its last value: it is not told which came first. */
function widen(each: SampledSeries, targets: ReadonlyMap<string, Found>, steps: StepRange): void {
  const target = targets.get(ownLabels(each, false))
  each.times.forEach((timeS, i) => {
    const step = stepAt(steps, timeS)
    const held = target?.cells[step]
    const value = sampleValue(each.values[i]!, target?.series.shift ?? 0)
    if (held?.kind !== 'gauge' || Number.isNaN(value) || value === held.value) return
    put(target!, [[step, { kind: 'gauge', value, at: held.at - 1 }]])
  })
}

function put(target: Found, cells: Iterable<readonly [step: number, cell: Cell]>): void {
  for (const [step, cell] of cells) {
    if (step < 0 || step >= target.cells.length) continue
    const held = target.cells[step]
    target.cells[step] = held === undefined ? cell : mergeCells(held, cell)
  }
}

function columnOf(
  group: readonly Uint8Array[],
  found: ReadonlyMap<string, Found>,
  length: number,
): CellAnswer['columns'][number] {
  const members = new Set(
    group.flatMap((key) => {
      const each = found.get(keyText(key))
      return each?.isThere ? [each] : []
    }),
  )
  const [first, ...others] = members
  if (first === undefined) return { kind: undefined, cells: new Array(length).fill(undefined) }
  const cells = [...first.cells]
  for (const other of others) {
    other.cells.forEach((cell, step) => {
      const held = cells[step]
      cells[step] =
        held === undefined || cell === undefined ? (held ?? cell) : mergeCells(held, cell)
    })
  }
  return { kind: first.series.kind, cells }
}

function keyText(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1')
}
