import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { frameRules } from '../codec.ts'
import { EMIT_DEFAULTS, type EmitOptions } from '../options.ts'
import { TYPE_WORDS } from '../spec.ts'
import { PacketCollector } from '../test/golden.ts'
import { encodePackets, type Line } from './encode.ts'
import { decodeDatagram } from './packet.ts'

function encode(lines: readonly Line[], options: Partial<EmitOptions> = {}): string[] {
  const packets = encodePackets(lines, { ...EMIT_DEFAULTS, ...options })
  return packets.map((packet) => Buffer.from(packet).toString())
}

/**
 * What the real parser accepts, written down once more: header, exact length, then lines split at
 * `:` and `|` alike, with Erlang's notion of integers and floats.
 */
function realParser(
  packet: Uint8Array,
): [key: string, value: bigint, type: string, rate: number][] {
  const text = Buffer.from(packet).toString('latin1')
  const [, digits, body] = /^1\|(\d+)\n([\s\S]*)$/.exec(text) ?? assert.fail(`header of ${text}`)
  assert.equal(Number(digits), body!.length, 'content length')
  assert.ok(body!.endsWith('\n'))
  return body!
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      const [key, value, type, rate, ...rest] = line.split(/[:|]/)
      assert.deepEqual(rest, [], line)
      assert.match(value!, /^[+-]?\d+$/)
      assert.ok((TYPE_WORDS as readonly string[]).includes(type!))
      if (rate !== undefined) assert.match(rate, /^@[+-]?\d+\.\d+([eE][+-]?\d+)?$/)
      return [key!, BigInt(value!), type!, rate === undefined ? 1 : Number(rate.slice(1))]
    })
}

const anyLine: fc.Arbitrary<Line> = fc
  .record({
    key: fc.stringMatching(/^[A-Za-z0-9._-]{1,60}$/),
    value: fc.oneof(
      fc.nat(),
      fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }),
    ),
    type: fc.constantFrom(...TYPE_WORDS),
    rate: fc.oneof(fc.constant(1), fc.double({ min: 1e-9, max: 1, noNaN: true })),
  })
  .map(({ key, value, type, rate }) => ({ key, value, type, sampleRate: rate }))

