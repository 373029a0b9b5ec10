/**
 * Semaphore under generated and mutated streams: nothing throws, the same is read wherever it is
 * cut, and of lines that the grammar made exactly those are refused which it made wrong.
 */
import assert from 'node:assert/strict'
import { ByteBuilder, forEachPiece } from '../../fuzz/engine/bytes.ts'
import type { Random } from '../../fuzz/engine/random.ts'
import { text } from '../../fuzz/engine/values.ts'
import type { FuzzTarget } from '../../fuzz/target.ts'
import { createDecoder, encodeSemaphore as encode, type Message } from '../codec.ts'

const out = new ByteBuilder()

const target: FuzzTarget = {
  name: 'semaphore',

  seeds: () => [
    ...encode([{ kind: 'c', name: 'levers.pulled', value: 3 }]),
    ...encode([{ kind: 'g', name: 'lamp.voltage', value: -11.5 }]),
    Buffer.from('!x a 1\n!c a 1\n!c'),
  ],

  generate(random) {
    const meant = makeLines(random)
    const { bytes } = out
    return { bytes, check: () => assert.deepEqual(readAll(bytes), meant) }
  },

  run(bytes, random) {
    const decoder = createDecoder()
    forEachPiece(random, bytes, (piece) => decoder.push(piece))
    decoder.end()
    const { messages, errors } = decoder
    assert.deepEqual([messages, errors.map(({ code }) => code)], readAll(bytes))
    for (const message of messages) encode([message])
  },

  canary: {
    fault: 'the last byte is lost',
    run(bytes) {
      assert.deepEqual(readAll(bytes.subarray(0, -1)), readAll(bytes))
    },
  },
}

export const targets: readonly FuzzTarget[] = [target]

/** @returns messages, and codes of the lines that are none */
function makeLines(random: Random): [Message[], string[]] {
  out.reset(random.below(4))
  const messages: Message[] = []
  const codes: string[] = []
  for (let left = 1 + random.below(5); left > 0; left--) {
    const kind = random.pick(['c', 'g'] as const)
    const name = text(random, 30)
    const value = random.below(1_000_000)
    const isName = /^[!-~]{1,64}$/.test(name)
    if (random.isOnceIn(6)) {
      out.text(`${random.pick(['', '!', 'c x 1', '!x a 1', '!c'])}\n`)
      codes.push('bad_line')
    } else if (isName) {
      const digits = random.isOnceIn(6) ? random.pick(['', '-', '1e3', '1.', '+1']) : String(value)
      out.text(`!${kind} ${name} ${digits}\n`)
      if (digits === String(value)) messages.push({ kind, name, value })
      else codes.push('bad_value')
    }
  }
  return [messages, codes]
}

function readAll(bytes: Uint8Array): [readonly unknown[], string[]] {
  const decoder = createDecoder()
  decoder.push(bytes)
  decoder.end()
  return [decoder.messages, decoder.errors.map(({ code }) => code)]
}
