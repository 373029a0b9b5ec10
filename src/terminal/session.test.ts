import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { TestInput, TestProcess, TestTerminal } from '../../test/support/test-terminal.ts'
import { TerminalSession } from './session.ts'

/** A session that shows how many keys it has had, and takes letters but q. */
function opened() {
  const terminal = new TestTerminal(20, 5)
  const input = new TestInput()
  const process = new TestProcess()
  const work = Promise.withResolvers<void>()
  let keys = 0
  const session = new TerminalSession(
    { input, output: terminal, process, color: 'none', clock: new FakeClock() },
    {
      draw: (buffer) => buffer.write(0, 0, `keys: ${keys}`),
      onKey(key) {
        if (!/^[a-p]$/.test(key)) return false
        keys++
        return true
      },
      end: () => work.resolve(),
      seen: () => `seen ${keys} keys\n`,
    },
  )
  const done = session.run(work.promise)
  session.open()
  return { terminal, input, process, work, done }
}

test('a key that means something is answered at once', async () => {
  const { terminal, input } = opened()
  input.press('ab')
  assert.equal(await terminal.text(), 'keys: 2')
  input.press('z')
  assert.equal(await terminal.text(), 'keys: 2')
})

for (const [way, act] of [
  ['q', ({ input }) => input.press('q')],
  ['Ctrl-C', ({ input }) => input.press('\x03')],
  ['SIGTERM', ({ process }) => process.emit('SIGTERM')],
  ['a lost terminal', ({ input }) => input.emit('end')],
] as readonly (readonly [string, (session: ReturnType<typeof opened>) => void])[]) {
  test(`${way} ends it with the terminal as it was`, async () => {
    const session = opened()
    act(session)
    await session.done
    assert.equal(await session.terminal.isAlternate(), false)
    assert.equal(session.input.isRaw, false)
    assert.deepEqual(session.process.eventNames(), [])
    assert.equal(session.terminal.written.at(-1), 'seen 0 keys\n')
  })
}

test('a failure of its work gives the terminal back, too', async () => {
  const { terminal, work, done } = opened()
  work.reject(new Error('lost'))
  await assert.rejects(done, /lost/)
  assert.equal(await terminal.isAlternate(), false)
  assert.doesNotMatch(terminal.written.join(''), /seen/)
})

test('SIGQUIT gives the terminal back, says what was seen and ends the process', async () => {
  const { terminal, input, process } = opened()
  process.emit('SIGQUIT')
  assert.deepEqual(process.exits, [131])
  assert.equal(terminal.written.at(-1), 'seen 0 keys\n')
  assert.deepEqual([await terminal.isAlternate(), input.isRaw], [false, false])
})

for (const [way, act, target] of [
  ['Ctrl-Z', ({ input }) => input.press('\x1a'), 0], // the group: what started it stops as well
  ['SIGTSTP', ({ process }) => process.emit('SIGTSTP'), 4711],
] as readonly (readonly [string, (session: ReturnType<typeof opened>) => void, number])[]) {
  test(`${way} stops it with the terminal given back, and takes it again after`, async () => {
    const session = opened()
    const { terminal, input, process } = session
    const stopped: unknown[] = []
    process.onKill = () => {
      const isHeard = process.listenerCount('SIGTSTP') > 0 // else the system's default stops it
      stopped.push({ isHeard, isRaw: input.isRaw, isGiven: terminal.written.at(-1) })
    }
    act(session)
    assert.deepEqual(process.kills, [[target, 'SIGTSTP']])
    const isGiven = '\x1b[0m\x1b[?25h\x1b[?7h\x1b[?1049l'
    assert.deepEqual(stopped, [{ isHeard: false, isRaw: false, isGiven }])
    assert.deepEqual([await terminal.isAlternate(), input.isRaw], [true, true])
    process.emit('SIGCONT')
    input.press('a')
    assert.equal(await terminal.text(), 'keys: 1')
    act(session)
    assert.equal(process.kills.length, 2)
  })
}

test('a terminal whose modes others have changed is taken anew with SIGCONT', () => {
  const { input, process } = opened()
  const modes: boolean[] = []
  input.setRawMode = (isRaw) => modes.push(isRaw)
  process.emit('SIGCONT')
  assert.deepEqual(modes, [false, true])
})

test('Ctrl-L and SIGCONT draw every cell anew', async () => {
  const { terminal, input, process } = opened()
  for (const act of [() => input.press('\x0c'), () => process.emit('SIGCONT')]) {
    terminal.write('\x1b[2Jrubbish')
    act()
    assert.equal(await terminal.text(), 'keys: 0')
  }
})
