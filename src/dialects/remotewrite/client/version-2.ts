/**
 * Requests of 1.0 as requests of 2.0: labels become references to symbols, samples are copied as
 * they are, and what is known of their series is put beside them.
 *
 *   request  ([0x22][size][symbol])… ([0x2a][size][series])…
 *   series   [labels_refs 1, packed] [samples 2 | histograms 3]… [metadata 5]
 */
import type { Task } from '../../../time/task.ts'
import { LENGTH_DELIMITED, ProtobufReader, VARINT } from '../../../wire/protobuf/reader.ts'
import { ProtobufWriter } from '../../../wire/protobuf/writer.ts'
import { openingRequest, textOf } from '../codec/request-scan.ts'
import { SeriesScan } from '../codec/series-scan.ts'
import type { SeriesFacts } from './record.ts'

const SYMBOLS = 4
const SERIES = 5
const LABELS_REFS = 1
const SAMPLES = 2
const HISTOGRAMS = 3
const METADATA = 5
/** Fields of a sample and of a histogram that say when it began. */
const SAMPLE_START = 3
const HISTOGRAM_START = 17
/** Series that are written in one step. */
const SERIES_A_STEP = 64

/** Symbols as they are written; each once, the empty one first. */
class SymbolsWriter {
  readonly #writer = new ProtobufWriter()
  readonly #known = new Map<string, number>()

  constructor() {
    this.referenceOf('')
  }

  referenceOf(text: string): number {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const reference = this.#known.size
    this.#known.set(text, reference)
    this.#writer.text(SYMBOLS, text)
    return reference
  }

  finish(): Uint8Array {
    return this.#writer.finish()
  }
}

/**
 * Makes a task that writes a request anew.
 * @param facts of its series, in their order; of those beyond nothing is said
 * @returns undefined where the request can't be read
 */
export function* writingVersion2(
  bytes: Uint8Array,
  facts: readonly SeriesFacts[],
): Task<Uint8Array | undefined> {
  const opened = yield* openingRequest(bytes, 1, () => {})
  if (typeof opened === 'string') return undefined
  const scan = new SeriesScan(opened)
  const symbols = new SymbolsWriter()
  const labels = new LabelReferences(symbols)
  const writer = new ProtobufWriter()
  for (let i = 0; scan.next(); i++) {
    if (i % SERIES_A_STEP === SERIES_A_STEP - 1) yield
    if (scan.problem !== undefined) return undefined
    const place = writer.begin(SERIES)
    const references = writer.begin(LABELS_REFS)
    for (let k = 0; k < scan.rangeCount; k++) {
      const pair = labels.of(bytes, scan.labels[2 * k]!, scan.labels[2 * k + 1]!)
      writer.varint(pair.name)
      writer.varint(pair.value)
    }
    writer.end(references)
    const startMs = facts[i]?.startMs ?? 0
    while (scan.nextPoint()) {
      if (scan.pointTo < scan.pointFrom) return undefined
      const point = writer.begin(scan.isHistogram ? HISTOGRAMS : SAMPLES)
      writer.raw(bytes.subarray(scan.pointFrom, scan.pointTo))
      if (startMs > 0) {
        writer.tag(scan.isHistogram ? HISTOGRAM_START : SAMPLE_START, VARINT)
        writer.varint(startMs)
      }
      writer.end(point)
    }
    writeMetadata(writer, symbols, facts[i])
    writer.end(place)
  }
  return Buffer.concat([symbols.finish(), writer.finish()])
}

function writeMetadata(
  writer: ProtobufWriter,
  symbols: SymbolsWriter,
  facts: SeriesFacts | undefined,
): void {
  if (facts === undefined) return
  const { type, help, unit } = facts.words
  const place = writer.begin(METADATA)
  writer.tag(1, VARINT)
  writer.varint(type)
  writer.tag(3, VARINT)
  writer.varint(symbols.referenceOf(help))
  writer.tag(4, VARINT)
  writer.varint(symbols.referenceOf(unit))
  writer.end(place)
}

/** References of a label. */
interface Pair {
  readonly name: number
  readonly value: number
}

/** References of labels by their bytes: one that comes again is not decoded. */
class LabelReferences {
  readonly #symbols: SymbolsWriter
  readonly #known = new Map<string, Pair>()
  readonly #reader = new ProtobufReader()

  constructor(symbols: SymbolsWriter) {
    this.#symbols = symbols
  }

  of(bytes: Uint8Array, from: number, to: number): Pair {
    const { buffer, byteOffset } = bytes
    const key = Buffer.from(buffer, byteOffset + from, to - from).toString('latin1')
    let pair = this.#known.get(key)
    if (pair === undefined) {
      const texts = this.#texts(bytes, from, to)
      const [name, value] = texts.map((text) => this.#symbols.referenceOf(text)) as [number, number]
      pair = { name, value }
      this.#known.set(key, pair)
    }
    return pair
  }

  #texts(bytes: Uint8Array, from: number, to: number): string[] {
    const reader = this.#reader
    const texts = ['', '']
    reader.open(bytes, from, to)
    while (reader.next()) {
      const isText = reader.wire === LENGTH_DELIMITED && reader.field <= 2
      if (isText) texts[reader.field - 1] = textOf(bytes, reader.from, reader.to)
      else reader.skip()
    }
    return texts
  }
}
