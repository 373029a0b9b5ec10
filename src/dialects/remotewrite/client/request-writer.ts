/**
 * Requests of remote write 1.0 as they are filled, a time series of one sample at a time: what is
 * written is the message of `codec/schema.ts`, whose labels were written once for each series. What
 * 2.0 would say of the series beside it is kept apart.
 *
 *   request  ([0x0a][size:varint][labels][0x12][size:varint][sample])…
 *   sample   [0x09][value:f64le][0x10][timestamp:varint]
 */
import type { Labels } from '../../../model/index.ts'
import { FIXED64, VARINT } from '../../../wire/protobuf/reader.ts'
import { ProtobufWriter } from '../../../wire/protobuf/writer.ts'
import { NAME_LABEL, STALE_BITS } from '../spec.ts'
import { FactsWriter, type SeriesFacts } from './record.ts'

/** Samples of one request, as Prometheus sends them. */
const SAMPLES_A_REQUEST = 2000
/** Bytes of one, before they are packed. */
const BYTES_A_REQUEST = 1024 * 1024

/** Fields of a time series. */
const SAMPLES = 2
const HISTOGRAMS = 4

export interface FilledRequest {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Facts of its series, as records have them. */
  readonly facts: Uint8Array
  readonly samples: number
}

/** Series of Prometheus that samples are written of. */
export interface WrittenSeries {
  readonly labels: Uint8Array
  readonly facts: SeriesFacts
}

/** Writes the labels of a series, the name among them, sorted as the document wants. */
export function labelBytes(name: string, labels: Labels): Uint8Array {
  const writer = new ProtobufWriter()
  const pairs = [[NAME_LABEL, name] as const, ...labels]
  for (const [key, value] of pairs.sort(([a], [b]) => compareBytes(a, b))) {
    writer.message(1, () => {
      writer.text(1, key)
      writer.text(2, value)
    })
  }
  return writer.finish()
}

/** Compares by code points, which is the order of the bytes of UTF-8. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

export class RequestWriter {
  #writer = new ProtobufWriter()
  readonly #facts = new FactsWriter()
  #samples = 0
  readonly #filled: (request: FilledRequest) => void

  /** @param filled gets each request that is full, and the last one with {@link flush} */
  constructor(filled: (request: FilledRequest) => void) {
    this.#filled = filled
  }

  sample(series: WrittenSeries, value: number, timeMs: number): void {
    this.#series(series, SAMPLES, () => {
      this.#writer.tag(1, FIXED64)
      this.#writer.double(value)
      this.#time(timeMs)
    })
  }

  /** Writes the NaN that says that a series has ended. */
  stale(series: WrittenSeries, timeMs: number): void {
    this.#series(series, SAMPLES, () => {
      this.#writer.tag(1, FIXED64)
      this.#writer.fixed64(STALE_BITS)
      this.#time(timeMs)
    })
  }

  #time(timeMs: number): void {
    this.#writer.tag(2, VARINT)
    this.#writer.varint(timeMs)
  }

  /** Writes a native histogram; `write` writes its fields. */
  histogram(series: WrittenSeries, write: (writer: ProtobufWriter) => void): void {
    this.#series(series, HISTOGRAMS, () => write(this.#writer))
  }

  #series({ labels, facts }: WrittenSeries, field: number, write: () => void): void {
    const writer = this.#writer
    writer.message(1, () => {
      writer.raw(labels)
      writer.message(field, write)
    })
    this.#facts.add(facts)
    this.#samples++
    if (this.#samples >= SAMPLES_A_REQUEST || writer.size >= BYTES_A_REQUEST) this.flush()
  }

  /** Hands on what is there. */
  flush(): void {
    if (this.#samples === 0) return
    const facts = this.#facts.finish()
    const request = { bytes: this.#writer.finish(), facts, samples: this.#samples }
    this.#writer.backTo(0)
    this.#samples = 0
    this.#filled(request)
  }
}
