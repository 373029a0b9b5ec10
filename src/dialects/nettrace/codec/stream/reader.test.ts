/** Streams as the reader takes them: cut, broken, lossy, and in the layouts that are rare. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../../test/support/property.ts'
import { createDecoder } from '../../codec.ts'
import { TYPE } from '../../spec.ts'
import { RECORDINGS } from '../../test/recordings.ts'
import { ByteWriter } from '../byte-writer.ts'
import type { NetTraceEvent } from '../event.ts'
import { NetTraceReader, type NetTraceReaderOptions } from './reader.ts'
import { StreamWriter } from './writer.ts'

const TRACE = {
  ...{ syncTimeMs: Date.UTC(2026, 0, 2), syncTicks: 1n << 60n, frequency: 1_000_000_000n },
  ...{ pointerSize: 8, pid: 42, cpus: 2, samplingRate: 0 },
}
const FACTS = { version: 0, level: 4, opcode: 0, keywords: 0n }
const LAYOUT = { name: 'Tick', eventId: 1, ...FACTS, fields: [{ name: 'n', type: TYPE.u8 }] }
const AT = { thread: 1, isSorted: true, payload: Uint8Array.of(9) }

function read(bytes: Uint8Array, options: Partial<NetTraceReaderOptions> = {}) {
  const events: NetTraceEvent[] = []
  const errors: string[] = []
  const reader = new NetTraceReader({
    onEvent: (event) => events.push(event),
    onError: ({ code, resync }) => errors.push(resync ? code : `${code}!`),
    ...options,
  })
  reader.push(bytes)
  reader.end()
  return { reader, events, errors }
}

/** A stream of so many events, with what comes in front of the end mark. */
function stream(count: number, last: (writer: StreamWriter) => void = () => {}): Uint8Array {
  const writer = new StreamWriter(TRACE)
  const metadata = writer.define('App', LAYOUT)
  const events = Array.from({ length: count }, (_, i) => {
    return { metadata, ticks: i, sequence: i + 1, ...AT }
  })
  writer.events(events)
  last(writer)
  writer.end()
  return writer.take()
}

suite('a stream', () => {
  test('of any recording says the same however it is cut', () => {
    const names = fc.constantFrom(...RECORDINGS.keys())
    const sizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 8 })
    holds(
      fc.property(names, sizes, (name, pieces) => {
        const bytes = RECORDINGS.get(name)!
        const [whole, cut] = [createDecoder(), createDecoder()]
        whole.push(bytes)
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const end = at + pieces[i % pieces.length]!
          cut.push(bytes.slice(at, end))
          at = end
        }
        whole.end()
        cut.end()
        assert.deepEqual([cut.messages, cut.errors], [whole.messages, whole.errors])
      }),
      100,
    )
  })

  test('that was written is read back, with a clock beyond 2^53 as well', () => {
    const { reader, events, errors } = read(stream(3))
    assert.deepEqual(errors, [])
    assert.deepEqual(
      events.map(({ ticks, sequence, payload }) => [ticks, sequence, payload]),
      [0, 1, 2].map((i) => [i, i + 1, { n: 9 }]),
    )
    assert.deepEqual([reader.isEnded, reader.lost, reader.blocks.event], [true, 0, 1])
    assert.deepEqual(reader.trace, { version: 4, ...TRACE })
  })

  test('tells what its process has dropped: gaps, and numbers of a sequence point', () => {
    const bytes = stream(2, (writer) => {
      const metadata = writer.define('Other', { ...LAYOUT, eventId: 2 })
      writer.events([{ metadata, ticks: 9, sequence: 5, ...AT }])
      writer.sequencePoint(10, [[1, 12]])
    })
    const { reader, errors } = read(bytes)
    assert.deepEqual([reader.lost, errors], [9, []])
  })

  test('goes on behind an event that can’t be read', () => {
    const bytes = stream(1, (writer) => {
      const unknown = { ...writer.define('Gone', { ...LAYOUT, fields: [] }), id: 77 }
      const short = writer.define('Short', { ...LAYOUT, eventId: 3, fields: LAYOUT.fields })
      const odd = writer.define('Odd', { ...LAYOUT, fields: [{ name: 'x', type: 99 }] })
      const at = { ticks: 5, ...AT }
      writer.events([
        { ...at, metadata: unknown, sequence: 2 },
        { ...at, metadata: short, sequence: 3, payload: Uint8Array.of(1, 2) },
        { ...at, metadata: odd, sequence: 4 },
        { ...at, metadata: short, sequence: 5 },
      ])
    })
    const { reader, events, errors } = read(bytes)
    assert.deepEqual(errors, ['undecodable', 'undecodable', 'undecodable'])
    assert.deepEqual([events.length, reader.lost, reader.errors.undecodable], [2, 0, 3])
  })

  test('of another magic, tag or version ends; what came before stays', () => {
    const bytes = stream(2)
    for (const [at, byte, code] of [
      [0, 0, 'bad_magic!'],
      [8, 21, 'bad_magic!'],
      [20, 0, 'bad_magic!'],
      [34, 9, 'bad_tag!'],
      [39, 5, 'bad_version!'],
      [46, 99, 'too_large!'],
    ] as const) {
      const broken = bytes.slice()
      broken[at] = byte
      assert.deepEqual(read(broken).errors, [code], `byte ${at}`)
    }
    const broken = bytes.slice()
    broken[bytes.length - 1] = 9
    const { events, errors } = read(broken)
    assert.deepEqual([events.length, errors], [2, ['bad_tag!']])
  })

  test('padding that is not zero ends the reading', () => {
    const bytes = RECORDINGS.get('counters-1s')!.slice()
    const name = Buffer.from(bytes).indexOf('MetadataBlock')
    const padding = name + 'MetadataBlock'.length + 5
    assert.ok(padding % 4 !== 0, 'there is padding')
    bytes[padding] = 1
    assert.deepEqual(read(bytes).errors, ['bad_padding!'])
  })

  test('a block beyond the limit of its reader ends the reading before it is held', () => {
    const { reader, errors } = read(stream(2000), { blockBytesLimit: 1024 })
    assert.deepEqual([errors, reader.bytesHeld], [['too_large!'], 0])
  })

  test('in its own order gives events as they are read', () => {
    const bytes = stream(1, (writer) => {
      const metadata = writer.define('Late', LAYOUT)
      const at = { metadata, ...AT, isSorted: false }
      writer.events([
        { ...at, ticks: 9, sequence: 2 },
        { ...at, ticks: 5, sequence: 3 },
      ])
    })
    const ticks = (order: 'time' | 'stream') => read(bytes, { order }).events.map((e) => e.ticks)
    assert.deepEqual(
      [ticks('time'), ticks('stream')],
      [
        [0, 5, 9],
        [0, 9, 5],
      ],
    )
  })

  test('is not written behind its own promises, nor with what the usual reader can’t take', () => {
    const writer = new StreamWriter(TRACE)
    const metadata = writer.define('App', LAYOUT)
    const event = { metadata, ticks: 5, sequence: 1, ...AT }
    writer.events([event])
    const isBadValue = (error: Error & { code?: string }) => error.code === 'bad_value'
    assert.throws(() => writer.events([{ ...event, ticks: 4 }]), isBadValue)
    const payload = new Uint8Array(65_536)
    assert.throws(() => writer.events([{ ...event, payload }]), isBadValue)
    assert.throws(() => writer.events([{ ...event, ticks: 5.5 }]), isBadValue)
  })

  test('no name with U+0000 is described, behind which a reader would go astray', () => {
    const writer = new StreamWriter(TRACE)
    const isBadValue = (error: Error & { code?: string }) => error.code === 'bad_value'
    const inner = { name: 'o', type: TYPE.object, fields: [{ name: 'a\0', type: TYPE.u8 }] }
    assert.throws(() => writer.define('A\0pp', LAYOUT), isBadValue)
    assert.throws(() => writer.define('App', { ...LAYOUT, name: '\0' }), isBadValue)
    assert.throws(() => writer.define('App', { ...LAYOUT, fields: [inner] }), isBadValue)
    writer.events([{ metadata: writer.define('App', LAYOUT), ticks: 5, sequence: 1, ...AT }])
    const found = read(writer.take()).events
    assert.deepEqual(
      found.map(({ ticks }) => ticks),
      [5],
    )
  })
})

