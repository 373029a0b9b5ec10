import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { holdsAsync } from '../../test/support/property.ts'
import { TestTerminal } from '../../test/support/test-terminal.ts'
import type { Style } from './color.ts'
import { Screen } from './screen.ts'
import type { ScreenBuffer } from './screen-buffer.ts'

function screenOn(
  terminal: TestTerminal,
  draw: (buffer: ScreenBuffer) => void,
  clock = new FakeClock(),
) {
  return new Screen({ output: terminal, clock, color: '256', draw })
}

const FRAME_MS = 100
const SHOW_CURSOR = '\x1b[?25h'

test('the alternate screen is entered, and left as it was with the cursor shown', async () => {
  const terminal = new TestTerminal(20, 5)
  terminal.write('before\r\n')
  const screen = screenOn(terminal, (buffer) => buffer.write(0, 0, 'picture', 'lost'))
  screen.enter()
  assert.equal(await terminal.isAlternate(), true)
  assert.equal(await terminal.text(), 'picture')
  screen.leave()
  screen.leave()
  assert.equal(await terminal.isAlternate(), false)
  assert.equal(await terminal.text(), 'before')
  assert.equal(terminal.written.filter((text) => text.includes(SHOW_CURSOR)).length, 1)
  assert.deepEqual(terminal.eventNames(), [], 'no listener is left')
})

test('only the cells that differ are written', () => {
  const terminal = new TestTerminal(20, 5)
  let number = 17
  const screen = screenOn(terminal, (buffer) => {
    buffer.write(0, 0, 'a name')
    buffer.writeRight(0, 20, String(number))
  })
  screen.enter()
  terminal.written.length = 0
  screen.paint()
  assert.deepEqual(terminal.written, [], 'the same picture is no byte')
  number = 18
  screen.paint()
  assert.deepEqual(terminal.written, ['\x1b[1;20H\x1b[0m8'])
})

test('data changes the screen at most ten times a second, a key at once', () => {
  const terminal = new TestTerminal(20, 5)
  const clock = new FakeClock()
  let drawn = 0
  const screen = screenOn(terminal, () => drawn++, clock)
  screen.enter()
  assert.equal(drawn, 1)
  for (let ms = 0; ms < 1000; ms++) {
    screen.refresh()
    clock.advance(1)
  }
  assert.equal(drawn, 11)
  screen.paint()
  assert.equal(drawn, 12)
  clock.advance(10 * FRAME_MS)
  screen.refresh()
  assert.equal(drawn, 13, 'after a rest the first change is shown at once')
  screen.leave()
  assert.equal(clock.pending, 0)
})

test('a terminal that does not keep up loses pictures, and gets the last one when it can', () => {
  const terminal = new TestTerminal(20, 5)
  let number = 0
  const screen = screenOn(terminal, (buffer) => buffer.write(0, 0, String(number)))
  screen.enter()
  terminal.accepts = false
  terminal.written.length = 0
  for (number = 1; number < 100; number++) screen.paint()
  assert.equal(terminal.written.length, 1)
  terminal.accepts = true
  number = 99
  terminal.emit('drain')
  assert.equal(terminal.written.length, 2)
  assert.match(terminal.written[1]!, /99$/)
  terminal.emit('drain')
  assert.equal(terminal.written.length, 2, 'nothing was missed since')
})

test('another size gets another picture', async () => {
  const terminal = new TestTerminal(20, 5)
  const screen = screenOn(terminal, (buffer) => {
    buffer.write(buffer.rows - 1, 0, `${buffer.columns} x ${buffer.rows}`)
  })
  screen.enter()
  terminal.resize(30, 3)
  assert.deepEqual(await terminal.lines(), ['', '', '30 x 3'])
})

test('the last cell of the last row can be written, and nothing scrolls', async () => {
  const terminal = new TestTerminal(5, 3)
  const screen = screenOn(terminal, (buffer) => {
    for (let row = 0; row < 3; row++) buffer.write(row, 0, `${row}1234`)
  })
  screen.enter()
  assert.deepEqual(await terminal.lines(), ['01234', '11234', '21234'])
})

const texts = fc.oneof(
  fc.constantFrom('漢字', 'é', 'e\u0301', '─', '⣿⣀', '', '日a', '\x1b[31m', '\t'),
  fc.string({ maxLength: 8 }),
)
const writes = fc.record({
  row: fc.nat(5),
  column: fc.nat(11),
  text: texts,
  style: fc.constantFrom<Style>('plain', 'bold', 'lost', '#119fbc'),
})

test('whatever was shown before, the terminal shows the picture that was drawn last', async () => {
  await holdsAsync(
    fc.asyncProperty(
      fc.array(fc.array(writes, { maxLength: 12 }), { maxLength: 6 }),
      async (all) => {
        const terminal = new TestTerminal(12, 6)
        let picture = all[0] ?? []
        let rows: string[] = []
        const screen = screenOn(terminal, (buffer) => {
          for (const { row, column, text, style } of picture) buffer.write(row, column, text, style)
          rows = Array.from({ length: buffer.rows }, (_, row) => buffer.rowText(row))
        })
        screen.enter()
        for (picture of all) {
          screen.paint()
          assert.deepEqual(
            (await terminal.lines()).map((line) => line.trimEnd()),
            rows,
          )
        }
      },
    ),
  )
})
