/**
 * Rows: cells of a history as tables of other programs have them, one row a cell. Plain columns
 * say what most ask for; `detail` and `about` are JSON and say what these can't, so that a cell
 * comes back from its row as it was (docs/formats/history-rows.md).
 */

import type { PastCell } from '../../history/sqlite/bundles/insertion.ts'
import type { KeptCell } from '../../history/sqlite/offline/snapshot.ts'
import type { PastSeries } from '../../history/sqlite/slots.ts'
import type { StoredSeries } from '../../history/store.ts'
import {
  type Cell,
  type Exact,
  exact,
  exactToJson,
  fromHex,
  type GaugeSpread,
  Histogram,
  type Identity,
  identityKey,
  identityOf,
  type Kind,
  type Metadata,
  type Summary,
  sortLabels,
  toHex,
} from '../../model/index.ts'
import { IDENTITY_BYTES_LIMIT } from '../../model/series.ts'

export const FORMATS = ['openmetrics', 'csv', 'parquet'] as const
export type Format = (typeof FORMATS)[number]

/** Columns in their order; all but the first ones may be empty. */
export const COLUMNS = [
  ...['time', 'seconds', 'name', 'labels', 'kind', 'value', 'count', 'sum', 'min', 'max'],
  ...['detail', 'about'],
] as const

export interface Row {
  /** End of the cell, Unix milliseconds. */
  readonly time: number
  readonly seconds: number
  readonly name: string
  /** Object, as JSON. */
  readonly labels: string
  readonly kind: string
  readonly value: number | undefined
  readonly count: number | undefined
  readonly sum: number | undefined
  readonly min: number | undefined
  readonly max: number | undefined
  readonly detail: string | undefined
  readonly about: string | undefined
}

/** A row of a file, which is looked at when it is asked for. */
export interface PlacedRow {
  /** Number of its line in CSV, of the row in Parquet, from 1. */
  readonly number: number
  /** @throws {RowError} for what is no row */
  readonly row: () => Row
}

type Numbers = Pick<Row, 'value' | 'count' | 'sum' | 'min' | 'max' | 'detail'>

const NO_NUMBERS: Numbers = {
  ...{ value: undefined, count: undefined, sum: undefined, min: undefined, max: undefined },
  detail: undefined,
}

/** Texts that are the same in all rows of a series. */
export interface RowHead {
  readonly name: string
  readonly labels: string
  readonly about: string
}

/** Describes a series; undefined for one whose key says nothing. */
export function rowHead({ key, metadata }: StoredSeries): RowHead | undefined {
  const identity = identityOf(key)
  if (identity === undefined) return undefined
  const { name, labels, qualifier, nameBytes } = identity
  const about = {
    metadata,
    ...(qualifier === undefined ? {} : { qualifier }),
    ...(nameBytes === undefined ? {} : { nameBytes: toHex(nameBytes) }),
  }
  return { name, labels: JSON.stringify(Object.fromEntries(labels)), about: JSON.stringify(about) }
}

export function rowOf(head: RowHead, { endS, widthS, cell }: KeptCell): Row {
  const { name, labels, about } = head
  const when = { time: endS * 1000, seconds: widthS }
  return { ...when, name, labels, kind: cell.kind, ...numbersOf(cell, endS * 1000), about }
}

function numbersOf(cell: Cell, endMs: number): Numbers {
  switch (cell.kind) {
    case 'counter':
      return { ...NO_NUMBERS, value: Number(cell.delta), detail: detailOf({ value: cell.delta }) }
    case 'gauge': {
      const { value, at, spread } = cell
      const time = at === endMs ? {} : { at }
      const first = spread && { first: textOf(spread.first), firstAt: spread.firstAt }
      return {
        ...NO_NUMBERS,
        value: Number(value),
        ...(spread && { count: spread.count, min: spread.min, max: spread.max }),
        detail: detailOf({ value }, { ...time, ...first }),
      }
    }
    case 'histogram':
      return histogramNumbers(cell.histogram)
    case 'summary': {
      const { count, mean, squares, min, max } = cell.summary
      const detail = JSON.stringify({ mean: textOf(mean), squares: textOf(squares) })
      return { ...NO_NUMBERS, count, sum: mean * count, min, max, detail }
    }
  }
}

