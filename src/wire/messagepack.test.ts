import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import { DEPTH_LIMIT, familyOf, isContainer, MessagePackReader } from './messagepack.ts'
import { MessagePackScanner, type ScanVerdict } from './messagepack-scan.ts'
import { MessagePackWriter } from './messagepack-writer.ts'

const anyValue = fc.anything({
  withBigInt: false,
  values: [
    fc.integer(),
    fc.double(),
    fc.string({ unit: 'binary' }),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ minLength: 250, maxLength: 300 }),
  ],
})

function fromHex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'hex'))
}

function scan(bytes: Uint8Array, limit = bytes.length): readonly [ScanVerdict, number] {
  const scanner = new MessagePackScanner()
  return [scanner.scan(bytes, 0, bytes.length, limit), scanner.size]
}

function write(act: (writer: MessagePackWriter) => void): string {
  const writer = new MessagePackWriter()
  act(writer)
  return Buffer.from(writer.finish()).toString('hex')
}

describe('scanner', () => {
  it('finds the end of every value that another encoder writes, with anything behind it', () => {
    holds(
      fc.property(anyValue, fc.uint8Array({ maxLength: 4 }), (value, rest) => {
        const bytes = encode(value)
        const padded = new Uint8Array([...bytes, ...rest])
        assert.deepEqual(scan(padded), ['complete', bytes.length])
        assert.equal(new MessagePackReader(padded).skip(0), bytes.length)
      }),
      300,
    )
  })

  it('comes to the same end when the bytes arrive one by one', () => {
    holds(
      fc.property(anyValue, (value) => {
        const bytes = encode(value)
        const scanner = new MessagePackScanner()
        for (let end = 0; end < bytes.length; end++) {
          assert.equal(scanner.scan(bytes, 0, end, bytes.length), 'incomplete')
        }
        assert.equal(scanner.scan(bytes, 0, bytes.length, bytes.length), 'complete')
      }),
    )
  })

  it('tells a value that is cut off from one that is whole, at every offset', () => {
    const bytes = encode({ a: [1, 'two', new Uint8Array(3), { b: -1.5, c: null }], d: 2 ** 40 })
    for (let end = 0; end < bytes.length; end++) {
      assert.equal(scan(bytes.subarray(0, end), 1000)[0], 'incomplete')
    }
  })

  it('refuses the reserved byte wherever it stands', () => {
    assert.deepEqual(scan(fromHex('c1')), ['reserved', 0])
    assert.deepEqual(scan(fromHex('9201c1')), ['reserved', 2])
  })

  it('takes 1024 levels of nesting and not one more', () => {
    const nest = (levels: number) => fromHex(`${'91'.repeat(levels)}c0`)
    assert.equal(scan(nest(DEPTH_LIMIT))[0], 'complete')
    assert.equal(scan(nest(DEPTH_LIMIT + 1))[0], 'too-deep')
    assert.equal(scan(fromHex(`${'91'.repeat(DEPTH_LIMIT)}90`))[0], 'too-deep')
    const wide = fromHex(`dc0800${'9190'.repeat(0x800)}`)
    assert.equal(scan(wide)[0], 'complete')
  })

  it('sees a size beyond the limit in the header, before the bytes come', () => {
    for (const header of ['dbffffffff', 'ddffffffff', 'dfffffffff', 'c6ffffffff', 'c9ffffffff']) {
      assert.equal(scan(fromHex(header), 1000)[0], 'too_large', header)
      assert.equal(scan(fromHex(`91${header}`), 1000)[0], 'too_large', header)
    }
    assert.equal(scan(fromHex('a3616263'), 3)[0], 'too_large')
    assert.equal(scan(fromHex('a3616263'), 4)[0], 'complete')
  })
})

describe('reader', () => {
  it('reads every number format as the nearest double, and integers exactly', () => {
    const cases: readonly (readonly [string, number, bigint | undefined])[] = [
      ['7f', 127, 127n],
      ['e0', -32, -32n],
      ['ccff', 255, 255n],
      ['cdffff', 65535, 65535n],
      ['ceffffffff', 4294967295, 4294967295n],
      ['cfffffffffffffffff', 2 ** 64, 2n ** 64n - 1n],
      ['d080', -128, -128n],
      ['d18000', -32768, -32768n],
      ['d280000000', -2147483648, -2147483648n],
      ['d38000000000000001', -(2 ** 63), -(2n ** 63n) + 1n],
      ['ca3fc00000', 1.5, undefined],
      ['cb8000000000000000', -0, undefined],
    ]
    for (const [hex, number, integer] of cases) {
      const reader = new MessagePackReader(fromHex(hex))
      assert.ok(Object.is(reader.number(0), number), hex)
      assert.equal(reader.integer(0), integer, hex)
    }
    assert.equal(new MessagePackReader(fromHex('a135')).number(0), undefined)
    assert.equal(new MessagePackReader(fromHex('c3')).integer(0), undefined)
  })

  it('reads text of str and bin, keeps a byte order mark and refuses what is no UTF-8', () => {
    holds(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 90 }), (text) => {
        const reader = new MessagePackReader(encode([text, new TextEncoder().encode(text)]))
        const first = reader.body(0)
        assert.equal(reader.text(first), text)
        assert.equal(reader.text(reader.skip(first)), text)
      }),
    )
    assert.equal(new MessagePackReader(encode('\ufeffx')).text(0), '\ufeffx')
    assert.equal(new MessagePackReader(fromHex('a2c328')).text(0), undefined)
    assert.equal(new MessagePackReader(fromHex('a3eda080')).text(0), undefined)
    assert.equal(new MessagePackReader(fromHex('05')).text(0), undefined)
  })

  it('knows containers by their first byte', () => {
    for (let byte = 0; byte < 256; byte++) {
      const family = familyOf(byte)
      assert.equal(isContainer(byte), family === 'map' || family === 'array')
    }
  })
})

describe('writer', () => {
  it('writes the shortest form of every unsigned integer, text and map', () => {
    const uints: readonly (readonly [bigint, string])[] = [
      [0n, '00'],
      [127n, '7f'],
      [128n, 'cc80'],
      [256n, 'cd0100'],
      [65536n, 'ce00010000'],
      [2n ** 32n, 'cf0000000100000000'],
      [2n ** 64n - 1n, 'cfffffffffffffffff'],
    ]
    for (const [value, hex] of uints)
      assert.equal(
        write((writer) => writer.uint(value)),
        hex,
      )
    for (const [size, head] of [
      [31, 'bf'],
      [32, 'd920'],
      [255, 'd9ff'],
      [256, 'da0100'],
      [65536, 'db00010000'],
    ] as const) {
      assert.equal(
        write((writer) => writer.text('x'.repeat(size))),
        head + '78'.repeat(size),
      )
    }
    for (const [count, hex] of [
      [15, '8f'],
      [16, 'de0010'],
      [65536, 'df00010000'],
    ] as const) {
      assert.equal(
        write((writer) => writer.map(count)),
        hex,
      )
    }
    assert.equal(
      write((writer) => writer.text('é')),
      'a2c3a9',
    )
    assert.equal(
      write((writer) => writer.text('\ud800')),
      'a3efbfbd',
    )
  })

  it('writes one NaN, and every other double by its bits', () => {
    assert.equal(
      write((writer) => writer.float(Number.NaN)),
      'cb7ff8000000000000',
    )
    assert.equal(
      write((writer) => writer.float(-0)),
      'cb8000000000000000',
    )
    assert.equal(
      write((writer) => writer.float(42)),
      'cb4045000000000000',
    )
  })
})
