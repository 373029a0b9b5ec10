import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { Histogram, KINDS, type Kind } from '../../model/index.ts'
import { runNow } from '../tasks/task.ts'
import { type Frame, FrameBuilder } from './frame.ts'
import { mergeSelected, mergeSteps } from './merge-frames.ts'

/** A series in a frame: its id says of which kind it is. */
function kindOf(id: number): Kind {
  return KINDS[id % KINDS.length]!
}

function frameOf(ids: readonly number[], endMs: number): Frame {
  const builder = new FrameBuilder()
  for (const id of ids) {
    const kind = kindOf(id)
    if (kind === 'counter') builder.counter(id, id + 1, BigInt(id + 1))
    if (kind === 'gauge') builder.gauge(id, id + endMs / 1000)
    if (kind === 'summary') {
      builder.summary(id, { count: 1, mean: id, squares: 0, min: id, max: id })
    }
    if (kind !== 'histogram') continue
    const histogram = new Histogram()
    histogram.record(id + 1)
    builder.histogram(id, histogram)
  }
  return builder.build(endMs, 1)
}

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 40 })).map((all) => all.sort((a, b) => a - b))

test('what some series did is merged as what all did', () => {
  holds(
    fc.property(fc.array(ids, { minLength: 1, maxLength: 5 }), ids, (seconds, selected) => {
      const frames = seconds.map((each, i) => frameOf(each, (i + 1) * 1000))
      const all = runNow(mergeSteps(frames))
      const some = runNow(mergeSelected(frames, selected, kindOf))
      assert.deepEqual([some.endMs, some.seconds], [all.endMs, all.seconds])
      for (const id of selected) {
        assert.deepEqual(some.cell(id, kindOf(id)), all.cell(id, kindOf(id)))
      }
    }),
    300,
  )
})

test('series that were not asked for, or are gone, are looked at in no frame', () => {
  const frames = [1, 2].map((second) => frameOf([0, 1, 2, 3, 4], second * 1000))
  const isKnown = (id: number): Kind | undefined => (id === 4 ? undefined : kindOf(id))
  const merged = runNow(mergeSelected(frames, [1, 4], isKnown))
  assert.equal(merged.cellCount, 1)
})

test('a merge for one reader pauses after some hundred looks into frames', () => {
  const seconds = Array.from({ length: 600 }, (_, i) => frameOf([0, 4, 8], (i + 1) * 1000))
  let steps = 0
  for (const _ of mergeSelected(seconds, [0, 4, 8], kindOf)) steps++
  assert.equal(steps, 3)
})
