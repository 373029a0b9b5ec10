/**
 * Messages to payloads, byte-identical to the real programs: structs as maps in field order, names
 * and label keys sorted by their UTF-8 bytes, integers unsigned and shortest, values float 64
 * always.
 */
import { compareUtf8, U64_MAX } from '../../../model/index.ts'
import { EncodeError } from '../../../wire/encode-error.ts'
import { MessagePackWriter } from '../../../wire/messagepack-writer.ts'
import { type EncodeErrorCode, NAME } from '../spec.ts'

/** Makes an error of the caller's; the codes are a closed set. */
export function encodeError(code: EncodeErrorCode, detail: string): EncodeError {
  return new EncodeError({ dialect: NAME, code }, detail)
}

/** Encodes `[81][b1 "sampling_interval"][interval:uint]` */
export function encodeSettings(samplingIntervalNs: bigint): Uint8Array<ArrayBuffer> {
  const writer = new MessagePackWriter()
  writer.map(1)
  writer.text('sampling_interval')
  writer.uint(checkU64(samplingIntervalNs, 'sampling_interval'))
  return writer.finish()
}

/** Encodes `[81][a7 "metrics"][map n]{[name][81][a6 "labels"][map m]{[key][value]}*m}*n` */
export function encodeInfo(
  metrics: Iterable<readonly [string, Iterable<readonly [string, string]>]>,
): Uint8Array<ArrayBuffer> {
  const writer = new MessagePackWriter()
  const sorted = sortByName(metrics)
  writer.map(1)
  writer.text('metrics')
  writer.map(sorted.length)
  for (const [name, labels] of sorted) {
    const pairs = sortByName(labels)
    writer.text(name)
    writer.map(1)
    writer.text('labels')
    writer.map(pairs.length)
    for (const [key, value] of pairs) {
      writer.text(key)
      writer.text(value)
    }
  }
  return writer.finish()
}

/** Encodes `[82][a1 "t"][t:uint][a1 "d"][map n]{[name][cb][value:f64be]}*n` */
export function encodeSnapshot(
  t: bigint,
  values: Iterable<readonly [string, number]>,
): Uint8Array<ArrayBuffer> {
  const writer = new MessagePackWriter()
  const sorted = sortByName(values)
  writeSnapshotHead(writer, t)
  writer.map(sorted.length)
  for (const [name, value] of sorted) {
    writer.text(name)
    writer.float(value)
  }
  return writer.finish()
}

/** Writes `[82][a1 "t"][t:uint][a1 "d"]`: everything in front of the entries. */
export function writeSnapshotHead(writer: MessagePackWriter, t: bigint): void {
  writer.map(2)
  writer.text('t')
  writer.uint(checkU64(t, 't'))
  writer.text('d')
}

/** Sorts a copy by UTF-8 bytes; of names that are the same on the wire the last is kept. */
function sortByName<T>(pairs: Iterable<readonly [string, T]>): (readonly [string, T])[] {
  const given = [...pairs]
  const isSorted = given.every(([name], i) => {
    return name.isWellFormed() && (i === 0 || compareUtf8(given[i - 1]![0], name) < 0)
  })
  if (isSorted) return given
  const unique = new Map<string, T>()
  for (const [name, value] of given) unique.set(name.toWellFormed(), value)
  return [...unique].sort((a, b) => compareUtf8(a[0], b[0]))
}

function checkU64(value: bigint, name: string): bigint {
  if (value < 0n || value > U64_MAX) {
    throw encodeError('bad_range', `${name} ${value}, must be 0 to 2^64 - 1`)
  }
  return value
}
