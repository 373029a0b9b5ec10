/**
 * Structs as rmp-serde reads them: a map whose keys are field names (str or bin) or indices
 * (unsigned integers in declaration order), or an array of exactly the fields. Unknown fields are
 * skipped.
 */
import type { MessagePackReader } from '../../../wire/messagepack.ts'

/** Offset of a field that the struct does not have. */
export const MISSING = -1

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
  const family = reader.family(at)
  if (family === 'array') return elementOffsets(reader, at, names.length)
  if (family !== 'map') return undefined
  const found = names.map(() => MISSING)
  let key = reader.body(at)
  for (let pairs = reader.length(at); pairs > 0; pairs--) {
    const index = fieldIndex(reader, key, names)
    if (index === undefined) return undefined
    const value = reader.skip(key)
    if (index < names.length) {
      if (found[index] !== MISSING) return undefined
      found[index] = value
    }
    key = reader.skip(value)
  }
  return found
}

function elementOffsets(reader: MessagePackReader, at: number, count: number) {
  if (reader.length(at) !== count) return undefined
  const offsets: number[] = []
  let next = reader.body(at)
  for (let i = 0; i < count; i++) {
    offsets.push(next)
    next = reader.skip(next)
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
  const name = reader.text(at)
  const index = name === undefined ? -1 : names.indexOf(name)
  return index < 0 ? names.length : index
}
