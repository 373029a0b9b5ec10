/** Numbers of events, and what they say of those that never came. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Losses } from './losses.ts'

suite('lost events', () => {
  test('a gap is what was lost, and a point says what came last', () => {
    const losses = new Losses()
    for (const sequence of [1, 2, 5]) losses.event(7, sequence)
    assert.equal(losses.lost, 2)
    losses.event(8, 3)
    assert.equal(losses.lost, 4)
    losses.point(7, 5)
    losses.point(8, 13)
    losses.point(9, 6)
    assert.equal(losses.lost, 20)
    losses.event(9, 7)
    assert.equal(losses.lost, 20)
  })

  test('a number that falls to 1 is a new thread with an old id', () => {
    const losses = new Losses()
    for (const sequence of [1, 2, 1, 2]) losses.event(7, sequence)
    assert.equal(losses.lost, 0)
  })

  test('numbers go on at 0 behind 2^32 - 1', () => {
    const losses = new Losses()
    losses.point(7, 0xffff_fffe)
    const before = losses.lost
    for (const sequence of [0xffff_ffff, 0, 1]) losses.event(7, sequence)
    assert.equal(losses.lost, before)
  })
})
