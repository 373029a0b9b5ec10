import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { U64_MAX } from '../exact.ts'
import { BucketRun } from './bucket-run.ts'

type Entry = readonly [index: number, count: bigint]

const entries: fc.Arbitrary<Entry[]> = fc.array(
  fc.tuple(fc.integer({ min: -80, max: 80 }), fc.bigInt({ min: 0n, max: 1n << 40n })),
  { maxLength: 12 },
)

test('a run holds what a map from index to count would hold', () => {
  holds(
    fc.property(entries, (list) => {
      assert.deepEqual(listed(runOf(list)), mapped(list, 0))
    }),
  )
})

test('downscaling by n adds up the buckets whose indices agree above the last n bits', () => {
  holds(
    fc.property(entries, fc.integer({ min: 0, max: 6 }), (list, steps) => {
      const run = runOf(list)
      run.downscale(steps)
      assert.deepEqual(listed(run), mapped(list, steps))
    }),
  )
})

test('merging is adding all entries, and leaves the other run as it was', () => {
  holds(
    fc.property(entries, entries, (a, b) => {
      const left = runOf(a)
      const right = runOf(b)
      left.mergeFrom(right)
      assert.deepEqual(listed(left), mapped([...a, ...b], 0))
      assert.deepEqual(listed(right), mapped(b, 0))
    }),
  )
})

test('total, span and emptiness agree with the entries', () => {
  holds(
    fc.property(entries, (list) => {
      const run = runOf(list)
      const held = mapped(list, 0)
      assert.equal(
        run.total(),
        held.reduce((sum, [, count]) => sum + count, 0n),
      )
      const span = held.length === 0 ? undefined : [held[0]![0], held.at(-1)![0]]
      assert.deepEqual(run.span(), span)
      assert.equal(run.isEmpty, held.length === 0)
    }),
  )
})

test('an empty bucket far away takes no memory, neither added nor emptied later', () => {
  const run = new BucketRun()
  run.add(1_000_000_000, 0n)
  run.add(0, 1n)
  assert.equal(run.counts.length, 1)
  run.counts[0] = 0n
  run.add(500_000_000, 1n)
  assert.equal(run.counts.length, 1)
})

test('a count stops at 2^64 - 1 when adding, merging and downscaling', () => {
  const run = runOf([[4, U64_MAX]])
  run.add(4, 1n)
  assert.deepEqual(listed(run), [[4, U64_MAX]])
  run.mergeFrom(runOf([[4, 7n]]))
  assert.deepEqual(listed(run), [[4, U64_MAX]])
  run.add(5, 9n)
  run.downscale(1)
  assert.deepEqual(listed(run), [[2, U64_MAX]])
})

test('a total of counts is whole beyond 2^64, too', () => {
  assert.equal(
    runOf([
      [-3, 5n],
      [9, 7n],
    ]).total(),
    12n,
  )
  assert.equal(
    runOf([
      [0, U64_MAX],
      [1, U64_MAX],
      [2, 3n],
    ]).total(),
    2n * U64_MAX + 3n,
  )
})

test('a clone shares nothing with its original', () => {
  const run = runOf([[1, 1n]])
  const copy = run.clone()
  copy.add(1, 1n)
  copy.add(9, 1n)
  assert.deepEqual(listed(run), [[1, 1n]])
})

function runOf(list: readonly Entry[]): BucketRun {
  const run = new BucketRun()
  for (const [index, count] of list) run.add(index, count)
  return run
}

function listed(run: BucketRun): Entry[] {
  const list: Entry[] = []
  run.forEach((index, count) => {
    list.push([index, count])
  })
  return list
}

/** The same with a map: indices shifted, sorted, empty buckets left out. */
function mapped(list: readonly Entry[], steps: number): Entry[] {
  const counts = new Map<number, bigint>()
  for (const [index, count] of list) {
    counts.set(index >> steps, (counts.get(index >> steps) ?? 0n) + count)
  }
  return [...counts].filter(([, count]) => count > 0n).sort((a, b) => a[0] - b[0])
}
