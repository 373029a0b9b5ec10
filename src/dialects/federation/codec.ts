/** Federation as messages, for tools and tests: every body as a plain object that JSON can say. */
import { fromHex, type Identity, identityKey, toHex } from '../../model/index.ts'
import type { DecodeErrorFields } from '../../wire/decode-error.ts'
import { EncodeError } from '../../wire/encode-error.ts'
import { type Decoded, type Decoder, decodeWhole } from '../decoder.ts'
import { ByteReader } from './codec/byte-reader.ts'
import { ByteWriter } from './codec/byte-writer.ts'
import {
  readCounters,
  readGauges,
  readHistograms,
  readSummaries,
  writeGauges,
  writeHistogram,
  writeNumbers,
  writeSummary,
} from './codec/cells.ts'
import { MessageSplit } from './codec/message-split.ts'
import {
  readEnd,
  readGone,
  readHello,
  readSeries,
  writeEnd,
  writeHello,
  writeSeries,
} from './codec/words.ts'
import {
  BODY_BYTES_LIMIT,
  type ErrorCode,
  HEADER_BYTES,
  NAME,
  TYPE,
  type TypeName,
} from './spec.ts'

/** Message of the stream: its type, and members as `README.md` has them. */
export interface FederationMessage {
  readonly type: TypeName
  readonly [member: string]: unknown
}

// biome-ignore lint/suspicious/noExplicitAny: members of a message that a person may have written
type Loose = Record<string, any>

interface Form {
  readonly code: ErrorCode
  /** Reads a body; undefined for one that is none. */
  read(body: Uint8Array): Loose | undefined
  write(out: ByteWriter, message: Loose): void
}

const encoder = new TextEncoder()
const BAD_MESSAGE = { dialect: NAME, code: 'bad_message' } as const

const FORMS: Readonly<Record<TypeName, Form>> = {
  hello: {
    code: 'bad_hello',
    read: (body) => readHello(body) as Loose | undefined,
    write: (out, { version, start, hub, nowMs, first }) =>
      writeHello(out, { version, start, hub, nowMs, first }),
  },
  series: {
    code: 'bad_series',
    read: (body) => {
      const series = readSeries(new ByteReader(body))
      return (
        series && {
          series: series.map(({ key: _key, metadataSize: _size, ...told }) => ({
            ...told,
            ...shown(told),
          })),
        }
      )
    },
    write: (out, { series }) => {
      for (const { ref, form = 0, identity, metadata } of series) {
        const key = identityKey(meant(identity))
        writeSeries(out, { ref, form, key }, encoder.encode(JSON.stringify(metadata)))
      }
    },
  },
  gone: {
    code: 'bad_gone',
    read: (body) => {
      const refs = readGone(new ByteReader(body))
      return refs && { refs }
    },
    write: (out, { refs }) => {
      for (const ref of refs) out.u32(ref)
    },
  },
  counters: {
    code: 'bad_cells',
    read: (body) => plainNumbers(readCounters(new ByteReader(body))),
    write: (out, { refs, cells }) => writeNumbers(out, { refs, cells: cells.map(exactOf) }),
  },
  gauges: {
    code: 'bad_cells',
    read: (body) => {
      const gauges = readGauges(new ByteReader(body))
      return gauges && { ...plainNumbers(gauges), spreads: [...gauges.spreads] }
    },
    write: (out, { refs, cells, spreads = [] }) =>
      writeGauges(out, { refs, cells: cells.map(exactOf), spreads: new Map(spreads) }),
  },
  histograms: {
    code: 'bad_cells',
    read: (body) => {
      const histograms = readHistograms(new ByteReader(body))
      return histograms && { refs: histograms.refs, cells: histograms.cells.map(toHex) }
    },
    write: (out, { refs, cells }) => {
      for (const [i, ref] of refs.entries()) writeHistogram(out, ref, fromHex(cells[i]))
    },
  },
  summaries: {
    code: 'bad_cells',
    read: (body) => {
      const summaries = readSummaries(new ByteReader(body))
      return summaries && { ...summaries }
    },
    write: (out, { refs, cells }) => {
      for (const [i, ref] of refs.entries()) writeSummary(out, ref, cells[i])
    },
  },
  end: {
    code: 'bad_end',
    read: (body) => readEnd(new ByteReader(body)) as Loose | undefined,
    write: (out, { sequence, endMs, seconds, nowMs }) =>
      writeEnd(out, { sequence, endMs, seconds, nowMs }),
  },
}