function histogramNumbers(histogram: Histogram): Numbers {
  const { count, sum, min, max, scale, bounds, positive, negative } = histogram
  const { zeroCount, zeroThreshold, overflow, overflowFrom } = histogram
  const form = bounds === undefined ? { scale } : { bounds: bounds.map(textOf) }
  const parts = {
    ...form,
    ...(zeroCount === 0n ? {} : { zero: exactJson(zeroCount) }),
    ...(zeroThreshold === 0 ? {} : { zeroTo: zeroThreshold }),
    ...(negative.isEmpty ? {} : { negative: bucketsOf(negative) }),
    buckets: bucketsOf(positive),
    ...(overflow === 0n ? {} : { overflow: exactJson(overflow) }),
    ...(Number.isFinite(overflowFrom) ? { overflowFrom } : {}),
  }
  return {
    value: undefined,
    count: Number(count),
    sum: sum === undefined ? undefined : Number(sum),
    min: known(min),
    max: known(max),
    detail: detailOf({ sum: sum ?? 0, min, max }, parts),
  }
}

function known(value: Exact): number | undefined {
  return Number.isNaN(value) ? undefined : Number(value)
}

function bucketsOf(run: Histogram['positive']): [number, number | string][] {
  const buckets: [number, number | string][] = []
  run.forEach((index, count) => {
    buckets.push([index, exactJson(count)])
  })
  return buckets
}

function exactJson(count: bigint): number | string {
  return exactToJson(exact(count))
}

/** Writes what columns can't say: integers beyond 2^53, and other parts. */
function detailOf(values: Readonly<Record<string, Exact>>, parts: object = {}): string | undefined {
  const wide = Object.entries(values).filter(([, value]) => typeof value === 'bigint')
  const all = { ...parts, ...Object.fromEntries(wide.map(([name, value]) => [name, `${value}`])) }
  return Object.keys(all).length === 0 ? undefined : JSON.stringify(all)
}

/** Writes a double; JSON has no numbers for some. */
function textOf(value: number): number | string {
  return Number.isFinite(value) && !Object.is(value, -0) ? value : numberText(value)
}

/** Writes a double so that it is read as it was. */
export function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Error of a row, whose message begins with the column, or of a file that ends in it. */
export class RowError extends Error {
  override readonly name = 'RowError'

  /** Column that is at fault. */
  get column(): string {
    return this.message.slice(0, this.message.indexOf(':'))
  }
}

/** End of the times that are taken, Unix seconds: the year 10000. */
const END_S = 253_402_300_800

/** Reader of rows, which makes the same series of the same texts. */
export class RowReader {
  readonly #series = new Map<string, PastSeries & { readonly kind: Kind }>()

  /** @throws {RowError} for what is no cell */
  read(row: Row): PastCell {
    const { seconds, time } = row
    if (seconds !== 1 && seconds !== 60 && seconds !== 3600) {
      throw new RowError(`seconds: want 1, 60 or 3600, got ${seconds}`)
    }
    const endS = time / 1000
    if (!Number.isSafeInteger(endS) || endS % seconds !== 0 || endS <= 0) {
      throw new RowError(`time: want the end of a cell of ${seconds} s`)
    }
    if (endS >= END_S) throw new RowError('time: want one before the year 10000')
    const series = this.#seriesOf(row)
    return { series, endS, widthS: seconds, cell: cellOf(row, series.kind) }
  }

