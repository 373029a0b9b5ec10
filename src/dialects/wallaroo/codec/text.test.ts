import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { isUtf8, textOf } from './text.ts'

/** Bytes near the borders of well-formed sequences. */
const lead = fc.constantFrom(0x41, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff)
const follower = fc.constantFrom(0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0)
const bytes = fc.array(fc.oneof(lead, follower), { maxLength: 12 })

function isAccepted(input: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(input)
    return true
  } catch {
    return false
  }
}

describe('names', () => {
  it('are UTF-8 exactly where the platform’s decoder takes them', () => {
    holds(
      fc.property(bytes, (values) => {
        const input = Uint8Array.from(values)
        assert.equal(isUtf8(input, 0, input.length), isAccepted(input))
      }),
      5000,
    )
  })

  it('show each byte that is none as \\xNN and everything else as it is', () => {
    const text = (...values: number[]) => textOf(Uint8Array.from(values), 0, values.length)
    assert.equal(text(0xff, 0xfe), '\\xff\\xfe')
    assert.equal(text(0x61, 0xe2, 0x89, 0x62), 'a\\xe2\\x89b')
    assert.equal(text(0xe2, 0x89, 0xa4, 0x80), '≤\\x80')
    assert.equal(text(0xed, 0xa0, 0x80), '\\xed\\xa0\\x80')
    assert.equal(text(0xef, 0xbb, 0xbf, 0x00), '\ufeff\u0000')
  })

  it('that are UTF-8 come back as they were', () => {
    holds(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const input = new TextEncoder().encode(`xx${name}y`)
        assert.equal(textOf(input, 2, input.length - 1), name)
      }),
    )
  })

  it('that differ stay different', () => {
    holds(
      fc.property(bytes, bytes, (a, b) => {
        const [x, y] = [Uint8Array.from(a), Uint8Array.from(b)]
        const isSame = a.length === b.length && a.every((byte, i) => byte === b[i])
        assert.equal(textOf(x, 0, x.length) === textOf(y, 0, y.length), isSame)
      }),
      2000,
    )
  })
})
