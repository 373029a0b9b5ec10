/**
 * Chunks of history (src/history/codec): whatever the bytes are, they are a block or are refused
 * with a code of the set, by the codec in JavaScript and that in WebAssembly alike. What is read
 * and written again gives the same block. An input is [kind:u8] and the bytes of a chunk.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import {
  type Block,
  type ChunkCodec,
  CODEC_FAULTS,
  scriptCodec,
} from '../../../src/history/codec/index.ts'
import { quickCodec } from '../../../src/history/quick/quick-coder.ts'
import { KINDS } from '../../../src/model/index.ts'
import { DecodeError } from '../../../src/wire/index.ts'
import { blockFacts } from '../../support/history-blocks.ts'
import { ByteBuilder } from '../engine/bytes.ts'
import { double } from '../engine/values.ts'
import type { FuzzTarget } from '../target.ts'

/** Chunks of both versions. */
const VECTORS = ['history-chunks.json', 'history-chunks-1.json'].map((file) => {
  return new URL(`../../../src/history/codec/vectors/${file}`, import.meta.url)
})
const out = new ByteBuilder()
const [script, quick] = [scriptCodec(), quickCodec()]

function outcome(codec: ChunkCodec, bytes: Uint8Array): Block | string {
  try {
    return codec.decode(KINDS[(bytes[0] ?? 0) % KINDS.length]!, bytes.subarray(1))
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    assert.ok((CODEC_FAULTS as readonly string[]).includes(error.code), error.code)
    return `${error.code} at ${error.offset}`
  }
}

function factsOf(result: Block | string): unknown {
  return typeof result === 'string' ? result : blockFacts(result)
}

type Again = (block: Block) => Block

const again: Again = (block) => quick.decode(block.kind, quick.encode(block))

function check(bytes: Uint8Array, readAgain: Again): void {
  const result = outcome(script, bytes)
  assert.deepEqual(factsOf(outcome(quick, bytes)), factsOf(result))
  if (typeof result === 'string') return
  assert.deepEqual(factsOf(readAgain(result)), factsOf(result))
}

export const historyChunks: FuzzTarget = {
  name: 'history-chunks',

  seeds() {
    const kinds = KINDS.map((kind, i) => [kind, i] as const)
    const golden = VECTORS.flatMap((file): [name: string, hex: string][] => {
      return Object.entries(JSON.parse(readFileSync(file, 'utf8')))
    })
    return golden.flatMap(([name, hex]) => {
      const found = kinds.find(([kind]) => name.startsWith(kind))
      return found === undefined ? [] : [Buffer.from(`0${found[1]}${hex}`, 'hex')]
    })
  },

  generate(random) {
    const count = 1 + random.below(40)
    const decimals = random.below(4)
    const values = Float64Array.from({ length: count }, () => {
      return decimals === 3 ? double(random) : random.below(1000) / 10 ** decimals
    })
    let place = 0
    const places = Uint32Array.from(values, () => {
      place += 1 + random.below(3)
      return place - 1
    })
    const block: Block = { kind: 'gauge', places, values, wide: new Map() }
    out.reset(0).u8(KINDS.indexOf('gauge')).raw(script.encode(block))
    return {
      bytes: out.bytes,
      check() {
        assert.deepEqual(factsOf(outcome(quick, out.bytes)), factsOf(block))
      },
    }
  },

  run: (bytes) => check(bytes, again),

  canary: {
    fault: 'the last place is one too high',
    run: (bytes) =>
      check(bytes, (block) => {
        const places = again(block).places.slice()
        places[places.length - 1]! += 1
        return { ...again(block), places }
      }),
  },
}
