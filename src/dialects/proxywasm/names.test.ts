/** Prefixed names, both ways, and their CRC-32. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { crc32, fitsNameLimit, type Origin, prefixedName, readName } from './names.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const bytes = (of: string): Uint8Array => Buffer.from(of)

suite('prefixing', () => {
  for (const [origin, filter, name, document, peer] of [
    ['pw', 'a_filter', 'a_counter', 'pw.a_filter.a_counter', 'pw:a_filter:a_counter'],
    ['pw', 'a.b', '', 'pw.a.b.', 'pw:a.b:'],
    ['wasmcustom', 'ignored', 'x', 'wasmcustom.x', 'wasmcustom.x'],
    ['library', 'ignored', 'requests', 'requests', 'requests'],
  ] as const) {
    test(`${document} is ${peer} in the other edition`, () => {
      assert.equal(text(prefixedName(origin, filter, name, 'document')), document)
      assert.equal(text(prefixedName(origin, filter, name, 'peer')), peer)
    })
  }

  for (const [origin, filter, name, profile, message] of [
    ['pw', '', 'n', 'document', /filter name is empty/],
    ['pw', 'a b', 'n', 'peer', /filter name "a b"/],
    ['pw', 'a\tb', 'n', 'peer', /a space, a tab or a colon/],
    ['pw', 'a:b', 'n', 'peer', /filter name "a:b"/],
    ['lua', '', '', 'peer', /empty/],
    ['lua', '', 'n', 'document', /profile peer only/],
    ['wa', '', 'n', 'peer', /original program/],
    ['library', '', '', 'document', /empty/],
    ['library', '', 'pw.x', 'document', /reserved "pw\."/],
    ['library', '', 'pw:x', 'document', /reserved "pw:"/],
    ['library', '', 'lua:x', 'document', /reserved "lua:"/],
    ['library', '', 'wasmcustom.x', 'document', /reserved "wasmcustom\."/],
  ] as const) {
    test(`${origin} "${name}" of "${filter}" is refused in profile ${profile}: ${message}`, () => {
      assert.throws(() => prefixedName(origin, filter, name, profile), {
        name: 'RangeError',
        message,
      })
    })
  }

  test('in profile document a filter may have a space', () => {
    assert.equal(text(prefixedName('pw', 'a b', 'n', 'document')), 'pw.a b.n')
  })

  test('a name as long as the limit fits, one byte more does not, and Envoy’s have none', () => {
    const name = prefixedName('pw', 'f', 'x'.repeat(5), 'document')
    assert.deepEqual([fitsNameLimit(name, 'pw', 10), fitsNameLimit(name, 'pw', 9)], [true, false])
    assert.equal(fitsNameLimit(bytes('wasmcustom.x'), 'wasmcustom', 6), true)
    assert.equal(fitsNameLimit(new Uint8Array(65_536), 'wasmcustom', 6), false)
  })
})

suite('reading names back', () => {
  for (const [prefixed, filters, origin, filter, name, isAssumed] of [
    ['pw:f:a:b', [], 'pw', 'f', 'a:b', false],
    ['pw:f.g:n', [], 'pw', 'f.g', 'n', false],
    ['pw.a.b', [], 'pw', 'a', 'b', false],
    ['pw.a.b.c', [], 'pw', 'a', 'b.c', true],
    ['pw.a.b.c', ['a', 'a.b', 'x'], 'pw', 'a.b', 'c', false],
    ['pw.a.b.c', ['a'], 'pw', 'a', 'b.c', false],
    ['pw.a.b.c', ['b'], 'pw', 'a', 'b.c', true],
    ['pw.f.', [], 'pw', 'f', '', false],
    ['pw:f', [], 'library', '', 'pw:f', false],
    ['pw.f', [], 'library', '', 'pw.f', false],
    ['lua:c1', [], 'lua', '', 'c1', false],
    ['wa:x', [], 'wa', '', 'x', false],
    ['wasmcustom.x.y', [], 'wasmcustom', '', 'x.y', false],
    ['requests', [], 'library', '', 'requests', false],
  ] as const) {
    test(`${prefixed}, with ${filters.length} filters known, is ${origin} "${name}"`, () => {
      const read = readName(bytes(prefixed), filters)
      assert.deepEqual({ ...read, name: text(read.name) }, { origin, filter, name, isAssumed })
    })
  }

  test('what was prefixed reads back, whatever its bytes, when the filter is known', () => {
    const names = fc.uint8Array({ maxLength: 30 })
    const filters = fc.string({ minLength: 1, maxLength: 8 }).filter((f) => !/[ \t:]/.test(f))
    holds(
      fc.property(filters, names, fc.constantFrom('document', 'peer'), (filter, name, profile) => {
        const read = readName(prefixedName('pw', filter, name, profile), [filter])
        assert.equal(read.origin, 'pw' satisfies Origin)
        assert.equal(read.filter, filter.toWellFormed())
        assert.deepEqual(Buffer.from(read.name), Buffer.from(name))
      }),
    )
  })
})

test('the CRC-32 is that of zlib', () => {
  holds(
    fc.property(fc.uint8Array({ maxLength: 300 }), (any) => {
      assert.equal(crc32(any), zlibCrc32(any))
    }),
  )
})
