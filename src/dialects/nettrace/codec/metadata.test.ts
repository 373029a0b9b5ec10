/** Descriptions with tags, types of all kinds, and what is refused of them. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FIELDS_LIMIT, type Field, NESTING_LIMIT, TYPE } from '../spec.ts'
import { ByteReader, MALFORMED } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { readMetadata4, readMetadata6, writeMetadata4 } from './metadata.ts'
import { readPayload, writePayload } from './payload.ts'

const FACTS = {
  ...{ id: 7, provider: 'App', eventId: 3, name: 'Tick', keywords: 1n << 63n },
  ...{ version: 2, level: 4, opcode: 0 },
}

function head(out: ByteWriter): ByteWriter {
  const { id, provider, eventId, name, keywords, version, level } = FACTS
  out.u32(id).utf16z(provider).u32(eventId).utf16z(name).u64(keywords).u32(version).u32(level)
  return out
}

function read(out: ByteWriter) {
  return readMetadata4(new ByteReader().open(out.take()))
}

suite('descriptions', () => {
  test('tags have the opcode and the fields of arrays', () => {
    const list = new ByteWriter().u32(0).utf16z('list').u32(TYPE.array).u32(TYPE.u8).u32(0)
    const bytes = list.take()
    new DataView(bytes.buffer).setUint32(0, bytes.length, true)
    const fields = new ByteWriter().u32(1).raw(bytes).take()
    const out = head(new ByteWriter()).u32(0)
    out.u32(1).u8(1).u8(9)
    out.u32(2).u8(99).u16(0)
    out.u32(fields.length).u8(2).raw(fields)
    const element = { name: '', type: TYPE.u8 }
    const expected = [{ name: 'list', type: TYPE.array, element }]
    assert.deepEqual(read(out), { ...FACTS, opcode: 9, fields: expected })
  })

  test('too many fields, too deep ones, and objects without members are refused', () => {
    const nested = (depth: number): Field[] => {
      const leaf = { name: '', type: TYPE.u8 }
      return depth === 0 ? [leaf] : [{ name: '', type: TYPE.object, fields: nested(depth - 1) }]
    }
    const written = (fields: readonly Field[]): ByteWriter => {
      const out = new ByteWriter()
      writeMetadata4(out, { ...FACTS, fields })
      return out
    }
    assert.deepEqual(read(written(nested(NESTING_LIMIT))).fields, nested(NESTING_LIMIT))
    const many = (count: number) => Array.from({ length: count }, () => nested(0)[0]!)
    assert.equal(read(written(many(FIELDS_LIMIT))).fields.length, FIELDS_LIMIT)
    const empty = [{ name: '', type: TYPE.object, fields: [] }]
    for (const fields of [nested(NESTING_LIMIT + 1), many(FIELDS_LIMIT + 1), empty]) {
      assert.throws(() => read(written(fields)), isMalformed)
    }
    assert.throws(() => read(head(new ByteWriter()).u32(0xffff_ffff)), isMalformed)
  })

  test('the optional parts of version 6 are read up to one that is not known', () => {
    const text = (out: ByteWriter, said: string) => out.u8(said.length).ascii(said)
    const out = new ByteWriter().u8(7)
    text(text(out, 'App').u8(3), 'Tick').u16(0)
    const parts = new ByteWriter()
      .u8(1)
      .u8(9)
      .u8(3)
      .u64(1n << 63n)
      .u8(8)
      .u8(4)
      .u8(9)
      .u8(2)
    text(text(parts.u8(6), 'k'), 'v')
      .u8(7)
      .zeros(16)
    text(parts.u8(4), 'template').u8(77).u8(1)
    const bytes = parts.take()
    out.u16(bytes.length).raw(bytes)
    const metadata = readMetadata6(new ByteReader().open(out.take()))
    assert.deepEqual(metadata, { ...FACTS, opcode: 9, fields: [] })
  })
})

suite('payloads', () => {
  test('values of every type are read to the last byte', () => {
    const types = ['boolean', 'char', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64'] as const
    const more = ['f32', 'f64', 'date', 'guid', 'text'] as const
    const fields: Field[] = [...types, ...more].map((name) => ({ name, type: TYPE[name] }))
    const element = { name: '', type: TYPE.i16 }
    fields.push({ name: 'array', type: TYPE.array, element })
    fields.push({ name: 'chars', type: TYPE.array, element: { name: '', type: TYPE.char } })
    fields.push({ name: '__proto__', type: TYPE.u8 })
    const out = new ByteWriter().u32(2).u16(0xd83d).u8(0xff).u8(0xff).u16(0xffff).u16(0xffff)
    out.u32(0xffff_ffff).u32(0xffff_ffff).u64(-1n).u64(-1n).f32(1.5).f64(-0)
    const since1601 = BigInt(Date.UTC(2024, 11, 31, 22, 4, 5) - Date.UTC(1601, 0, 1))
    out.u64(since1601 * 10_000n + 1n)
    out.raw(Uint8Array.from({ length: 16 }, (_, i) => i)).utf16z('\ud83d\ufffe')
    out.u16(2).u16(1).u16(0xffff).u16(2).utf16('ab').u8(5)
    const reader = new ByteReader().open(out.take())
    const payload = readPayload(reader, fields)
    assert.equal(reader.left, 0)
    assert.deepEqual(Object.entries(payload), [
      ...[['boolean', true] as const, ['char', '\ud83d'] as const],
      ...Object.entries({ i8: -1, u8: 255, i16: -1, u16: 65_535, i32: -1, u32: 4_294_967_295 }),
      ...Object.entries({ i64: -1, u64: 2n ** 64n - 1n, f32: 1.5, f64: -0 }),
      ['date', '2024-12-31T22:04:05.0000001Z'],
      ['guid', '03020100-0504-0706-0809-0a0b0c0d0e0f'],
      ['text', '\ud83d\ufffe'],
      ['array', [1, -1]],
      ['chars', 'ab'],
      ['__proto__', 5],
    ])
  })

  test('integers keep to their bits, dates to their digits, and texts have no end inside', () => {
    for (const [type, value] of [
      [TYPE.u8, 256],
      [TYPE.i8, -129],
      [TYPE.i64, '9223372036854775808'],
      [TYPE.u64, 1.5],
      [TYPE.date, '2026-01-02'],
      [TYPE.text, 'a\0b'],
      [TYPE.f64, '1'],
      [TYPE.boolean, 1],
      [TYPE.text, undefined],
    ] as const) {
      const fields = [{ name: 'x', type }]
      const payload = value === undefined ? {} : { x: value }
      assert.throws(
        () => writePayload(new ByteWriter(), fields, payload),
        (error: Error & { code?: string }) => error.code === 'bad_value',
        String(value),
      )
    }
  })
})

function isMalformed(error: unknown): boolean {
  return error === MALFORMED
}
