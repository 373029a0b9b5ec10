/**
 * Descriptions of events, both layouts (nettrace.md §5, §8):
 *
 *   4  [id:i32][provider:utf16z][eventId:i32][name:utf16z][keywords:i64][version:i32][level:i32]
 *      [fieldCount:i32] fields, tags      field: [type:i32] members [name:utf16z]
 *   6  [id:varuint][provider:str][eventId:varuint][name:str][n:u16] n × [size:u16][name:str][type]
 *      [size:u16] optional parts
 *
 * Tags and parts of unknown kinds are skipped by their size.
 */
import { type EventMetadata, FIELDS_LIMIT, type Field, NESTING_LIMIT, TYPE } from '../spec.ts'
import { type ByteReader, MALFORMED } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'

/** Kinds of tags behind the fields of version 4. */
const OPCODE_TAG = 1
const FIELDS_TAG = 2
/** Kinds of optional parts of version 6, and the bytes of those that are skipped; -1 = texts. */
const OPTIONAL = { opcode: 1, keywords: 3, template: 4, about: 5, pair: 6, guid: 7, level: 8 }
const OPTIONAL_VERSION = 9

/** Count of fields of one event, of any depth, and how deep the one at hand is. */
class Budget {
  #left = FIELDS_LIMIT

  /** Takes the fields of an event, or the members of an object within it. */
  take(count: number, depth: number): void {
    this.#left -= count
    // an object of no bytes would cost the reader more than the sender
    if (depth > 0 && count === 0) throw MALFORMED
    if (count < 0 || this.#left < 0) throw MALFORMED
    if (depth > NESTING_LIMIT) throw MALFORMED
  }
}

/** @throws {MALFORMED} */
export function readMetadata4(reader: ByteReader): EventMetadata {
  const id = reader.u32()
  const provider = reader.utf16z()
  const eventId = reader.i32()
  const name = reader.utf16z()
  const keywords = reader.u64()
  const version = reader.i32()
  const level = reader.i32()
  const budget = new Budget()
  let fields = fieldList4(reader, budget, 0)
  let opcode = 0
  while (reader.left > 0) {
    const size = reader.u32()
    const kind = reader.u8()
    const end = reader.at + size
    if (end > reader.end) throw MALFORMED
    if (kind === OPCODE_TAG) opcode = reader.u8()
    else if (kind === FIELDS_TAG) fields = fieldList5(reader, budget, 0)
    if (reader.at > end) throw MALFORMED
    reader.at = end
  }
  return { id, provider, eventId, name, keywords, version, level, opcode, fields }
}

function fieldList4(reader: ByteReader, budget: Budget, depth: number): Field[] {
  const count = reader.i32()
  budget.take(count, depth)
  const fields: Field[] = []
  for (let i = 0; i < count; i++) {
    const type = reader.i32()
    if (type === TYPE.object) {
      const members = fieldList4(reader, budget, depth + 1)
      fields.push({ name: reader.utf16z(), type, fields: members })
    } else {
      fields.push(leaf(reader.utf16z(), type))
    }
  }
  return fields
}

/** Reads the fields of a tag: each with its size, name first. */
function fieldList5(reader: ByteReader, budget: Budget, depth: number): Field[] {
  const count = reader.i32()
  budget.take(count, depth)
  const fields: Field[] = []
  for (let i = 0; i < count; i++) {
    const start = reader.at
    const end = start + reader.u32()
    if (end > reader.end) throw MALFORMED
    const name = reader.utf16z()
    fields.push({ ...type5(reader, budget, depth), name })
    if (reader.at > end) throw MALFORMED
    reader.at = end
  }
  return fields
}

function type5(reader: ByteReader, budget: Budget, depth: number): Field {
  const type = reader.i32()
  if (type === TYPE.object) {
    return { name: '', type, fields: fieldList5(reader, budget, depth + 1) }
  }
  if (type !== TYPE.array) return leaf('', type)
  budget.take(1, depth + 1)
  return { name: '', type, element: type5(reader, budget, depth + 1) }
}

/** @throws {MALFORMED} */
export function readMetadata6(reader: ByteReader): EventMetadata {
  const id = reader.varuint()
  const provider = text6(reader)
  const eventId = reader.varuint()
  const name = text6(reader)
  const fields = fieldList6(reader, new Budget(), 0)
  const facts = { keywords: 0n, version: 0, level: 0, opcode: 0 }
  if (reader.left > 0) {
    const size = reader.u16()
    const end = reader.at + size
    if (end > reader.end) throw MALFORMED
    const rowEnd = reader.end
    reader.end = end
    while (reader.left > 0 && readOptional(reader, facts));
    reader.end = rowEnd
  }
  return { id, provider, eventId, name, ...facts, fields }
}

/** Reads one optional part; false for a kind of unknown size, behind which nothing can be read. */
function readOptional(
  reader: ByteReader,
  facts: { keywords: bigint; version: number; level: number; opcode: number },
): boolean {
  const kind = reader.u8()
  if (kind === OPTIONAL.opcode) facts.opcode = reader.u8()
  else if (kind === OPTIONAL.keywords) facts.keywords = reader.u64()
  else if (kind === OPTIONAL.level) facts.level = reader.u8()
  else if (kind === OPTIONAL_VERSION) facts.version = reader.u8()
  else if (kind === OPTIONAL.guid) reader.skip(16)
  else if (kind === OPTIONAL.template || kind === OPTIONAL.about) text6(reader)
  else if (kind === OPTIONAL.pair) text6(reader) + text6(reader)
  else return false
  return true
}

function fieldList6(reader: ByteReader, budget: Budget, depth: number): Field[] {
  const count = reader.u16()
  budget.take(count, depth)
  const fields: Field[] = []
  for (let i = 0; i < count; i++) {
    const size = reader.u16()
    const end = reader.at + size
    if (end > reader.end) throw MALFORMED
    const name = text6(reader)
    fields.push({ ...type6(reader, budget, depth), name })
    if (reader.at > end) throw MALFORMED
    reader.at = end
  }
  return fields
}

function type6(reader: ByteReader, budget: Budget, depth: number): Field {
  const type = reader.u8()
  if (type === TYPE.object) {
    return { name: '', type, fields: fieldList6(reader, budget, depth + 1) }
  }
  if (!hasElement(type)) return leaf('', type)
  budget.take(1, depth + 1)
  const element = type6(reader, budget, depth + 1)
  if (type !== TYPE.fixedArray) return { name: '', type, element }
  const count = reader.u16()
  if (count === 0) throw MALFORMED
  return { name: '', type, element, count }
}

function hasElement(type: number): boolean {
  return (
    type === TYPE.array ||
    type === TYPE.fixedArray ||
    type === TYPE.relativeText ||
    type === TYPE.absoluteText
  )
}

/** Takes any code: an unknown one makes the events undecodable, not their description. */
function leaf(name: string, type: number): Field {
  return { name, type }
}

/** Reads `[n:varuint]` and n bytes of UTF-8. */
export function text6(reader: ByteReader): string {
  return reader.utf8(reader.varuint())
}

/** Writes a description in the layout of version 4; one with an opcode has it as a tag. */
export function writeMetadata4(out: ByteWriter, metadata: EventMetadata): void {
  const { id, provider, eventId, name, keywords, version, level, opcode, fields } = metadata
  out.u32(id).utf16z(provider).u32(eventId).utf16z(name).u64(keywords).u32(version).u32(level)
  writeFields4(out, fields)
  if (opcode !== 0) out.u32(1).u8(OPCODE_TAG).u8(opcode)
}

function writeFields4(out: ByteWriter, fields: readonly Field[]): void {
  out.u32(fields.length)
  for (const field of fields) {
    out.u32(field.type)
    if (field.type === TYPE.object) writeFields4(out, field.fields ?? [])
    out.utf16z(field.name)
  }
}

/** Memory that a description holds, about, bytes. */
export function sizeOfMetadata({ provider, name, fields }: EventMetadata): number {
  const ofField = (field: Field): number =>
    32 +
    2 * field.name.length +
    (field.element === undefined ? 0 : ofField(field.element)) +
    (field.fields ?? []).reduce((sum, each) => sum + ofField(each), 0)
  return fields.reduce(
    (sum, each) => sum + ofField(each),
    128 + 2 * (provider.length + name.length),
  )
}
