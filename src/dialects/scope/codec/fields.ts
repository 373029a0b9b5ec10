/**
 * Structs as rmp-serde reads them: a map whose keys are field names (str or bin) or indices
 * (unsigned integers in declaration order), or an array of exactly the fields. Unknown fields are
 * skipped.
 */
import { runNow, type Task } from '../../../time/task.ts'
import { isContainer, type MessagePackReader } from '../../../wire/messagepack.ts'

/** Offset of a field that the struct does not have. */
export const MISSING = -1

/** Longer than the name of any field, in bytes. */
const FIELD_SIZE_MAX = 64
/** Values that are skipped in one part, about. */
const VALUES_PER_PART = 4096
/** Pairs of a map that are read in one part. */
export const PAIRS_PER_PART = 256

/** Finds the offset behind a value, in parts. */
export function* behind(reader: MessagePackReader, at: number): Task<number> {
  const skipped = { at, pending: 1 }
  while (!reader.skipOn(skipped, VALUES_PER_PART)) yield
  return skipped.at
}

/**
 * Finds the offsets of the fields' values in the struct at this offset, MISSING for absent ones;
 * undefined when it is no such struct: another type, an array of another length, a key that is
 * neither text nor unsigned, or a known field twice.
 */
export function findFields(
  reader: MessagePackReader,
  at: number,
  names: readonly string[],
): number[] | undefined {
  return runNow(findFieldsInParts(reader, at, names))
}

/** Does what {@link findFields} does, in parts. */
export function* findFieldsInParts(
  reader: MessagePackReader,
  at: number,
  names: readonly string[],
): Task<number[] | undefined> {
  const family = reader.family(at)
  if (family === 'array') return yield* elementOffsets(reader, at, names.length)
  if (family !== 'map') return undefined
  const found = names.map(() => MISSING)
  let key = reader.body(at)
  for (let pairs = reader.length(at); pairs > 0; pairs--) {
    if (pairs % PAIRS_PER_PART === 0) yield
    const index = fieldIndex(reader, key, names)
    if (index === undefined) return undefined
    const value = reader.skip(key)
    if (index < names.length) {
      if (found[index] !== MISSING) return undefined
      found[index] = value
    }
    key = isContainer(reader.bytes[value]!) ? yield* behind(reader, value) : reader.skip(value)
  }
  return found
}

function* elementOffsets(
  reader: MessagePackReader,
  at: number,
  count: number,
): Task<number[] | undefined> {
  if (reader.length(at) !== count) return undefined
  const offsets: number[] = []
  let next = reader.body(at)
  for (let i = 0; i < count; i++) {
    offsets.push(next)
    next = yield* behind(reader, next)
  }
  return offsets
}

/**
 * Finds the index of a known field, `names.length` for an unknown one, undefined for an unusable
 * key.
 */
function fieldIndex(reader: MessagePackReader, at: number, names: readonly string[]) {
  const family = reader.family(at)
  if (family === 'uint') return Math.min(reader.number(at)!, names.length)
  if (family !== 'str' && family !== 'bin') return undefined
  if (reader.length(at) > FIELD_SIZE_MAX) return names.length
  const name = reader.text(at)
  const index = name === undefined ? -1 : names.indexOf(name)
  return index < 0 ? names.length : index
}
