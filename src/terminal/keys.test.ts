import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { type Key, Keyboard } from './keys.ts'

class FakeTerminalInput extends EventEmitter {
  readonly isTTY = true
  readonly modes: boolean[] = []
  isFlowing = false

  setRawMode(isRaw: boolean): void {
    this.modes.push(isRaw)
  }

  resume(): void {
    this.isFlowing = true
  }

  pause(): void {
    this.isFlowing = false
  }
}

function keysOf(...chunks: readonly (string | Buffer)[]): Key[] {
  const input = new FakeTerminalInput()
  const clock = new FakeClock()
  const keys: Key[] = []
  const keyboard = new Keyboard(input, { onKey: (key) => keys.push(key), onLost() {} }, clock)
  keyboard.open()
  for (const chunk of chunks) input.emit('data', chunk)
  clock.advance(25)
  return keys
}

test('keys are told within the turn in which they come, also several at once', () => {
  assert.deepEqual(keysOf('p', 'rq'), ['p', 'r', 'q'])
  assert.deepEqual(keysOf(Buffer.from('?é漢')), ['?', 'é', '漢'])
})

test('arrows and pages have names in both modes of a terminal', () => {
  assert.deepEqual(keysOf('\x1b[A\x1bOA\x1b[B\x1bOB'), ['up', 'up', 'down', 'down'])
  assert.deepEqual(keysOf('\x1b[5~\x1b[6~'), ['page-up', 'page-down'])
  assert.deepEqual(keysOf('\x1b[H\x1b[1~\x1bOF\x1b[4~'), ['home', 'home', 'end', 'end'])
})

test('keys of rxvt, of the Linux console, and with Shift or Ctrl held, are those keys', () => {
  assert.deepEqual(keysOf('\x1b[7~\x1b[8~\x1b[[E'), ['home', 'end', 'f5'])
  assert.deepEqual(keysOf('\x1b[1;2A\x1b[1;5B\x1b[6;3~'), ['up', 'down', 'page-down'])
})

test('a mouse, and what a terminal says of itself, are no keys, also in pieces', () => {
  const mouse = ['\x1b[<0;10;8M', '\x1b[<0;10;8m', '\x1b[M q1', '\x1b[Mq\x1b1']
  const answers = ['\x1b[>0;276;0c', '\x1b[?62;22c', '\x1b[I', '\x1b[0 q', '\x1b[=1u', '\x1bOr']
  const all = [...mouse, ...answers].join('')
  assert.deepEqual(keysOf(all, 'a'), ['a'])
  assert.deepEqual(keysOf(...all, 'a'), ['a'])
})

test('escape, enter and Ctrl-C have names; a key without a name is left out', () => {
  assert.deepEqual(keysOf('\r', '\x03', '\x1b'), ['enter', 'ctrl-c', 'escape'])
  assert.deepEqual(keysOf('\x1b[C\x1bOD\t\x7f\x1a'), [
    'right',
    'left',
    'tab',
    'backspace',
    'ctrl-z',
  ])
  assert.deepEqual(keysOf('\x1b[15~', '\x1b[200;1R', '\x01', 'a'), ['f5', 'a'])
})

test('sequences and characters that come in pieces are whole', () => {
  assert.deepEqual(keysOf('\x1b', '[', 'A', 'x\x1b[5', '~'), ['up', 'x', 'page-up'])
  assert.deepEqual(keysOf(Buffer.from([0xe6, 0xbc]), Buffer.from([0xa2])), ['漢'])
})

test('escape is told once nothing follows it, and what follows later is a key of its own', () => {
  const input = new FakeTerminalInput()
  const clock = new FakeClock()
  const keys: Key[] = []
  new Keyboard(input, { onKey: (key) => keys.push(key), onLost() {} }, clock).open()
  input.emit('data', '\x1b')
  assert.deepEqual(keys, [])
  clock.advance(25)
  input.emit('data', '[A')
  assert.deepEqual(keys, ['escape', '[', 'A'])
  input.emit('data', '\x1b[')
  clock.advance(25)
  assert.equal(keys.length, 3, 'half a sequence is no key')
})

test('the terminal is raw while keys are read, and as before afterwards', () => {
  const input = new FakeTerminalInput()
  const keyboard = new Keyboard(input, { onKey() {}, onLost() {} }, new FakeClock())
  keyboard.open()
  assert.deepEqual([input.modes, input.isFlowing], [[true], true])
  keyboard.close()
  keyboard.close()
  assert.deepEqual([input.modes, input.isFlowing], [[true, false], false])
  assert.deepEqual(input.eventNames(), [])
})

test('no key comes after closing, not even one that came with the key that closed', () => {
  const input = new FakeTerminalInput()
  const keys: Key[] = []
  const onKey = (key: Key): void => {
    keys.push(key)
    keyboard.close()
  }
  const keyboard = new Keyboard(input, { onKey, onLost() {} }, new FakeClock())
  keyboard.open()
  input.emit('data', 'qp')
  assert.deepEqual(keys, ['q'])
})

test('the end of a terminal is told; the end of a pipe is none', async () => {
  const input = new FakeTerminalInput()
  let lost = 0
  new Keyboard(input, { onKey() {}, onLost: () => lost++ }, new FakeClock()).open()
  input.emit('end')
  assert.equal(lost, 1)

  const pipe = new PassThrough()
  const keys: Key[] = []
  const listener = { onKey: (key: Key) => keys.push(key), onLost: () => lost++ }
  new Keyboard(pipe, listener, new FakeClock()).open()
  pipe.end('s?')
  await new Promise((resolve) => pipe.once('close', resolve))
  assert.deepEqual(keys, ['s', '?'])
  assert.equal(lost, 1)
})