  #seriesOf({ name, labels, kind, about }: Row): PastSeries & { readonly kind: Kind } {
    const id = JSON.stringify([name, labels, kind, about])
    const held = this.#series.get(id)
    if (held !== undefined) return held
    if (name === '') throw new RowError('name: want one, got an empty text')
    const facts = objectOf(about, 'about')
    const pairs = Object.entries(objectOf(labels, 'labels')).map(([key, value]) => {
      if (typeof value !== 'string') throw new RowError(`labels: ${key} is no text`)
      return [key, value] as const
    })
    const identity: Identity = {
      name,
      kind: kindOf(kind),
      labels: sortLabels(pairs),
      ...qualifierOf(facts.qualifier),
      ...(typeof facts.nameBytes === 'string' ? { nameBytes: fromHex(facts.nameBytes) } : {}),
    }
    const key = identityKey(identity)
    if (key.length > IDENTITY_BYTES_LIMIT) {
      const limit = `limit ${IDENTITY_BYTES_LIMIT}`
      throw new RowError(`name: ${key.length} bytes with labels and kind, ${limit}`)
    }
    const series = { key, metadata: metadataOf(facts), kind: identity.kind }
    this.#series.set(id, series)
    return series
  }
}

function kindOf(text: string): Kind {
  if (text === 'counter' || text === 'gauge' || text === 'histogram' || text === 'summary') {
    return text
  }
  throw new RowError(`kind: want counter, gauge, histogram or summary, got ${text}`)
}

function qualifierOf(value: unknown): Pick<Identity, 'qualifier'> {
  if (!Array.isArray(value)) return {}
  const [key, word] = value
  return typeof key === 'string' && typeof word === 'string' ? { qualifier: [key, word] } : {}
}

function metadataOf({ metadata }: Readonly<Record<string, unknown>>): Metadata {
  const given = metadata as Partial<Metadata> | undefined
  return { ...given, dialect: typeof given?.dialect === 'string' ? given.dialect : 'import' }
}

function objectOf(text: string | undefined, column: string): Record<string, unknown> {
  if (text === undefined || text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      return value as Record<string, unknown>
    }
  } catch {
    // told below
  }
  throw new RowError(`${column}: want a JSON object`)
}

function cellOf(row: Row, kind: Kind): Cell {
  const detail = new Detail(objectOf(row.detail, 'detail'))
  switch (kind) {
    case 'counter': {
      const delta = detail.exact('value') ?? needed(row.value, 'value')
      if (!(delta >= 0) || delta === Number.POSITIVE_INFINITY) {
        throw new RowError(`value: want an increase, got ${delta}`)
      }
      return { kind, delta }
    }
    case 'gauge': {
      const value = detail.exact('value') ?? needed(row.value, 'value')
      const at = detail.number('at') ?? row.time
      const spread = spreadOf(row, detail)
      return { kind, value, at, ...(spread === undefined ? {} : { spread }) }
    }
    case 'histogram':
      return { kind, histogram: histogramOf(row, detail) }
    case 'summary':
      return { kind, summary: summaryOf(row, detail) }
  }
}

function needed(value: number | undefined, column: string): number {
  if (value === undefined) throw new RowError(`${column}: want a number`)
  return value
}

function wholeCount(value: number | undefined): number {
  const count = needed(value, 'count')
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new RowError(`count: want a whole number from 1 on, got ${count}`)
}

function spreadOf({ count, min, max, time }: Row, detail: Detail): GaugeSpread | undefined {
  const first = detail.number('first')
  if (first === undefined) return undefined
  return {
    first,
    firstAt: detail.number('firstAt') ?? time,
    min: needed(min, 'min'),
    max: needed(max, 'max'),
    count: wholeCount(count),
  }
}

function summaryOf({ count, sum, min, max }: Row, detail: Detail): Summary {
  const whole = wholeCount(count)
  const mean = detail.number('mean') ?? needed(sum, 'sum') / whole
  const extremes = { min: min ?? Number.NaN, max: max ?? Number.NaN }
  return { count: whole, mean, squares: detail.number('squares') ?? 0, ...extremes }
}

