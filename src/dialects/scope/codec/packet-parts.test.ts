/** What one packet may cost: its reading is work in parts, and what is kept of it has limits. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Info, Snapshot } from '../spec.ts'
import { encodeInfo, encodeSnapshot } from './encode.ts'
import { frame } from './framing.ts'
import { PacketDecoder, type PacketOptions } from './packet.ts'
import { PacketStream } from './packet-stream.ts'

const NAMES = Array.from({ length: 20_000 }, (_, i) => `name ${i}`)
const TEXTS = NAMES.map((name) => [name, name] as const)
const SNAPSHOT = encodeSnapshot(
  1n,
  NAMES.map((name, i) => [name, i]),
)

/** A field that no packet has, with an array of so many nils. */
function withNils(count: number): Uint8Array {
  const payload = new Uint8Array(count + 16).fill(0xc0)
  payload.set([0x82, 0xa1, 0x74, 0x01, 0xa2, 0x7a, 0x7a, 0xdd], 0)
  new DataView(payload.buffer).setUint32(8, count)
  return payload.subarray(0, count + 12)
}

/** Entries of a snapshot of which none can be used. */
function withBadEntries(count: number): Uint8Array {
  const payload = new Uint8Array(2 * count + 11).fill(0xc0)
  payload.set([0x82, 0xa1, 0x74, 0x01, 0xa1, 0x64, 0xdf], 0)
  new DataView(payload.buffer).setUint32(7, count)
  return payload
}

function read(payload: Uint8Array, options: PacketOptions = {}) {
  const parts = new PacketDecoder(options).decodeInParts(payload)
  let count = 0
  let step = parts.next()
  for (; step.done !== true; step = parts.next()) count++
  return { packet: step.value, count }
}

suite('a large packet', () => {
  const cases: [string, Uint8Array, number][] = [
    ['of many values', SNAPSHOT, 70],
    ['of many metrics', encodeInfo(TEXTS.map(([name]) => [name, []])), 70],
    ['of many labels', encodeInfo([['one', TEXTS]]), 70],
    [
      'of long names',
      encodeSnapshot(1n, [
        ['a'.repeat(100_000), 1],
        ['b'.repeat(100_000), 1],
      ]),
      3,
    ],
    ['of bad entries', withBadEntries(100_000), 300],
  ]
  for (const [what, payload, parts] of cases) {
    test(`${what} is read in parts`, () => {
      const { count } = read(payload)
      assert.ok(count >= parts, `${count} parts, want ${parts}`)
    })
  }

  test('of what nobody knows is skipped in parts, and refused', () => {
    const parts = new PacketDecoder().decodeInParts(withNils(500_000))
    let count = 0
    assert.throws(() => {
      for (const _ of parts) count++
    }, /neither an information packet nor a snapshot/)
    assert.ok(count > 300, `${count} parts`)
  })

  test('is the same whether it is read in parts or not', () => {
    const { packet } = read(SNAPSHOT)
    const whole = new PacketDecoder().decode(SNAPSHOT) as Snapshot
    const { names, values } = packet as Snapshot
    assert.deepEqual([names.join(), values.join()], [whole.names.join(), whole.values.join()])
    assert.equal(new Set(names).size, NAMES.length)
  })
})

suite('limits of one packet', () => {
  const limits = { pairs: 10, textBytes: 8 }

  test('leave out what is beyond them, which is counted and no error', () => {
    const few = NAMES.slice(0, 15).map((name, i) => [name, i] as const)
    const { packet } = read(encodeSnapshot(1n, few), { limits, strict: true })
    assert.equal((packet as Snapshot).names.length, 10)
    assert.deepEqual(packet.reading, {
      ...{ isStrict: true, dropped: 0, omitted: 5 },
      time: 'unsigned',
    })
  })

  test('hold for the labels of all metrics together', () => {
    const pairs = [['k', 'v'] as const, ['l', 'w'] as const]
    const names = ['a', 'b', 'c', 'd'].map((name) => [name, pairs] as const)
    const { packet } = read(encodeInfo(names), { limits })
    const sizes = [...(packet as Info).metrics.values()].map((labels) => labels.size)
    assert.deepEqual([sizes, packet.reading.omitted], [[2, 2, 2, 0], 2])
  })

  test('leave out texts that are too long, whatever they are', () => {
    const long = 'x'.repeat(9)
    const values = [[long, 1] as const, ['short', 2] as const]
    const { packet } = read(encodeSnapshot(1n, values), { limits, strict: true })
    assert.deepEqual((packet as Snapshot).names, ['short'])
    const labels = [['k', long] as const, ['l', 'v'] as const, [long, 'v'] as const]
    const info = read(encodeInfo([['m', labels]]), { limits, strict: true }).packet as Info
    assert.deepEqual([...info.metrics.get('m')!], [['l', 'v']])
    assert.equal(info.reading.omitted, 2)
  })
})

suite('a stream of packets in parts', () => {
  test('ends between two of them where it is stopped', () => {
    const decoder = new PacketDecoder()
    let packets = 0
    const stream = new PacketStream(
      { framing: 'auto', frameCapBytes: 1e7 },
      (payload) => decoder.decodeInParts(payload),
      {
        packet: () => void packets++,
        bad: () => assert.fail('bad packet'),
      },
    )
    const framed = frame(SNAPSHOT)
    const parts = stream.pushInParts(new Uint8Array([...framed, ...framed, ...framed]))
    for (let step = parts.next(); step.done !== true; step = parts.next()) {
      if (packets === 2) stream.stop()
    }
    assert.deepEqual([packets, stream.pendingBytes], [2, 0])
  })
})
