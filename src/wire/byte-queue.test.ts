import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import { ByteQueue } from './byte-queue.ts'

describe('byte queue', () => {
  it('gives the bytes back in order, however they are put in and taken out', () => {
    const step = fc.tuple(fc.uint8Array({ maxLength: 9000 }), fc.nat(9000))
    holds(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const queue = new ByteQueue()
        let model: number[] = []
        for (const [bytes, dropped] of steps) {
          queue.append(bytes)
          model = [...model, ...bytes]
          const count = Math.min(dropped, model.length)
          queue.drop(count)
          model = model.slice(count)
          assert.equal(queue.size, model.length)
          assert.deepEqual([...queue.peek()], model)
        }
        queue.clear()
        assert.equal(queue.size, 0)
      }),
      100,
    )
  })

  it('does not keep a large buffer once it is empty', () => {
    const queue = new ByteQueue()
    queue.append(new Uint8Array(1 << 21))
    queue.drop(1 << 21)
    queue.append(new Uint8Array(1))
    assert.ok(queue.peek().buffer.byteLength < 1 << 20)
  })
})