function histogramOf({ count: told, sum, min, max }: Row, detail: Detail): Histogram {
  const bounds = detail.numbers('bounds')
  const histogram = new Histogram(detail.scale())
  histogram.bounds = bounds
  const indexEnd = bounds === undefined ? 2 ** 31 : bounds.length + 1
  for (const [index, count] of detail.buckets('buckets', indexEnd)) {
    histogram.addBucket(index, count)
  }
  for (const [index, count] of detail.buckets('negative', indexEnd)) {
    histogram.addBucket(index, count, true)
  }
  histogram.zeroCount = detail.count('zero')
  histogram.zeroThreshold = detail.number('zeroTo') ?? 0
  histogram.overflow = detail.count('overflow')
  histogram.overflowFrom = detail.number('overflowFrom') ?? Number.POSITIVE_INFINITY
  histogram.count += histogram.zeroCount + histogram.overflow
  if (histogram.isEmpty) throw new RowError('detail: a histogram without observations')
  const { count } = histogram
  if (told !== undefined && told !== Number(count)) {
    throw new RowError(`count: ${told}, but its buckets have ${count}`)
  }
  histogram.sum = sum === undefined ? undefined : (detail.exact('sum') ?? sum)
  histogram.min = detail.exact('min') ?? min ?? Number.NaN
  histogram.max = detail.exact('max') ?? max ?? Number.NaN
  return histogram
}

/** Largest count of a bucket, a u64. */
const COUNT_MAX = 2n ** 64n - 1n

/** Reader of the column `detail`. */
class Detail {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values
  }

  /** Reads a number, or a text that names one of those that JSON does not have. */
  number(name: string): number | undefined {
    const value = this.#values[name]
    if (value === undefined) return undefined
    const number = typeof value === 'string' && value !== '' ? Number(value) : value
    if (typeof number !== 'number' || (Number.isNaN(number) && value !== 'NaN')) {
      throw new RowError(`detail: ${name} is no number`)
    }
    return number
  }

  /** Reads an integer in digits; undefined where the column of its name says it. */
  exact(name: string): Exact | undefined {
    const value = this.#values[name]
    if (value === undefined) return undefined
    if (typeof value === 'string' && /^-?\d{1,40}$/.test(value)) return exact(BigInt(value))
    throw new RowError(`detail: ${name} is no integer in digits`)
  }

  count(name: string): bigint {
    return countOf(this.#values[name] ?? 0, name)
  }

  scale(): number {
    const scale = this.number('scale') ?? 0
    if (Number.isInteger(scale) && scale >= -20 && scale <= 20) return scale
    throw new RowError(`detail: scale ${scale} is not within -20 to 20`)
  }

  numbers(name: string): number[] | undefined {
    const list = this.#values[name]
    if (list === undefined) return undefined
    const numbers = Array.isArray(list) ? list.map(Number) : []
    const isRising = numbers.every((each, i) => i === 0 || each > numbers[i - 1]!)
    if (numbers.length > 0 && numbers.length <= 4096 && isRising) return numbers
    throw new RowError(`detail: want 1 to 4096 rising ${name}`)
  }

  buckets(name: string, indexEnd: number): (readonly [number, bigint])[] {
    const list = this.#values[name] ?? []
    if (!Array.isArray(list)) throw new RowError(`detail: ${name} is no list`)
    return list.map((pair: unknown) => {
      const [index, count] = Array.isArray(pair) ? pair : []
      if (!Number.isInteger(index) || index >= indexEnd || index < -(2 ** 31)) {
        throw new RowError(`detail: bucket ${JSON.stringify(pair)} of ${name}`)
      }
      return [index, countOf(count, name)] as const
    })
  }
}

function countOf(value: unknown, name: string): bigint {
  const isWhole = Number.isSafeInteger(value) || /^\d{1,20}$/.test(String(value))
  const count = isWhole ? BigInt(value as number | string) : -1n
  if (count >= 0n && count <= COUNT_MAX) return count
  throw new RowError(`detail: ${name} has the count ${JSON.stringify(value)}`)
}
