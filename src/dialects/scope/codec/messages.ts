/**
 * The plain form of messages, as in the golden vectors: `{"$u64": "5"}` for 64-bit integers,
 * `{"$f64": "NaN"}` (Infinity, -Infinity, -0) for doubles without a JSON number, and lists of pairs
 * sorted by UTF-8 bytes, because names such as "__proto__" are legal.
 */
import { compareUtf8 } from '../../../model/index.ts'
import type { Packet, Settings } from '../spec.ts'
import { encodeError, encodeInfo, encodeSettings, encodeSnapshot } from './encode.ts'

/** Message of either side, as it is read. */
export type Message = Settings | Packet

type PlainU64 = { readonly $u64: string }
type PlainF64 = number | { readonly $f64: 'NaN' | 'Infinity' | '-Infinity' | '-0' }
type Pairs<T> = readonly (readonly [string, T])[]

/** A message as data: what JSON can hold, and nothing lost. */
export type PlainMessage =
  | { readonly kind: 'settings'; readonly sampling_interval: PlainU64 }
  | { readonly kind: 'info'; readonly metrics: Pairs<Pairs<string>>; readonly dropped?: number }
  | {
      readonly kind: 'snapshot'
      readonly t: PlainU64
      readonly d: Pairs<PlainF64>
      readonly dropped?: number
    }

/** Makes the plain form of a message; `dropped` is of packets that needed the lenient reading. */
export function toPlain(message: Message): PlainMessage {
  if (message.kind === 'settings') {
    return { kind: 'settings', sampling_interval: plainU64(message.samplingIntervalNs) }
  }
  const { isStrict, dropped } = message.reading
  const remark = isStrict ? {} : { dropped }
  if (message.kind === 'info') {
    const metrics = [...message.metrics].map(([name, labels]) => [name, sort([...labels])] as const)
    return { kind: 'info', metrics: sort(metrics), ...remark }
  }
  const pairs = message.names.map((name, i) => [name, plainF64(message.values[i]!)] as const)
  return { kind: 'snapshot', t: plainU64(message.t), d: sort(pairs), ...remark }
}

function sort<T extends readonly [string, unknown]>(pairs: T[]): T[] {
  return pairs.sort((a, b) => compareUtf8(a[0], b[0]))
}

function plainU64(value: bigint): PlainU64 {
  return { $u64: value.toString() }
}

function plainF64(value: number): PlainF64 {
  if (Number.isFinite(value)) return Object.is(value, -0) ? { $f64: '-0' } : value
  return { $f64: String(value) as 'NaN' | 'Infinity' | '-Infinity' }
}

/**
 * Encodes the payload of a plain message.
 * @throws {EncodeError} `bad_message` or `bad_range`
 */
export function encodeMessage(message: unknown): Uint8Array {
  const fields = isRecord(message) ? message : {}
  switch (fields.kind) {
    case 'settings':
      return encodeSettings(readU64(fields.sampling_interval, 'sampling_interval'))
    case 'info':
      return encodeInfo(
        readPairs(fields.metrics, 'metrics', (labels, name) => readPairs(labels, name, readText)),
      )
    case 'snapshot':
      return encodeSnapshot(readU64(fields.t, 't'), readPairs(fields.d, 'd', readF64))
    default:
      throw encodeError('bad_message', `message of kind ${String(fields.kind)}`)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function readU64(value: unknown, name: string): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (isRecord(value) && typeof value.$u64 === 'string' && /^[0-9]+$/.test(value.$u64)) {
    return BigInt(value.$u64)
  }
  throw encodeError('bad_message', `${name} is no unsigned integer`)
}

const SPECIAL: ReadonlyMap<unknown, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-0', -0],
])

function readF64(value: unknown, name: string): number {
  if (typeof value === 'number') return value
  const special = isRecord(value) ? SPECIAL.get(value.$f64) : undefined
  if (special === undefined) throw encodeError('bad_message', `value of ${name} is no number`)
  return special
}

function readText(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw encodeError('bad_message', `label ${name} is no text`)
}

function readPairs<T>(
  value: unknown,
  name: string,
  read: (value: unknown, name: string) => T,
): [string, T][] {
  if (!Array.isArray(value)) throw encodeError('bad_message', `${name} is no list of pairs`)
  return value.map((pair: unknown) => {
    const [key, content] = Array.isArray(pair) ? (pair as unknown[]) : []
    if (typeof key !== 'string') throw encodeError('bad_message', `${name} has no name`)
    return [key, read(content, key)]
  })
}
