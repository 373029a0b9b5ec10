import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyBlock, blockFacts, numberColumns } from '../../../test/support/history-blocks.ts'
import { holds } from '../../../test/support/property.ts'
import { DecodeError } from '../../wire/index.ts'
import { type Block, type ChunkCodec, scriptCodec } from '../codec/index.ts'
import { quickCodec } from './quick-coder.ts'

const [script, quick] = [scriptCodec(), quickCodec()]

/** What a codec makes of bytes: the block, or where it gave up and why. */
function outcome(codec: ChunkCodec, kind: Block['kind'], bytes: Uint8Array): unknown {
  try {
    return blockFacts(codec.decode(kind, bytes))
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error))
    return [error.code, error.offset]
  }
}

test('there is WebAssembly here, so that two codecs are compared', () => {
  assert.notEqual(quick, script)
})

test('the same bytes are made in WebAssembly and in JavaScript, and read as the same', () => {
  holds(
    fc.property(anyBlock, fc.constantFrom(0, 12), (block, digits) => {
      const bytes = script.encode(block, { digits })
      assert.deepEqual(quick.encode(block, { digits }), bytes)
      assert.deepEqual(outcome(quick, block.kind, bytes), outcome(script, block.kind, bytes))
    }),
    1000,
  )
})

test('long columns and rows are the same, too', () => {
  const long = fc.tuple(numberColumns, fc.nat(200), fc.boolean()).map(([part, salt, isWide]) => {
    const values = Float64Array.from({ length: 3600 }, (_, i) => {
      return part[(i * (salt + 1)) % part.length]! + (isWide ? ((i * salt) % 977) ** 2 : 0)
    })
    return {
      kind: 'gauge',
      places: Uint32Array.from(values.keys()),
      values,
      wide: new Map(),
    } as const
  })
  holds(
    fc.property(long, (block) => {
      const bytes = script.encode(block)
      assert.deepEqual(quick.encode(block), bytes)
      assert.deepEqual(quick.decode('gauge', bytes), script.decode('gauge', bytes))
    }),
    50,
  )
})

test('bytes that are no chunk are refused by both at the same place for the same reason', () => {
  const kind = fc.constantFrom(...(['counter', 'gauge', 'histogram', 'summary'] as const))
  holds(
    fc.property(kind, fc.uint8Array({ maxLength: 60 }), (which, bytes) => {
      assert.deepEqual(outcome(quick, which, bytes), outcome(script, which, bytes))
    }),
    2000,
  )
  holds(
    fc.property(anyBlock, fc.nat(), fc.nat(7), (block, at, bit) => {
      const bytes = script.encode(block)
      bytes[at % bytes.length]! ^= 1 << bit
      assert.deepEqual(outcome(quick, block.kind, bytes), outcome(script, block.kind, bytes))
    }),
    1000,
  )
})
