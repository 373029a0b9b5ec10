/**
 * Whole expositions, read and written: one message for each metric, with its samples in a row. What
 * is written is OpenMetrics; read are all formats, told apart by their first and last bytes.
 */
import { type Exact, exact, type Histogram } from '../../model/index.ts'
import { ByteQueue } from '../../wire/byte-queue.ts'
import type { DecodeErrorFields } from '../../wire/decode-error.ts'
import { EncodeError } from '../../wire/encode-error.ts'
import { type CodecOptions, type Decoded, type Decoder, decodeWhole } from '../decoder.ts'
import { formatOfBytes, scanOf } from './codec/formats.ts'
import { readLabels, writeHelp, writeName, writeSeries } from './codec/labels.ts'
import { readNumber, writeNumber } from './codec/numbers.ts'
import type { Exemplar, Pairs, SampleScan } from './codec/sample.ts'
import { BODY_BYTES_LIMIT, type ErrorCode, NAME, TYPES } from './spec.ts'

/** Number, or the text of one that JSON has no number for. */
export type NumberText = number | string

/** Exemplar: labels of one observation, as its trace. */
export interface ReadExemplar {
  readonly labels: Readonly<Record<string, string>>
  readonly value: NumberText
  readonly timeMs?: number
}

/** Sample of a metric. */
export interface ReadSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Absent for a native histogram. */
  readonly value?: NumberText
  /** Time that is said with it, Unix ms. */
  readonly timeMs?: number
  /** Time since which its total counts, Unix ms, where that is no sample of its own. */
  readonly createdMs?: number
  readonly exemplar?: ReadExemplar
  readonly histogram?: ReadHistogram
}

/** Native histogram; buckets by their upper bounds. */
export interface ReadHistogram {
  readonly count: NumberText
  readonly sum: NumberText
  readonly scale: number
  readonly zeroThreshold: number
  readonly zeroCount: NumberText
  readonly positive: Readonly<Record<string, NumberText>>
  readonly negative: Readonly<Record<string, NumberText>>
}

/** Metric with its samples. */
export interface MetricFamily {
  readonly name: string
  readonly type: string
  readonly help?: string
  readonly unit?: string
  readonly samples: readonly ReadSample[]
}

/** Makes a decoder of an exposition in any format. */
export function createDecoder({ unpackedBytesLimit }: CodecOptions = {}): Decoder {
  return new ExpositionDecoder(unpackedBytesLimit ?? BODY_BYTES_LIMIT)
}

class ExpositionDecoder implements Decoder {
  readonly messages: MetricFamily[] = []
  readonly errors: DecodeErrorFields[] = []
  readonly notes: string[] = []
  readonly #limit: number
  readonly #held = new ByteQueue()
  #isEnded = false

  constructor(limit: number) {
    this.#limit = limit
  }

  push(bytes: Uint8Array): void {
    if (this.#isEnded) return
    if (this.#held.size + bytes.length > this.#limit) {
      this.#fail('too_large', 0)
      this.#isEnded = true
      this.#held.clear()
      return
    }
    this.#held.append(bytes)
  }

  end(): void {
    // read in this turn: what comes next would lie in the same place
    const bytes = this.#held.peek()
    this.#held.clear()
    this.#isEnded = false
    if (bytes.length === 0) return
    const format = formatOfBytes(bytes)
    this.notes.push(`format ${format}`)
    const scan = scanOf(bytes, format)
    let last: { family: unknown; samples: ReadSample[] } | undefined
    while (scan.next()) {
      const series = scan.problem ?? scan.series()
      if (typeof series === 'string') {
        this.#fail(series, scan.from)
        continue
      }
      if (last?.family !== scan.family) {
        last = { family: scan.family, samples: [] }
        const { name, type, help, unit } = scan.family
        const said = { ...(help === '' ? {} : { help }), ...(unit === '' ? {} : { unit }) }
        this.messages.push({ name, type, ...said, samples: last.samples })
      }
      last.samples.push(sampleOf(scan, series.name, series.labels))
    }
    if (scan.failure !== undefined) this.#fail(scan.failure, bytes.length)
  }

  #fail(code: ErrorCode, offset: number): void {
    const resync = code !== 'too_large' && code !== 'bad_protobuf'
    this.errors.push({ dialect: NAME, code, offset, resync })
  }
}

function sampleOf(scan: SampleScan, name: string, labels: Pairs): ReadSample {
  const { value, timeMs, createdMs, exemplar, histogram } = scan
  return {
    ...{ name, labels: Object.fromEntries(labels) },
    ...(histogram === undefined
      ? { value: numberText(value) }
      : { histogram: readHistogram(histogram.histogram) }),
    ...(Number.isNaN(timeMs) ? {} : { timeMs }),
    ...(Number.isNaN(createdMs) ? {} : { createdMs }),
    ...(exemplar === undefined ? {} : { exemplar: readExemplar(exemplar) }),
  }
}

function readExemplar({ labels, value, timeMs }: Exemplar): ReadExemplar {
  const read = { labels: Object.fromEntries(labels), value: numberText(value) }
  return timeMs === undefined ? read : { ...read, timeMs }
}