suite('encoding', () => {
  test('random batches satisfy the real parser and come back as they were', () => {
    holds(
      fc.property(fc.array(anyLine, { maxLength: 60 }), (lines) => {
        const expected = lines.map(({ key, value, type, sampleRate }) => {
          const isSampled = type === 'm' || type === 'h'
          return [key, BigInt(value), type, isSampled ? sampleRate : 1]
        })
        const packets = encodePackets(lines, EMIT_DEFAULTS)
        assert.deepEqual(packets.flatMap(realParser), expected)
        const collector = new PacketCollector()
        for (const packet of packets) decodeDatagram(packet, frameRules(), collector)
        const ours = collector.packets.flatMap(({ items }) => items ?? [])
        const seen = ours.map((item) => {
          if ('error' in item) return item
          const key = Buffer.from(item.key_b64!, 'base64').toString()
          return [key, BigInt(item.value), item.type, item.sampleRate ?? 1]
        })
        assert.deepEqual(seen, expected)
      }),
      2000,
    )
  })

  test('a packet keeps to its size unless one line is longer, and never splits a line', () => {
    const max = fc.integer({ min: 5, max: 200 })
    holds(
      fc.property(fc.array(anyLine, { minLength: 1 }), max, (lines, maxDatagramBytes) => {
        const packets = encodePackets(lines, { ...EMIT_DEFAULTS, maxDatagramBytes })
        for (const packet of packets) {
          const isSingle = realParser(packet).length === 1
          assert.ok(packet.length <= maxDatagramBytes || isSingle)
        }
        for (let i = 1; i < packets.length; i++) {
          // the first line of a packet had no room in the one before
          const line = Buffer.from(packets[i]!).toString().split('\n')[1]!.length + 1
          assert.ok(packets[i - 1]!.length + line + 1 > maxDatagramBytes)
        }
      }),
    )
  })

  test('no lines make no packet', () => {
    assert.deepEqual(encode([]), [])
  })

  test('lengths count bytes, of a key in any script', () => {
    assert.deepEqual(encode([{ key: 'café.☕', value: 1, type: 'm' }]), ['1|14\ncafé.☕:1|m\n'])
    const [packet] = encodePackets(
      [{ key: Uint8Array.of(0xff), value: 1, type: 'm' }],
      EMIT_DEFAULTS,
    )
    assert.deepEqual([...packet!], [...Buffer.from('1|6\n\xff:1|m\n', 'latin1')])
  })

  test('gauges and meter readers are sent without a rate', () => {
    const line = { key: 'a', value: 1, sampleRate: 0.5 }
    assert.deepEqual(encode([{ ...line, type: 'g' }]), ['1|6\na:1|g\n'])
    assert.deepEqual(encode([{ ...line, type: 'mr' }]), ['1|7\na:1|mr\n'])
  })

  const good: Line = { key: 'a', value: 1, type: 'm' }
  for (const [what, line, code] of [
    ['no key', { ...good, key: '' }, 'empty_key'],
    ['a line feed in the key', { ...good, key: 'a\nb' }, 'bad_key'],
    ['a tabulator in the key', { ...good, key: 'a\tb' }, 'bad_key'],
    ['half a surrogate pair in the key', { ...good, key: 'a\ud800' }, 'bad_key'],
    ['a fraction', { ...good, value: 0.5 }, 'bad_value'],
    ['NaN', { ...good, value: Number.NaN }, 'bad_value'],
    ['a number that is not safe', { ...good, value: 2 ** 53 }, 'bad_value'],
    ['a negative meter reader', { ...good, value: -1n, type: 'mr' }, 'bad_value'],
    ['a type of statsd', { ...good, type: 'c' as 'm' }, 'bad_type'],
    ['a negative rate', { ...good, sampleRate: -0.5 }, 'bad_sample_rate'],
    ['a rate of NaN', { ...good, sampleRate: Number.NaN }, 'bad_sample_rate'],
    ['a line above every datagram', { ...good, key: 'k'.repeat(65_500) }, 'line_too_long'],
  ] as const) {
    test(`${what} is the caller's ${code}`, () => {
      assert.throws(() => encode([line as Line]), { name: 'EncodeError', code })
    })
  }

  test('the longest line of all fits a datagram of 65507 bytes', () => {
    const [packet] = encode([{ ...good, key: 'k'.repeat(65_507 - '1|65499\n:1|m\n'.length) }])
    assert.equal(packet!.length, 65_507)
  })

  test('the profile of the document refuses what its grammar does not know', () => {
    const options = { profile: 'document' } as const
    for (const key of ['a_b', 'a..b', '.a', 'a-b', 'é']) {
      assert.throws(() => encode([{ ...good, key }], options), { code: 'bad_key' })
    }
    const negative = { key: 'a', value: -1, type: 'g' } as const
    assert.throws(() => encode([negative], options), { code: 'bad_value' })
    assert.deepEqual(encode([{ ...good, sampleRate: 0.25 }], options), ['1|12\na:1|m|@0.25\n'])
  })

  test('lenient: keys are cleaned and values rounded, but a negative meter stays an error', () => {
    const options = { lenient: true }
    assert.deepEqual(encode([{ ...good, key: 'a:b|c\n' }], options), ['1|11\na_b_c_:1|m\n'])
    assert.deepEqual(encode([{ ...good, key: '', value: 1.5 }], options), ['1|6\n_:2|m\n'])
    assert.deepEqual(encode([{ key: 'a', value: -2.5, type: 'g' }], options), ['1|7\na:-3|g\n'])
    assert.throws(() => encode([{ ...good, value: -1 }], options), { code: 'bad_value' })
    const document = { lenient: true, profile: 'document' } as const
    assert.deepEqual(encode([{ ...good, key: 'a_b..c' }], document), ['1|11\nab.x.c:1|m\n'])
  })
})
