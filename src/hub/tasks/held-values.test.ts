import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldValues } from './held-values.ts'
import { runNow, type Task } from './task.ts'

interface Made {
  readonly revision: number
  readonly text: string
}

/** Values that say what they were made of, in three steps each, and how often that was. */
function start() {
  const state = { revision: 1, made: [] as string[] }
  function* make(key: string, held: Made | undefined): Task<Made> {
    const { revision } = state
    state.made.push(`${key} ${revision}${held === undefined ? '' : ` from ${held.revision}`}`)
    yield
    yield
    return { revision, text: `${key} ${revision}` }
  }
  return { state, values: new HeldValues(make) }
}

test('a value is made once for each key, and held while nothing changes', () => {
  const { state, values } = start()
  for (let i = 0; i < 3; i++) {
    assert.equal(runNow(values.get('a', 1)).text, 'a 1')
    assert.equal(runNow(values.get('b', 1)).text, 'b 1')
  }
  assert.deepEqual(state.made, ['a 1', 'b 1'])
})

test('it is made anew, of the one before, when its revision has passed', () => {
  const { state, values } = start()
  runNow(values.get('a', 1))
  state.revision = 2
  assert.equal(runNow(values.get('a', 1)).text, 'a 1', 'nobody asked for more')
  assert.equal(runNow(values.get('a', 2)).text, 'a 2')
  assert.deepEqual(state.made, ['a 1', 'a 2 from 1'])
})

test('who asks while it is being made shares the work, and sees what came meanwhile', () => {
  const { state, values } = start()
  const first = values.get('a', 1)
  first.next()
  state.revision = 2
  const [second, third] = [values.get('a', 1), values.get('a', 2)]
  second.next()
  assert.equal(runNow(second).text, 'a 1')
  assert.equal(runNow(third).text, 'a 2')
  assert.equal(runNow(first).text, 'a 2', 'or a later one, where there is one')
  assert.deepEqual(state.made, ['a 1', 'a 2 from 1'])
})

test('one that failed or was given up is begun again by the next who asks', () => {
  let attempts = 0
  function* make(): Task<Made> {
    attempts++
    yield
    if (attempts === 2) throw new Error('broken')
    return { revision: 1, text: `attempt ${attempts}` }
  }
  const values = new HeldValues<string, Made>(make)
  const left = values.get('a', 1)
  left.next()
  left.return(undefined as never)
  assert.throws(() => runNow(values.get('a', 1)), /broken/)
  assert.equal(runNow(values.get('a', 1)).text, 'attempt 3')
})
