import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createDecoder, frameRules } from '../codec.ts'
import { packetOf } from '../test/golden.ts'

function decode(bytes: Uint8Array, profile: 'peer' | 'document' = 'peer') {
  const decoder = createDecoder({ profile })
  decoder.push(bytes)
  decoder.end()
  return decoder
}

function codes(bytes: Uint8Array, profile: 'peer' | 'document' = 'peer'): string[] {
  return decode(bytes, profile).errors.map(({ code }) => code)
}

suite('datagrams', () => {
  test('a message has the shape of the vectors: base64 for keys that do not print', () => {
    const body = Buffer.from('a:1|m\n\xff:9007199254740993|g|@0.5\n\x01:1|m\né:1|m\n', 'latin1')
    body.set(Buffer.from('b'), body.length - 6)
    assert.deepEqual(decode(packetOf(body)).messages, [
      { key: 'a', value: 1, type: 'm' },
      { key_b64: '/w==', value: '9007199254740993', type: 'g', sampleRate: 0.5 },
      { key_b64: 'AQ==', value: 1, type: 'm' },
      { key: 'b', value: 1, type: 'm' },
    ])
    assert.deepEqual(decode(packetOf('é:1|m\n')).messages, [{ key: 'é', value: 1, type: 'm' }])
  })

  test('an error says dialect, code, offset, and that the next datagram is not touched', () => {
    assert.deepEqual(decode(Buffer.from('1|9\nx:1|m\n')).errors, [
      { dialect: 'statshero', code: 'length_mismatch', offset: 2, resync: true },
    ])
    assert.deepEqual(decode(packetOf('ok:1|m\nbad\n')).errors, [
      { dialect: 'statshero', code: 'parse_error', offset: 12, resync: true },
    ])
  })

  test('a second packet in one datagram makes the length wrong: the whole is refused', () => {
    const two = Buffer.concat([packetOf('a:1|m\n'), packetOf('b:1|m\n')])
    assert.deepEqual(codes(two), ['length_mismatch'])
    assert.deepEqual(decode(two).messages, [])
  })

  test('a cut at any place is refused, never half read', () => {
    const whole = packetOf('a:10|m\nbb:20|h\n')
    for (let size = 0; size < whole.length; size++) {
      const cut = decode(whole.subarray(0, size))
      assert.deepEqual(cut.messages, [], `cut to ${size} bytes`)
      assert.equal(cut.errors.length, 1)
    }
  })

  test('a body of nothing is no line for the peers and an error for the document', () => {
    assert.deepEqual(codes(Buffer.from('1|0\n')), [])
    assert.deepEqual(codes(Buffer.from('1|0\n'), 'document'), ['bad_length'])
  })

  test('good lines beside a bad one of every kind count', () => {
    for (const [bad, code] of Object.entries({
      bad: 'parse_error',
      ':1|m': 'empty_key',
      'x:1.5|m': 'bad_value',
      'x:1|ms': 'unknown_type',
      'x:1|m|@1': 'bad_sample_rate',
    })) {
      const decoder = decode(packetOf(`a:1|m\n${bad}\nb:2|m\n`))
      assert.deepEqual(
        decoder.messages.map((message) => (message as { key: string }).key),
        ['a', 'b'],
      )
      assert.deepEqual(
        decoder.errors.map((error) => error.code),
        [code],
      )
    }
  })
})

suite('gzip', () => {
  const body = Buffer.from('a:1|m\nb:2|h\n')

  test('one member and two members are read, their lines counted from the unpacked body', () => {
    assert.equal(decode(packetOf(gzipSync(body))).messages.length, 2)
    const two = Buffer.concat([gzipSync(body), gzipSync('bad\n')])
    const decoder = decode(packetOf(two))
    assert.equal(decoder.messages.length, 2)
    assert.equal(decoder.errors[0]?.offset, body.length)
  })

  test('nested, cut, damaged or followed by anything else: one bad_gzip each', () => {
    const good = gzipSync(body)
    const damaged = Buffer.from(good)
    damaged[damaged.length - 6]! ^= 1
    const bodies = {
      nested: gzipSync(good),
      truncated: good.subarray(0, -1),
      header: good.subarray(0, 5),
      damaged,
      junk: Buffer.concat([good, Buffer.from('junk')]),
      zeros: Buffer.concat([good, Buffer.alloc(3)]),
      second: Buffer.concat([good, good.subarray(0, 12)]),
    }
    for (const [name, bytes] of Object.entries(bodies)) {
      const decoder = decode(packetOf(bytes))
      assert.deepEqual(codes(packetOf(bytes)), ['bad_gzip'], name)
      assert.deepEqual(decoder.messages, [], name)
    }
  })

  test('a bomb is given up at the limit, in little memory', () => {
    const bomb = gzipSync(Buffer.alloc(2 * 1024 * 1024, '\n'))
    const before = process.memoryUsage()
    const decoder = decode(packetOf(bomb))
    const after = process.memoryUsage()
    assert.equal(decoder.notes[0], 'bad_gzip: too_large')
    const held = after.arrayBuffers + after.external - before.arrayBuffers - before.external
    assert.ok(held < 4 * 1024 * 1024, `${held} bytes`)
  })

  test('the limit is exact: as many bytes as allowed are taken, one more is not', () => {
    const { inflate } = frameRules()
    const packed = gzipSync(Buffer.alloc(1000, 'a'))
    assert.equal(inflate(packed, 1000).length, 1000)
    assert.equal(inflate(packed, 999), 'too_large')
    assert.equal(inflate(gzipSync(''), 0).length, 0)
  })

  test('the document knows no gzip', () => {
    assert.deepEqual(codes(packetOf(gzipSync(body)), 'document'), ['bad_gzip'])
  })
})
