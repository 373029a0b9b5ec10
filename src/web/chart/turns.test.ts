import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeTurns } from './turns.ts'

test('what a frame has no time for comes first in the next one, whatever is due again', () => {
  let nowMs = 0
  const due = new Set(['a', 'b', 'c', 'd', 'e'])
  const all = new Map([...due].map((name) => [name, name]))
  const done: string[] = []
  const frame = (): boolean =>
    takeTurns(
      all,
      (name) => due.has(name),
      (name) => {
        done.push(name)
        due.delete(name)
        nowMs += 4
      },
      { endMs: nowMs + 8, now: () => nowMs },
    )
  assert.equal(frame(), true)
  assert.deepEqual(done, ['a', 'b'])
  for (const name of all.keys()) due.add(name)
  assert.equal(frame(), true)
  assert.deepEqual(done.slice(2), ['c', 'd'])
  due.delete('b')
  assert.equal(frame(), false)
  assert.deepEqual(done.slice(4), ['e', 'a'])
})

test('one that leaves while others have their turns has none', () => {
  const all = new Map([
    ['a', 'a'],
    ['b', 'b'],
  ])
  const done: string[] = []
  const work = (name: string): void => {
    done.push(name)
    all.delete('b')
  }
  const isLeft = takeTurns(all, (name) => all.has(name), work, { endMs: 8, now: () => 0 })
  assert.deepEqual([done, isLeft, [...all.keys()]], [['a'], false, ['a']])
})