suite('a block', () => {
  /** Replaces the last event block of a stream by one of this content. */
  function withBlock(name: string, content: Uint8Array): Uint8Array {
    const bytes = stream(1)
    const out = new ByteWriter().raw(bytes.subarray(0, bytes.length - 1))
    out.u8(5).u8(5).u8(1).u32(2).u32(2).u32(name.length).ascii(name).u8(6).u32(content.length)
    return out
      .zeros(-out.size & 3)
      .raw(content)
      .u8(6)
      .u8(1)
      .take()
  }

  const header = () => new ByteWriter().u16(20).u16(0).u64(0n).u64(0n)

  test('blobs that are not compressed are read, too', () => {
    const out = header()
    for (const [id, ticks] of [
      [1, 7n],
      [0x8000_0001, 6n],
    ] as const) {
      out.u32(77).u32(id).u32(2).u64(3n).u64(1n).u32(0).u32(0)
      out
        .u64(TRACE.syncTicks + ticks)
        .zeros(32)
        .u32(1)
        .u8(8)
        .zeros(-out.size & 3)
    }
    const { events, errors } = read(withBlock('EventBlock', out.take()), { order: 'stream' })
    assert.deepEqual(errors, [])
    assert.deepEqual(
      events.slice(1).map(({ ticks, thread, isSorted, payload }) => {
        return [ticks, thread, isSorted, payload]
      }),
      [
        [7, 3, true, { n: 8 }],
        [6, 3, false, { n: 8 }],
      ],
    )
  })

  test('with a blob that ends beyond it loses what follows in it, and nothing else', () => {
    const compressed = new ByteWriter().u16(20).u16(1).u64(0n).u64(0n)
    const cut = compressed.u8(0x81).u8(1).varuint(TRACE.syncTicks).varuint(99n).take()
    for (const content of [cut, Uint8Array.of(1), Uint8Array.of(19, 0, 1, 0)]) {
      const { events, errors, reader } = read(withBlock('EventBlock', content))
      assert.deepEqual([events.length, errors, reader.isEnded], [1, ['bad_block'], true])
    }
    const point = new ByteWriter().u64(0n).u32(0xffff_ffff).take()
    assert.deepEqual(read(withBlock('SPBlock', point)).errors, ['bad_block'])
  })

  test('of a kind that is not known is skipped', () => {
    const { events, errors, reader } = read(withBlock('NewBlock', Uint8Array.of(1, 2, 3)))
    assert.deepEqual([events.length, errors, reader.blocks.unknown], [1, [], 1])
  })

  test('with a description that is cut costs the events of that kind', () => {
    const blob = new ByteWriter().u16(20).u16(1).u64(0n).u64(0n).u8(0xc0).u8(0).u8(4).u32(1)
    const { errors, events } = read(withBlock('MetadataBlock', blob.take()))
    assert.deepEqual([errors, events.length], [['bad_metadata'], 1])
  })
})
