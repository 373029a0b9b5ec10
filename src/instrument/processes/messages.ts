/**
 * Messages between the processes of a cluster, over the channel that Node gives them: values of a
 * process as they change, and scrapes that are asked for and answered. The channel carries JSON,
 * so numbers that JSON lacks are spelled, and a row that has not changed is not sent again.
 */
import type { ExpositionFormat } from '../../exposition/negotiation.ts'
import { type Exact, type Exemplar, Histogram } from '../../model/index.ts'
import type { MetricsBody } from '../metrics.ts'
import type { Reading } from '../readings/reading.ts'

/** One reading: its number in its process, value and {@link countOf}; its head where new. */
export type Row = readonly [id: number, value: string, count: number, head?: string]

/** Message of a worker to the primary. */
export type FromWorker =
  /** All that changed since the message before; `gone` are the numbers of gauges that ended. */
  | { readonly kind: 'values'; readonly rows: readonly Row[]; readonly gone: readonly number[] }
  /** Request for the text of all processes. */
  | { readonly kind: 'scrape'; readonly turn: number; readonly format: ExpositionFormat }
  /** Statement that the values of that turn have all been sent. */
  | { readonly kind: 'told'; readonly turn: number }

/** Message of the primary to a worker. */
export type FromPrimary =
  | { readonly kind: 'tell'; readonly turn: number }
  | ({ readonly kind: 'scraped'; readonly turn: number } & Packed)

/** Exposition in JSON: a text as it is, bytes in base64. */
interface Packed {
  readonly text: string
  readonly isBytes: boolean
}

export function packed(body: MetricsBody): Packed {
  const isBytes = typeof body !== 'string'
  return { isBytes, text: isBytes ? Buffer.from(body).toString('base64') : body }
}

export function unpacked({ text, isBytes }: Packed): MetricsBody {
  return isBytes ? new Uint8Array(Buffer.from(text, 'base64')) : text
}

/** Mark of messages that are ours: an application has messages of its own. */
const MARK = 'pentameter-metrics'

export function sealed(message: FromWorker | FromPrimary): object {
  return { [MARK]: message }
}

/** Opens a message; undefined for one of the application. */
export function opened<Message extends FromWorker | FromPrimary>(
  sent: unknown,
): Message | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined
  return (sent as Readonly<Record<string, Message>>)[MARK]
}

type Head = Pick<Reading, 'description' | 'labels' | 'kind' | 'isFractional'>

export function headText({ description, labels, kind, isFractional }: Reading): string {
  return JSON.stringify({ description, labels, kind, isFractional } satisfies Head)
}

/** Exemplars of a reading, where it has any. */
interface Marked {
  readonly exemplars?: readonly Exemplar[]
}

/** Writes what a reading says now, apart from what it is. */
export function valueText(reading: Reading): string {
  const { exemplars = [] } = reading
  const marked = exemplars.length === 0 ? {} : { exemplars }
  switch (reading.kind) {
    case 'counter':
      return spelled({ total: reading.total, ...marked })
    case 'gauge':
      return spelled(reading.value)
    case 'histogram':
      return spelled({ histogram: histogramFields(reading.histogram), ...marked })
    case 'summary': {
      const { sum, count, last, quantiles } = reading
      return spelled({ sum, count, last, quantiles })
    }
  }
}

/** Reads what {@link headText} and {@link valueText} have written. */
export function readingOf(head: string, value: string): Reading {
  const { kind, ...rest } = JSON.parse(head) as Head
  const read: unknown = JSON.parse(value, unspelled)
  switch (kind) {
    case 'counter':
      return { ...rest, kind, ...(read as Marked & { total: Exact }) }
    case 'gauge':
      return { ...rest, kind, value: read as number }
    case 'histogram': {
      const { histogram, ...marked } = read as Marked & { histogram: HistogramFields }
      return { ...rest, kind, histogram: histogramOf(histogram), ...marked }
    }
    case 'summary':
      return { ...rest, kind, ...(read as { sum: number; count: number; last: never }) }
  }
}

/**
 * Counts what a reading has recorded, to within rounding: less than before means that its
 * instrument was made anew. A gauge records nothing.
 */
export function countOf(reading: Reading): number {
  switch (reading.kind) {
    case 'counter':
      return Number(reading.total)
    case 'gauge':
      return 0
    case 'histogram':
      return Number(reading.histogram.count)
    case 'summary':
      return reading.count
  }
}

interface HistogramFields
  extends Pick<Histogram, 'scale' | 'count' | 'sum' | 'min' | 'max' | 'zeroCount' | 'bounds'> {
  readonly zeroThreshold: number
  readonly positive: Side
  readonly negative: Side
}

interface Side {
  readonly offset: number
  readonly counts: readonly bigint[]
}

function histogramFields(histogram: Histogram): HistogramFields {
  const { scale, count, sum, min, max, zeroCount, zeroThreshold, positive, negative } = histogram
  const { bounds } = histogram
  const side = (run: Histogram['positive']): Side => {
    return { offset: run.offset, counts: [...run.counts] }
  }
  return {
    ...{ scale, count, sum, min, max, zeroCount, zeroThreshold, bounds },
    ...{ positive: side(positive), negative: side(negative) },
  }
}

function histogramOf({ positive, negative, ...fields }: HistogramFields): Histogram {
  const histogram = Object.assign(new Histogram(fields.scale), fields)
  for (const [run, { offset, counts }] of [
    [histogram.positive, positive],
    [histogram.negative, negative],
  ] as const) {
    run.offset = offset
    run.counts = BigUint64Array.from(counts)
  }
  return histogram
}

/** Writes JSON in which bigints, numbers that are not finite and texts are texts with a mark. */
function spelled(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each === 'string') return `s${each}`
    if (typeof each === 'bigint') return `i${each}`
    return typeof each === 'number' && !Number.isFinite(each) ? `d${each}` : each
  })
}

function unspelled(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const said = value.slice(1)
  if (value.startsWith('s')) return said
  return value.startsWith('i') ? BigInt(said) : Number(said)
}
