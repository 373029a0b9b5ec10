import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameBuffer } from './frame-buffer.ts'

const frames = (from: number, to: number): Uint8Array[] => {
  return Array.from({ length: to - from }, (_, i) => Uint8Array.of((from + i) % 251))
}

describe('a buffer of frames', () => {
  it('keeps the newest up to its limit, in their order, and says how many went', () => {
    const buffer = new FrameBuffer(5, 100)
    assert.equal(buffer.isEmpty, true)
    assert.equal(buffer.push(frames(0, 3)), 0)
    assert.equal(buffer.push(frames(3, 10)), 5)
    assert.equal(buffer.isEmpty, false)
    assert.deepEqual(buffer.takeAll(), frames(5, 10))
    assert.deepEqual([buffer.takeAll(), buffer.isEmpty], [[], true])
  })

  it('takes batches of any size, and keeps nothing where it may not', () => {
    const batch = frames(0, 500_000)
    assert.equal(new FrameBuffer(5, 100).push(batch), 499_995)
    const none = new FrameBuffer(0, 100)
    assert.equal(none.push(batch), 500_000)
    assert.equal(none.isEmpty, true)
  })

  it('keeps no more bytes than it may, the newest frames of them', () => {
    const buffer = new FrameBuffer(10, 100)
    const frameOf = (size: number, mark: number) => new Uint8Array(size).fill(mark)
    assert.equal(buffer.push([frameOf(60, 1), frameOf(40, 2)]), 0)
    assert.equal(buffer.push([frameOf(30, 3), frameOf(30, 4)]), 1)
    assert.equal(buffer.push([frameOf(101, 5)]), 4)
    assert.equal(buffer.push([frameOf(100, 6)]), 0)
    assert.deepEqual(buffer.takeAll(), [frameOf(100, 6)])
    assert.equal(buffer.push([frameOf(100, 7)]), 0)
  })
})
