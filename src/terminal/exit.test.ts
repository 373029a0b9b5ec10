import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestProcess } from '../../test/support/test-terminal.ts'
import { onExit } from './exit.ts'

function watched() {
  const process = new TestProcess()
  const calls: string[] = []
  const off = onExit(process, {
    end: () => calls.push('end'),
    restore: () => calls.push('restore'),
    quit: () => calls.push('quit'),
  })
  return { process, calls, off }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) {
  test(`${signal} asks for the end`, () => {
    const { process, calls } = watched()
    process.emit(signal)
    assert.deepEqual(calls, ['end'])
    assert.deepEqual(process.exits, [])
  })
}

test('a command that takes SIGHUP goes on', () => {
  const process = new TestProcess()
  const calls: string[] = []
  onExit(process, { end: () => calls.push('end'), hangUp: () => calls.push('hangUp') })
  process.emit('SIGHUP')
  process.emit('SIGHUP')
  assert.deepEqual(calls, ['hangUp', 'hangUp'])
  assert.deepEqual(process.exits, [])
})

test('a second signal gives the terminal back and ends the process', () => {
  const { process, calls } = watched()
  process.emit('SIGTERM')
  process.emit('SIGINT')
  assert.deepEqual(calls, ['end', 'restore', 'end'])
  assert.deepEqual(process.exits, [1])
})

test('SIGQUIT ends the process at once, with the terminal given back and what was seen', () => {
  const { process, calls } = watched()
  process.emit('SIGQUIT')
  assert.deepEqual([calls, process.exits], [['restore', 'quit'], [131]])
})

test('the end of the process, by an exception too, gives the terminal back', () => {
  const { process, calls } = watched()
  process.emit('exit')
  assert.deepEqual(calls, ['restore'])
})

test('afterwards no listener is left', () => {
  const { process, off } = watched()
  off()
  assert.deepEqual(process.eventNames(), [])
})
