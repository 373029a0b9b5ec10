/** Semaphore under mutated streams: nothing throws, and the same is read wherever it is cut. */
import assert from 'node:assert/strict'
import type { FuzzTarget } from '../../fuzz/target.ts'
import { createDecoder, encodeSemaphore as encode } from '../codec.ts'

export const target: FuzzTarget = {
  name: 'semaphore',

  seeds: () => [
    ...encode([{ kind: 'c', name: 'levers.pulled', value: 3 }]),
    ...encode([{ kind: 'g', name: 'lamp.voltage', value: -11.5 }]),
    Buffer.from('!x a 1\n!c a 1\n!c'),
  ],

  run(bytes) {
    assert.deepEqual(readAll([...bytes].map((byte) => Uint8Array.of(byte))), readAll([bytes]))
  },

  canary: {
    fault: 'the last byte is lost',
    run(bytes) {
      assert.deepEqual(readAll([bytes.subarray(0, -1)]), readAll([bytes]))
    },
  },
}

function readAll(pieces: readonly Uint8Array[]) {
  const decoder = createDecoder()
  for (const piece of pieces) decoder.push(piece)
  decoder.end()
  for (const message of decoder.messages) encode([message])
  return [decoder.messages, decoder.errors]
}
