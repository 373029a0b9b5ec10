import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createDecoder, frameRules } from '../codec.ts'
import { PacketCollector, packetOf } from '../test/golden.ts'
import { FrameScanner } from './frame-scan.ts'

function scannerWith(options: Parameters<typeof frameRules>[0] = {}) {
  const collector = new PacketCollector()
  return { collector, scanner: new FrameScanner(frameRules(options), collector) }
}

function errorsOf(stream: string): object[] {
  const decoder = createDecoder({ transport: 'tcp' })
  decoder.push(Buffer.from(stream, 'latin1'))
  decoder.end()
  return decoder.errors.map(({ code, offset, resync }) => ({ code, offset, resync }))
}

suite('frames', () => {
  test('an error says where it is in its frame and whether the stream goes on', () => {
    const good = '1|6\na:1|m\n'
    assert.deepEqual(errorsOf(`${good}x`), [{ code: 'bad_version', offset: 0, resync: false }])
    assert.deepEqual(errorsOf(`${good}2|1\nx${good}`), [
      { code: 'bad_version', offset: 0, resync: true },
    ])
    assert.deepEqual(errorsOf(`1|x\n${good}`), [{ code: 'bad_length', offset: 2, resync: false }])
    assert.deepEqual(errorsOf('1|\n'), [{ code: 'bad_length', offset: 2, resync: false }])
    assert.deepEqual(errorsOf('1|999999999\n'), [{ code: 'too_long', offset: 2, resync: false }])
    assert.deepEqual(errorsOf('1|12\na:1'), [{ code: 'truncated', offset: 8, resync: false }])
    assert.deepEqual(errorsOf('1|1'), [{ code: 'truncated', offset: 3, resync: false }])
    assert.deepEqual(errorsOf('2|9\nx:1'), [{ code: 'truncated', offset: 7, resync: false }])
    assert.deepEqual(errorsOf('1|8\nbad\nx:1\n'), [
      { code: 'parse_error', offset: 4, resync: true },
      { code: 'parse_error', offset: 8, resync: true },
    ])
  })

  test('offsets are the same however the frame was cut', () => {
    const stream = Buffer.from('1|6\na:1|m\n1|8\nbad\nx:1\n')
    const { errors } = createWhole(stream)
    for (let cut = 1; cut < stream.length; cut++) {
      const decoder = createDecoder({ transport: 'tcp' })
      decoder.push(stream.subarray(0, cut))
      decoder.push(stream.subarray(cut))
      assert.deepEqual(decoder.errors, errors, `cut at ${cut}`)
    }
  })

  function createWhole(stream: Uint8Array) {
    const decoder = createDecoder({ transport: 'tcp' })
    decoder.push(stream)
    return decoder
  }

  test('a length above the limit is refused before the version is looked at', () => {
    assert.deepEqual(errorsOf('2|999999999\n'), [{ code: 'too_long', offset: 2, resync: false }])
  })

  test('a header may have 32 bytes before its LF and not one more', () => {
    const zeros = (count: number) => `1|${'0'.repeat(count)}0\n`
    assert.deepEqual(errorsOf(zeros(29)), [])
    assert.deepEqual(errorsOf(zeros(30)), [{ code: 'bad_length', offset: 0, resync: false }])
    assert.deepEqual(errorsOf('1'.repeat(32)), [{ code: 'truncated', offset: 32, resync: false }])
    assert.deepEqual(errorsOf('1'.repeat(33)), [{ code: 'bad_length', offset: 0, resync: false }])
  })

  test('a frame lies in no memory but its own: the limit and a header at most', () => {
    const maxFrameBytes = 4096
    const { scanner, collector } = scannerWith({ maxFrameBytes })
    const frame = packetOf(`${'k'.repeat(4090)}:1|m\n`)
    for (const byte of frame) {
      scanner.push(Uint8Array.of(byte))
      assert.ok(scanner.bytesHeld <= maxFrameBytes + 64)
    }
    assert.equal(collector.packets.length, 1)
    assert.equal(scanner.bytesHeld, 0)
  })

  test('a frame that is announced and does not come holds nothing but its header', () => {
    const { scanner } = scannerWith()
    scanner.push(Buffer.from('1|1048576\n'))
    assert.ok(scanner.bytesHeld < 64)
    scanner.push(Buffer.from('a'))
    assert.ok(scanner.bytesHeld < 20_000)
    assert.ok(scanner.isInsideFrame)
  })

  test('a body that comes in many reads is put together as it was', () => {
    const body = Array.from({ length: 9000 }, (_, i) => `key.${i}:${i}|m\n`).join('')
    const frame = packetOf(body)
    const { scanner, collector } = scannerWith()
    let held = 0
    for (let at = 0; at < frame.length; at += 1447) {
      scanner.push(frame.subarray(at, at + 1447))
      held = Math.max(held, scanner.bytesHeld)
    }
    assert.ok(held <= frame.length)
    const items = collector.packets[0]?.items ?? []
    assert.deepEqual(
      items.map((item) => 'value' in item && item.value),
      Array.from({ length: 9000 }, (_, i) => i),
    )
  })

  test('a header that never ends is given up after 33 bytes, the rest is not read', () => {
    const { scanner, collector } = scannerWith()
    const digits = new Uint8Array(1000).fill(0x31)
    for (let i = 0; i < 100; i++) scanner.push(digits)
    scanner.end()
    assert.deepEqual(collector.packets, [{ packetError: 'bad_length' }])
    assert.ok(scanner.isClosed)
    assert.ok(scanner.bytesHeld < 64)
  })

  test('a skipped body is not kept, however long it is', () => {
    const { scanner, collector } = scannerWith()
    scanner.push(Buffer.from('2|1000000\n'))
    for (let i = 0; i < 100; i++) scanner.push(new Uint8Array(10_000))
    assert.deepEqual(collector.packets, [{ packetError: 'bad_version' }])
    assert.ok(scanner.bytesHeld < 64)
    scanner.push(packetOf('a:1|m\n'))
    assert.equal(collector.packets.length, 2)
  })

  test('bad gzip costs its frame and not the stream', () => {
    const { scanner, collector } = scannerWith()
    const bad = packetOf(Buffer.from([0x1f, 0x8b, 8, 0]))
    scanner.push(Buffer.concat([packetOf('a:1|m\n'), bad, packetOf('b:1|m\n')]))
    const kinds = collector.packets.map(({ packetError }) => packetError)
    assert.deepEqual(kinds, [undefined, 'bad_gzip', undefined])
  })

  test('the end between two frames is no error, and ends only once', () => {
    const { scanner, collector } = scannerWith()
    scanner.push(packetOf('a:1|m\n'))
    scanner.end()
    scanner.end()
    scanner.push(packetOf('b:1|m\n'))
    assert.equal(collector.packets.length, 1)
  })
})
