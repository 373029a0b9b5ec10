/** Documents of JSON, beyond what the shared suite tries: forms, limits and editions. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { retainedBytes } from '../../../test/support/memory.ts'
import { EncodeError } from '../../wire/encode-error.ts'
import { createDecoder, encodeProxyWasm } from './codec.ts'
import type { JsonBin, JsonDocument } from './spec.ts'

function read(text: string | Uint8Array): { messages: readonly unknown[]; errors: object[] } {
  const decoder = createDecoder()
  decoder.push(typeof text === 'string' ? Buffer.from(text) : text)
  decoder.end()
  const errors = decoder.errors.map(({ code, offset, resync }) => ({ code, offset, resync }))
  return { messages: decoder.messages, errors }
}

const histogram = (bins: string, rest = ''): string =>
  `{"h":{"type":"histogram","value":[${bins}]${rest}}}`

suite('reading', () => {
  test('bins are sorted, equal bounds added, the bound 0 ends them, the last is there', () => {
    const bins = '{"ub":8,"count":1},{"ub":2,"count":3},{"ub":8,"count":"4"},{"ub":0},{"ub":3}'
    assert.deepEqual(read(histogram(bins)), {
      messages: [
        {
          h: {
            type: 'histogram',
            value: [
              { ub: 2, count: 3 },
              { ub: 8, count: 5 },
              { ub: 4294967295, count: 0 },
            ],
          },
        },
      ],
      errors: [],
    })
  })

  test('4294967296 and +Inf are the last bound', () => {
    const bins = '{"ub":4294967296,"count":1},{"ub":"+Inf","count":2},{"ub":4294967295,"count":3}'
    const [document] = read(histogram(bins)).messages as JsonDocument[]
    assert.deepEqual(document!.h!.value, [{ ub: 4294967295, count: 6 }])
  })

  test('bounds that a definition named are all there, and no others', () => {
    const bounds = ',"bounds":[1,30]'
    const [document] = read(histogram('{"ub":30,"count":1}', bounds)).messages as JsonDocument[]
    assert.deepEqual(
      (document!.h!.value as readonly JsonBin[]).map(({ ub }) => ub),
      [1, 30, 4294967295],
    )
    assert.equal(read(histogram('{"ub":2,"count":1}', bounds)).errors.length, 1)
  })

  test('counts that add up to more than 2^64 - 1 are refused', () => {
    const bins = '{"ub":1,"count":"18446744073709551615"},{"ub":1,"count":1}'
    assert.deepEqual(read(histogram(bins)).errors, [{ code: 'bad_value', offset: 1, resync: true }])
  })

  test('an error says where its metric begins, in bytes, and costs that metric alone', () => {
    const text = '{"é":{"type":"gauge","value":1},\n "b\\u0061d" : {"type":"x"},"z":{"type":"x"}}'
    const { messages, errors } = read(`${text}{}`)
    assert.deepEqual(messages, [{ é: { type: 'gauge', value: 1 } }, {}])
    const offsets = ['"b\\u', '"z"'].map((part) => Buffer.from(text).indexOf(part))
    assert.deepEqual(
      errors,
      offsets.map((offset) => ({ code: 'bad_type', offset, resync: true })),
    )
  })

  test('a name of the language is a name', () => {
    const { messages } = read('{"__proto__":{"type":"counter","value":1}}')
    assert.deepEqual(Object.keys(messages[0] as object), ['__proto__'])
  })
})

suite('limits', () => {
  const LIMIT = 16_777_216

  test('a document of 16 MiB is read, one byte more is refused and let go of', () => {
    const document = Buffer.alloc(LIMIT, ' ')
    document.write('{')
    document.write('}', LIMIT - 1)
    assert.deepEqual(read(document), { messages: [{}], errors: [] })
    const decoder = createDecoder()
    decoder.push(document.subarray(0, LIMIT - 1))
    decoder.push(Buffer.from(' '))
    assert.deepEqual(decoder.errors, [])
    decoder.push(Buffer.from(' '))
    assert.deepEqual(
      decoder.errors.map(({ code, resync }) => [code, resync]),
      [['bad_document', false]],
    )
    const before = retainedBytes()
    for (let i = 0; i < 8; i++) decoder.push(document)
    assert.ok(retainedBytes() - before < 1 << 20)
    decoder.end()
    assert.equal(decoder.errors.length, 1)
  })

  test('white space between documents is no part of them, however much it is', () => {
    const decoder = createDecoder()
    const space = Buffer.alloc(LIMIT, '\n')
    for (let i = 0; i < 3; i++) decoder.push(space)
    decoder.push(Buffer.from('{}'))
    decoder.end()
    assert.deepEqual([decoder.messages, decoder.errors], [[{}], []])
  })

  test('nesting deeper than any document is refused before it is parsed', () => {
    const deep = `{"a":${'['.repeat(1_000_000)}`
    assert.deepEqual(read(deep).errors, [{ code: 'bad_document', offset: 68, resync: false }])
    const enough = `{"a":${'['.repeat(63)}${']'.repeat(63)}}`
    assert.deepEqual(read(enough).errors, [{ code: 'bad_type', offset: 1, resync: true }])
  })
})

suite('writing', () => {
  const document: JsonDocument = {
    h: {
      type: 'histogram',
      value: [
        { ub: 1, count: 1 },
        { ub: 4294967295, count: 0 },
      ],
      sum: 1,
    },
  }

  test('the document’s edition has no sum, the peer’s has', () => {
    const text = (profile: 'document' | 'peer'): string =>
      Buffer.concat(encodeProxyWasm([document], { profile })).toString()
    assert.doesNotMatch(text('document'), /sum/)
    assert.match(text('peer'), /"sum":1/)
    assert.equal(Buffer.concat(encodeProxyWasm([document])).toString(), text('document'))
  })

  test('bounds of its own are beyond the document’s edition', () => {
    const own = { h: { ...document.h!, bounds: [1] } }
    assert.throws(() => encodeProxyWasm([own]), { code: 'bad_bound' })
    assert.equal(encodeProxyWasm([own], { profile: 'peer' }).length, 1)
  })

  for (const [wrong, code] of [
    [{ x: { type: 'counter', value: -1 } }, 'bad_value'],
    [{ x: { type: 'timer' } }, 'bad_type'],
    [{ x: { type: 'histogram', value: [{ ub: 3, count: 1 }] } }, 'bad_bound'],
    [[], 'bad_document'],
  ] as const) {
    test(`${JSON.stringify(wrong)} is refused as ${code}`, () => {
      assert.throws(
        () => encodeProxyWasm([wrong]),
        (error: EncodeError) => error instanceof EncodeError && error.code === code,
      )
    })
  }
})
