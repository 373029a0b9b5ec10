import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Screen } from './screen.ts'

const UP_AND_CLEAR = '\x1b[1A\x1b[2K'

/** What a terminal shows: enough of it for lines, and the one sequence that a screen uses. */
class FakeTerminal {
  readonly isTTY: boolean
  readonly columns = 20
  readonly rows = 10
  lines: string[] = []

  constructor(isTTY: boolean) {
    this.isTTY = isTTY
  }

  write(text: string): void {
    let rest = text
    while (rest !== '') {
      if (rest.startsWith(UP_AND_CLEAR)) {
        this.lines.pop()
        rest = rest.slice(UP_AND_CLEAR.length)
      } else {
        const end = rest.indexOf('\n')
        this.lines.push(rest.slice(0, end))
        rest = rest.slice(end + 1)
      }
    }
  }
}

test('lines stay above the block, which is painted anew', () => {
  const terminal = new FakeTerminal(true)
  const screen = new Screen(terminal, terminal)
  screen.paint(['a 1', 'b 1'])
  screen.line('first')
  screen.paint(['a 2', 'b 2', 'c 2'])
  screen.line('second')
  assert.deepEqual(terminal.lines, ['first', 'second', 'a 2', 'b 2', 'c 2'])
  screen.end(['a 3'])
  assert.deepEqual(terminal.lines, ['first', 'second', 'a 3'])
})

test('a line of the block that is wider than the terminal is cut, or it would be two', () => {
  const terminal = new FakeTerminal(true)
  new Screen(terminal, terminal).paint(['x'.repeat(50)])
  assert.deepEqual(terminal.lines, ['x'.repeat(19)])
})

test('without a terminal the block is printed once, and the lines elsewhere', () => {
  const out = new FakeTerminal(false)
  const log = new FakeTerminal(false)
  const screen = new Screen(out, log)
  screen.paint(['a 1'])
  screen.line('told')
  screen.end(['a 2'])
  assert.deepEqual([out.lines, log.lines], [['a 2'], ['told']])
})

test('a block higher than the terminal is cut in its middle, or it could not be wiped', () => {
  const terminal = new FakeTerminal(true)
  const screen = new Screen(terminal, terminal)
  screen.paint(Array.from({ length: 30 }, (_, i) => `line ${i}`))
  const head = ['line 0', 'line 1', 'line 2', 'line 3', '… 22 more lines']
  assert.deepEqual(terminal.lines, [...head, 'line 26', 'line 27', 'line 28', 'line 29'])
})

test('characters of two columns are counted as two, and none is cut in its middle', () => {
  const terminal = new FakeTerminal(true)
  new Screen(terminal, terminal).paint(['漢'.repeat(15), 'x\u{1f600}'.repeat(15)])
  assert.deepEqual(terminal.lines, ['漢'.repeat(9), `${'x\u{1f600}'.repeat(6)}x`])
})
