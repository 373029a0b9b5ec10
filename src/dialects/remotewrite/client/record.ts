/**
 * Records of the queue: a request of 1.0, packed as it is sent, and what only 2.0 tells of its
 * series. A record of a former version is the request alone; none begins with a zero, for a block
 * of snappy begins with its size.
 *
 *   record  [0x00][size of the request: u32le][request][facts, packed]
 *   facts   families 1 (repeated Family), series 2 (packed: family, start as zigzag of what it is
 *           after that of the series before, ms; 0 for none)
 *   Family  type 1 (enum), help 2, unit 3
 */
import { LENGTH_DELIMITED, ProtobufReader, VARINT } from '../../../wire/protobuf/reader.ts'
import { ProtobufWriter } from '../../../wire/protobuf/writer.ts'
import { textOf } from '../codec/request-scan.ts'
import type { SaidOfSeries } from '../codec/series-scan.ts'
import { packSnappy, unpackSnappy } from '../codec/snappy.ts'
import { UNPACKED_BYTES_LIMIT } from '../spec.ts'

const FAMILIES = 1
const SERIES = 2
const HEAD_BYTES = 5

/** Words of a family; equal ones have the same key. */
interface FamilyWords extends SaidOfSeries {
  readonly key: string
}

export function familyWords(type: number, help: string, unit: string): FamilyWords {
  return { type, help, unit, key: `${type} ${unit}\n${help}` }
}

/** Facts of a series beside its samples. */
export interface SeriesFacts {
  readonly words: FamilyWords
  /** Time at which its total began, Unix ms; 0 where that is not known, or it is none. */
  readonly startMs: number
}

/** Facts of the series of one request, in their order. */
export class FactsWriter {
  readonly #families = new Map<string, number>()
  readonly #words = new ProtobufWriter()
  readonly #series = new ProtobufWriter()
  #startMs = 0

  add({ words, startMs }: SeriesFacts): void {
    const { type, help, unit, key } = words
    let family = this.#families.get(key)
    if (family === undefined) {
      family = this.#families.size
      this.#families.set(key, family)
      this.#words.message(FAMILIES, () => {
        this.#words.tag(1, VARINT)
        this.#words.varint(type)
        this.#words.text(2, help)
        this.#words.text(3, unit)
      })
    }
    this.#series.varint(family)
    const after = startMs - this.#startMs
    this.#series.varint(after < 0 ? -2 * after - 1 : 2 * after)
    this.#startMs = startMs
  }

  /** Gives what was added, and begins anew. */
  finish(): Uint8Array {
    this.#words.bytes(SERIES, this.#series.finish())
    const bytes = this.#words.finish()
    this.#words.backTo(0)
    this.#series.backTo(0)
    this.#families.clear()
    this.#startMs = 0
    return bytes
  }
}

/** Packs a request and the facts of its series. */
export function packRecord(request: Uint8Array, facts: Uint8Array): Uint8Array<ArrayBuffer> {
  const body = packSnappy(request)
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(body.length, 1)
  return new Uint8Array(Buffer.concat([head, body, packSnappy(facts)]))
}

/** Request of a record as it is sent, and the facts of its series. */
export interface OpenedRecord {
  readonly body: Uint8Array<ArrayBuffer>
  readonly facts: readonly SeriesFacts[]
}

export function openRecord(record: Uint8Array<ArrayBuffer>): OpenedRecord {
  if (record[0] !== 0) return { body: record, facts: [] }
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength)
  const end = HEAD_BYTES + view.getUint32(1, true)
  const facts = unpackSnappy(record, UNPACKED_BYTES_LIMIT, end)
  const body = record.slice(HEAD_BYTES, end)
  return { body, facts: typeof facts === 'string' ? [] : readFacts(facts.bytes) }
}

function readFacts(bytes: Uint8Array): SeriesFacts[] {
  const reader = new ProtobufReader()
  const families: FamilyWords[] = []
  const facts: SeriesFacts[] = []
  reader.open(bytes)
  while (reader.next()) {
    if (reader.wire !== LENGTH_DELIMITED) reader.skip()
    else if (reader.field === FAMILIES) families.push(readFamily(bytes, reader.from, reader.to))
    else if (reader.field === SERIES) {
      const { from, to } = reader
      let startMs = 0
      const inner = new ProtobufReader()
      inner.open(bytes, from, to)
      while (inner.at < inner.end) {
        const words = families[inner.varint()]
        const after = inner.varint()
        startMs += after % 2 === 1 ? -(after + 1) / 2 : after / 2
        if (words === undefined || inner.isBroken) return facts
        facts.push({ words, startMs })
      }
    }
  }
  return facts
}

function readFamily(bytes: Uint8Array, from: number, to: number): FamilyWords {
  const reader = new ProtobufReader()
  const texts = ['', '']
  let type = 0
  reader.open(bytes, from, to)
  while (reader.next()) {
    if (reader.field === 1 && reader.wire === VARINT) type = reader.varint32()
    else if (reader.wire === LENGTH_DELIMITED && (reader.field === 2 || reader.field === 3)) {
      texts[reader.field - 2] = textOf(bytes, reader.from, reader.to)
    } else reader.skip()
  }
  return familyWords(type, texts[0]!, texts[1]!)
}
