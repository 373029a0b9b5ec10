import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { onExit } from './exit.ts'

class FakeProcess extends EventEmitter {
  readonly exits: number[] = []

  exit(code: number): void {
    this.exits.push(code)
  }
}

function watched() {
  const process = new FakeProcess()
  const calls: string[] = []
  const off = onExit(process, {
    end: () => calls.push('end'),
    restore: () => calls.push('restore'),
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
  const process = new FakeProcess()
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