const NAMES: ReadonlyMap<number, TypeName> = new Map(
  Object.entries(TYPE).map(([name, type]) => [type, name as TypeName]),
)

/** Writes what JSON has no number for as text: integers that no double holds, and NaN. */
function plainNumbers(
  read:
    | { readonly refs: readonly number[]; readonly cells: readonly (number | bigint)[] }
    | undefined,
): Loose | undefined {
  if (read === undefined) return undefined
  const cells = read.cells.map((cell) => (Number.isFinite(cell) ? cell : String(cell)))
  return { refs: read.refs, cells }
}

function exactOf(cell: unknown): number | bigint {
  if (typeof cell !== 'string') return cell as number
  return /^-?\d+$/.test(cell) ? BigInt(cell) : Number(cell)
}

function shown({ identity }: { readonly identity: Identity }): { readonly identity: Loose } {
  const { nameBytes, ...rest } = identity
  return { identity: nameBytes === undefined ? rest : { ...rest, nameBytes: toHex(nameBytes) } }
}

function meant({ nameBytes, ...rest }: Loose): Identity {
  const identity = rest as Identity
  return nameBytes === undefined ? identity : { ...identity, nameBytes: fromHex(nameBytes) }
}

export function createDecoder(): Decoder {
  return new FederationDecoder()
}

class FederationDecoder implements Decoder {
  readonly messages: FederationMessage[] = []
  readonly errors: DecodeErrorFields[] = []
  readonly notes: string[] = []
  readonly #split = new MessageSplit()

  push(bytes: Uint8Array): void {
    if (this.#split.hasEnded) return
    this.#split.push(bytes)
    while (this.#split.next((type, body) => this.#take(type, body)));
    if (this.#split.hasEnded) this.#fail('too_large', false)
  }

  end(): void {
    if (this.#split.bytesHeld > 0) this.#fail('cut_off', false)
  }

  #take(type: number, body: Uint8Array): void {
    const name = NAMES.get(type)
    if (name === undefined) {
      this.#fail('bad_type', true)
      return
    }
    const { code, read } = FORMS[name]
    const members = read(body)
    if (members === undefined) this.#fail(code, true)
    else this.messages.push({ type: name, ...members })
  }

  #fail(code: ErrorCode, resync: boolean): void {
    this.errors.push({ dialect: NAME, code, offset: 0, resync })
  }
}

/**
 * Reads a stream of closed seconds, as a hub tells another.
 *
 * @example
 * import { decodeFederation, encodeFederation } from 'pentameter/federation'
 *
 * const [bytes] = encodeFederation([{ type: 'gone', refs: [7] }])
 * console.log(decodeFederation(bytes!).messages) // [ { type: 'gone', refs: [ 7 ] } ]
 */
export function decodeFederation(bytes: Uint8Array): Decoded<FederationMessage> {
  return decodeWhole<FederationMessage>(createDecoder(), bytes)
}

/**
 * Writes messages, each as `[size:u32le][type:u8][body]`.
 * @throws {EncodeError} `bad_message` for one that the protocol can't say
 *
 * @example
 * import { encodeFederation } from 'pentameter/federation'
 *
 * const counted = { type: 'counters', refs: [1], cells: [3] } as const
 * console.log(encodeFederation([counted])[0]!.length) // 25
 */
export function encodeFederation(messages: readonly unknown[]): Uint8Array[] {
  return messages.map((message) => {
    const name = (message as Loose | null)?.type as TypeName
    const form = Object.hasOwn(FORMS, name ?? '') ? FORMS[name] : undefined
    const out = new ByteWriter()
    try {
      if (form === undefined) throw new TypeError(`no type ${String(name)}`)
      form.write(out, message as Loose)
    } catch (error) {
      throw new EncodeError(BAD_MESSAGE, (error as Error).message)
    }
    const bytes = out.message(TYPE[name])
    const body = bytes.subarray(HEADER_BYTES)
    if (body.length > BODY_BYTES_LIMIT || form.read(body) === undefined) {
      throw new EncodeError(BAD_MESSAGE, `a message ${name} that can't be read again`)
    }
    return bytes
  })
}
