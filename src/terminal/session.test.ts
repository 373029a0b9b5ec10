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

test('Ctrl-Z gives the terminal back and stops the job, fg takes it again', async () => {
  const { terminal, input, process } = opened()
  input.press('\x1a')
  assert.deepEqual(process.kills, [[process.pid, 'SIGTSTP']])
  assert.deepEqual([await terminal.isAlternate(), input.isRaw], [false, false])
  process.emit('SIGCONT')
  assert.deepEqual([await terminal.isAlternate(), input.isRaw], [true, true])
  assert.equal(await terminal.text(), 'keys: 0')
})

test('Ctrl-L and SIGCONT draw every cell anew', async () => {
  const { terminal, input, process } = opened()
  for (const act of [() => input.press('\x0c'), () => process.emit('SIGCONT')]) {
    terminal.write('\x1b[2Jrubbish')
    act()
    assert.equal(await terminal.text(), 'keys: 0')
  }
})