function readHistogram(histogram: Histogram): ReadHistogram {
  const { count, sum = Number.NaN, scale, zeroThreshold, zeroCount } = histogram
  const sides = [histogram.positive, histogram.negative].map((side) => {
    const buckets: Record<string, NumberText> = {}
    side.forEach((index, n) => {
      buckets[String(histogram.upperOf(index))] = numberText(exact(n))
    })
    return buckets
  })
  return {
    ...{ count: numberText(exact(count)), sum: numberText(sum), scale, zeroThreshold },
    ...{ zeroCount: numberText(exact(zeroCount)), positive: sides[0]!, negative: sides[1]! },
  }
}

function numberText(value: Exact): NumberText {
  const isPlain = typeof value === 'number' && Number.isFinite(value)
  return isPlain ? value + 0 : writeNumber(value)
}

/**
 * Reads a whole exposition: text 0.0.4, OpenMetrics or delimited protobuf.
 *
 * @example
 * import { decodeScraping } from 'pentameter/scraping'
 *
 * const text = '# TYPE hits_total counter\nhits_total{page="home"} 3\n'
 * const { messages } = decodeScraping(new TextEncoder().encode(text))
 * console.log(messages[0]!.samples[0]!.labels) // { page: 'home' }
 */
export function decodeScraping(
  bytes: Uint8Array,
  options: CodecOptions = {},
): Decoded<MetricFamily> {
  return decodeWhole<MetricFamily>(createDecoder(options), bytes)
}

/**
 * Writes metrics as one exposition of OpenMetrics.
 * @throws {EncodeError} for what the format cannot say, native histograms among it
 *
 * @example
 * import { encodeScraping } from 'pentameter/scraping'
 *
 * const samples = [{ name: 'room_celsius', labels: {}, value: 21.5 }]
 * const [bytes] = encodeScraping([{ name: 'room_celsius', type: 'gauge', samples }])
 * console.log(new TextDecoder().decode(bytes).split('\n')[1]) // room_celsius 21.5
 */
export function encodeScraping(messages: readonly unknown[]): Uint8Array[] {
  if (messages.length === 0) return []
  const text = messages.map((message) => familyText(message as MetricFamily)).join('')
  return [new TextEncoder().encode(`${text}# EOF\n`)]
}

function familyText(message: MetricFamily): string {
  const { name, type, help = '', unit = '', samples } = message ?? {}
  if (typeof name !== 'string' || name === '') throw problem('bad_message', 'no name')
  if (!(TYPES as readonly string[]).includes(type)) throw problem('bad_message', `type ${type}`)
  if (!Array.isArray(samples)) throw problem('bad_message', `${name}: no list samples`)
  if (/[\n\s]/.test(unit)) throw problem('bad_value', `${name}: unit ${JSON.stringify(unit)}`)
  const head = writeName(name)
  const unitLine = unit === '' ? '' : `# UNIT ${head} ${unit}\n`
  const helpLine = help === '' ? '' : `# HELP ${head} ${writeHelp(help)}\n`
  return `# TYPE ${head} ${type}\n${unitLine}${helpLine}${samples.map(sampleText).join('')}`
}

function sampleText(sample: ReadSample): string {
  const { name, labels = {}, value, timeMs, createdMs, exemplar, histogram } = sample ?? {}
  if (typeof name !== 'string' || name === '') throw problem('bad_message', 'sample without name')
  if (histogram !== undefined || createdMs !== undefined) {
    throw problem('bad_message', `${name}: only protobuf has a place for that`)
  }
  const series = writeSeries({ name, labels: Object.entries(labels) })
  const time = timeMs === undefined ? '' : ` ${secondsText(timeMs)}`
  return `${series} ${valueText(value)}${time}${exemplarText(exemplar)}\n`
}

function exemplarText(exemplar: ReadExemplar | undefined): string {
  if (exemplar === undefined) return ''
  const { labels, value, timeMs } = exemplar
  const series = writeSeries({ name: 'x', labels: Object.entries(labels) }).slice(1)
  if (typeof readLabels(series || '{}') === 'string') throw problem('bad_value', 'exemplar labels')
  const time = timeMs === undefined ? '' : ` ${secondsText(timeMs)}`
  return ` # ${series || '{}'} ${valueText(value)}${time}`
}

function valueText(value: NumberText | undefined): string {
  const read = typeof value === 'string' ? readNumber(value) : value
  if (typeof read !== 'number' && typeof read !== 'bigint') {
    throw problem('bad_value', `value ${String(value)}`)
  }
  return writeNumber(read)
}

/** Writes milliseconds as seconds, without a rounding in between. */
function secondsText(timeMs: number): string {
  if (!Number.isSafeInteger(timeMs)) throw problem('bad_value', `time ${timeMs}`)
  const digits = String(Math.abs(timeMs)).padStart(4, '0')
  return `${timeMs < 0 ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`
}

function problem(code: 'bad_message' | 'bad_value', detail: string): EncodeError {
  return new EncodeError({ dialect: NAME, code }, detail)
}
