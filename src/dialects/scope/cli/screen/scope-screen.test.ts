import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Command } from 'commander'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { TestInput, TestProcess, TestTerminal } from '../../../../../test/support/test-terminal.ts'
import type { ColorDepth } from '../../../../terminal/color.ts'
import { FakeFeed } from '../../test/fake-feed.ts'
import { addFlags, requestOf, type ScopeArguments } from '../flags.ts'
import { scopeOnScreen } from './scope-screen.ts'

interface Setting {
  readonly columns?: number
  readonly rows?: number
  readonly color?: ColorDepth
  readonly flags?: readonly string[]
}

/** A screen whose feed tells what a test wants. */
function watching({ columns = 80, rows = 24, color = 'none', flags = [] }: Setting = {}) {
  const command = addFlags(new Command()).exitOverride()
  command.parse(['plc1', ...flags], { from: 'user' })
  const request = requestOf('plc1', command.opts<ScopeArguments>())
  const terminal = new TestTerminal(columns, rows)
  const input = new TestInput()
  const process = new TestProcess()
  const clock = new FakeClock()
  const feed = new FakeFeed()
  const parts = { input, output: terminal, process, color, clock }
  const done = scopeOnScreen(request, feed.open, parts)
  /** The rows as they are once data has been drawn. */
  const lines = async (): Promise<string[]> => {
    clock.advance(60)
    return terminal.lines()
  }
  const press = (...keys: readonly string[]): void => {
    for (const key of keys) input.press(key)
    clock.advance(30)
  }
  const status = async (): Promise<string> => (await lines())[1]!
  const title = async (): Promise<string> => (await lines())[0]!
  const foot = async (): Promise<string> => (await lines()).at(-1)!
  return { terminal, input, process, clock, feed, done, lines, press, status, title, foot }
}

const F5 = '\x1b[15~'
const [LEFT, RIGHT, DOWN, UP] = ['\x1b[D', '\x1b[C', '\x1b[B', '\x1b[A']

suite('the screen of a scope', () => {
  test('has plots with captions, axes and one axis of time, at 80 x 24', async () => {
    const { feed, lines } = watching()
    feed.board.describe('motor1', { plot: 'current', color: 'orange', unit: 'A' })
    feed.board.describe('motor2', { plot: 'current', unit: 'A' })
    feed.tellAll(10, 0.1, (t) => ({ motor1: t, motor2: 10 - t, level: 5 }))
    const all = await lines()
    assert.equal(all[0], `Pentameter scope  plc1:5001${' '.repeat(43)}Live  10 s`)
    assert.equal(all[1], '● ONLINE  20 ms  framed  0 missed')
    assert.match(all[3]!, /^▸current {2}1● motor1 10 A {2}2● motor2 0 A +1● level 5$/)
    assert.match(all[4]!, /^ +10 [\u2800-\u28ff]/)
    assert.match(all[4]!, /1 /, 'the first line ends at the top, with its number')
    assert.match(all[20]!, /^ +0 .*2 /)
    assert.match(all[21]!, /−10 s +−5 s +0 +−10 s +−5 s +0$/)
    assert.match(all[23]!, /^ p pause {2}F5 reset/)
  })

  test('numbers at the ends of lines stand in the order of their values', async () => {
    const { feed, lines } = watching()
    const all = ['a', 'b', 'c', 'd', 'low', 'high']
    for (const name of all) feed.board.describe(name, { plot: 'levels' })
    feed.tellAll(10, 0.1, () => ({ a: 5, b: 5.3, c: 5.2, d: 5.1, low: 0, high: 10 }))
    const ends = (await lines()).slice(4, 21).map((line) => /^.{70}.*(\d)$/.exec(line)?.[1] ?? '')
    assert.equal(ends.join(''), '523416', 'high, b, c, d, a, low')
  })

  test('shows the value of a line whose name is longer than its plot', async () => {
    const { feed, lines } = watching()
    const name = 'requests{route=/a/long/address,instance=10.0.0.7:4711}'
    feed.board.describe(name, { plot: name, unit: 'ms' })
    feed.tellAll(10, 0.1, (t) => ({ [name]: t, level: 5 }))
    const all = await lines()
    assert.match(all[3]!, / level 5 +1● requests\{route=\S+… 10 ms$/)
  })

  test('says that it connects, and what went wrong; what was there stays', async () => {
    const { feed, status, lines, clock } = watching()
    assert.equal(await status(), 'Connecting...')
    assert.match((await lines()).join('\n'), /Nothing has arrived yet/)
    feed.tellAll(5, 0.1, (t) => ({ level: t }))
    const before = (await lines()).slice(3)
    const retryAtNs = clock.monotonicNs() + 3_000_000_000n
    feed.become({ state: 'offline', retryAtNs, lastError: 'connection closed' })
    assert.equal(await status(), '■ OFFLINE  retry in 3 s: connection closed')
    assert.deepEqual((await lines()).slice(3), before)
    clock.advance(2000)
    assert.match(await status(), /retry in [12] s/)
    feed.become({ troubles: ['2 entries dropped'] })
    assert.match(await status(), /^● ONLINE.*■ 2 entries dropped$/)
  })

  test('holds at an event, in the middle, and goes on', async () => {
    const { feed, lines, press, title, status } = watching({
      flags: ['--trigger', 'level=,9', '-w', '4'],
    })
    feed.tellAll(3, 0.1, (t) => ({ level: Math.abs(t - 1) < 0.01 ? 10 : 1 }))
    const all = await lines()
    assert.match(all[0]!, /Held {2}4 s$/)
    assert.match(all[1]!, /1 event {2}N B$/)
    assert.match(all[4]!, /TRIG level/)
    assert.match(all.slice(4, 8).join('\n'), /TrA level/)
    assert.match(all[21]!, /−2 s +−1 s +0 +1 s +2 s$/)
    feed.tell(3.1, { level: 1 })
    press('p')
    assert.match(await title(), /Live/)
    press('p')
    assert.match(await title(), /Paused/)
    press('b')
    assert.match(await title(), /Held/)
    assert.match(await status(), /ONLINE/, 'the badge stays true')
    press(F5)
    assert.match(await title(), /Paused/, 'a pause by hand stays')
  })

  test('shows values at the cursor', async () => {
    const { feed, lines, press, title } = watching({ rows: 16 })
    feed.tellAll(10, 0.5, (t) => ({ level: t }))
    press(LEFT, LEFT, LEFT)
    assert.match(await title(), /cursor −0\.500 s/)
    assert.match((await lines())[3]!, /1● level 9\.5$/)
    press(RIGHT, RIGHT, RIGHT, RIGHT)
    assert.match((await lines())[3]!, /1● level 10$/)
    press('\x1b')
    assert.doesNotMatch(await title(), /cursor/)
  })

  test('a rising line rises, however large it is, from its first samples on', async () => {
    const { feed, lines } = watching()
    const axis = async (): Promise<string[]> =>
      (await lines()).slice(4, 22).flatMap((line) => /^ *([+\d.GM]+) /.exec(line)?.[1] ?? [])
    for (let i = 0; i <= 100; i++) {
      feed.tell(i * 0.02, { level: 1.70751e9 + i })
      await axis()
    }
    assert.deepEqual(await axis(), ['+100', '+80', '+60', '+40', '+20', '1.70751G'])
  })

  test('writes six digits, all at the cursor, and axes whose ticks differ', async () => {
    const { feed, lines, press } = watching({ rows: 16 })
    feed.tellAll(10, 0.5, (t) => ({ level: 1e9 + t + 0.123456 }))
    assert.match((await lines())[3]!, /1● level 1e9$/)
    const axis = (await lines()).slice(4, 13).map((line) => line.slice(0, 5).trim())
    assert.deepEqual(axis.filter(Boolean), ['+12.5', '+10', '+5', '1G'])
    press(RIGHT)
    assert.match((await lines())[3]!, /1● level 1000000010\.123456$/)
  })

  test('hides lines by number, and the legend', async () => {
    const { feed, lines, press } = watching()
    for (const name of ['a', 'b']) feed.board.describe(name, { plot: 'p' })
    feed.tellAll(10, 0.1, () => ({ a: 1, b: 2 }))
    press('2')
    assert.match((await lines())[3]!, /1● a 1 {2}2○ b$/)
    press('2', 'l')
    assert.match((await lines())[3]!, /^ p$/)
  })

  test('takes thresholds, ranges, averages and groups, and no key meanwhile', async () => {
    const { feed, lines, press, foot, title } = watching({ rows: 16 })
    feed.tellAll(10, 0.1, (t) => ({ level: t % 2 < 1 ? 1 : 5 }))
    press('t', 'q', 'p', '\r')
    assert.match(await foot(), /Trigger: level=,qp█ ■ want LINE=\[BELOW\],\[ABOVE\]/)
    assert.match(await title(), /Live/)
    press('\x15', ...'level=,7', '\r')
    assert.match((await lines()).join('\n'), /TrA level/)
    press('y', '\x15', ...'level=-5,25', '\r')
    assert.match((await lines())[4]!, /^ +25/)
    press('m', '\x7f', ...'10', '\r')
    assert.match((await lines())[3]!, /┄ SMA 4\.6$/)
    press('w', '\x15', ...'30', '\r')
    assert.match(await title(), /30 s$/)
    press('g', '\x15', ...'level=tank', '\r')
    assert.match((await lines())[3]!, /^ tank {2}1● level/)
    press('t', '\x1b')
    assert.match(await foot(), /^ p pause/)
  })

  test('keys are the same with Caps Lock, where upper case means nothing else', async () => {
    const { feed, press, foot, title } = watching({ rows: 16 })
    feed.tellAll(10, 0.1, () => ({ level: 1 }))
    for (const [key, word] of Object.entries({
      T: 'Trigger',
      Y: 'Y range',
      M: 'Moving',
      G: 'Group',
    })) {
      press(key)
      assert.match(await foot(), new RegExp(word, 'i'), key)
      press('\x1b')
    }
    press('W', '\x15', ...'30', '\r')
    assert.match(await title(), /30 s$/)
  })

  test('filters, and says that nothing matches', async () => {
    const { feed, lines, press } = watching()
    feed.tellAll(1, 0.1, () => ({ alpha: 1, beta: 2 }))
    press('/', ...'bet')
    assert.match((await lines())[3]!, /^ 1● beta 2$/)
    press('x', '\r')
    assert.match((await lines()).join('\n'), /No series matches “betx”\. Esc clears the filter\./)
    press('\x1b')
    assert.match((await lines())[3]!, /alpha/)
  })

  test('goes through more plots than there is room for', async () => {
    const { feed, lines, press } = watching()
    const names = Array.from({ length: 40 }, (_, i) => `m${String(i).padStart(2, '0')}`)
    feed.tellAll(1, 0.1, () => Object.fromEntries(names.map((name) => [name, 1])))
    assert.match((await lines())[22]!, /1-6 of 40 plots$/)
    press(DOWN, DOWN, DOWN)
    assert.match((await lines())[22]!, /3-8 of 40 plots$/)
    press('\x1b[F')
    assert.match((await lines())[22]!, /35-40 of 40 plots$/)
    press(UP, '\x1b[H')
    assert.match((await lines())[3]!, /^▸1● m00/)
  })

  test('zooms and pans in time, and comes back', async () => {
    const { feed, press, title, lines } = watching()
    feed.tellAll(100, 0.5, (t) => ({ level: t }))
    press('+', '+', '<')
    assert.match(await title(), /zoom 4\.90 s/)
    assert.match((await lines())[21]!, /−6 s.*−2 s/)
    press('\x1b')
    assert.doesNotMatch(await title(), /zoom/)
    press(']')
    assert.match(await title(), /20 s$/)
    press('[', '[')
    assert.match(await title(), /5 s$/)
  })

  test('has as many columns as asked for and fit', async () => {
    const { feed, press, lines } = watching({ columns: 130, flags: ['--chart-cols', '4'] })
    feed.tellAll(1, 0.1, () => ({ a: 1, b: 2, c: 3, d: 4 }))
    const captions = async () => (await lines())[3]!.match(/● /g)?.length
    assert.equal(await captions(), 4)
    press('C')
    assert.equal(await captions(), 3)
  })

  test('plots are as flat as asked for', async () => {
    const { feed, press, lines } = watching({ rows: 40, flags: ['--chart-aspect', '4'] })
    feed.tellAll(10, 0.1, () => ({ a: 1 }))
    const zeroRow = async () => (await lines()).findIndex((line) => /^ +0\.5/.test(line))
    const flat = await zeroRow()
    press('A', 'A', 'A', 'A')
    assert.ok((await zeroRow()) > flat)
  })

  test('tells a colour that is none, once, and draws on', async () => {
    const { feed, foot, clock } = watching()
    feed.board.describe('level', { color: 'Purple' })
    feed.tell(0, { level: 1 })
    assert.equal(await foot(), ' ◆ “Purple” of level is no colour: it gets one by itself')
    clock.advance(5000)
    assert.match(await foot(), /^ p pause/)
  })

  test('draws lines in colours asked for, those of the palette, grey when silent', async () => {
    const { feed, terminal, lines } = watching({ color: '256', rows: 16 })
    feed.board.describe('hot', { color: 'red' })
    feed.tellAll(10, 0.1, () => ({ hot: 1, cool: 2 }))
    const all = await lines()
    const dot = (name: string) => all[3]!.indexOf(`● ${name}`)
    assert.equal((await terminal.style(3, dot('hot'))).color, 196)
    assert.equal((await terminal.style(3, dot('cool'))).color, 37)
    for (let t = 10; t < 14; t += 0.1) feed.tell(t, { hot: 1 })
    await lines()
    assert.equal((await terminal.style(3, dot('cool'))).color, 245)
  })

  test('says all keys, and is readable where it is small', async () => {
    const { feed, press, lines, terminal } = watching()
    feed.tell(0, { level: 1.5 })
    press('?')
    assert.match((await lines()).join('\n'), /t {10}trigger of its lines/)
    press('?')
    terminal.resize(40, 8)
    const small = await lines()
    assert.match(small[0]!, /^40 x 8 is small, 60 x 12 shows all\. ON/)
    assert.match(small[1]!, /^level +1\.5$/)
    terminal.resize(80, 24)
    assert.match((await lines())[3]!, /● level 1\.5/)
  })

  test('gives the terminal back, with one line more', async () => {
    for (const end of [(w: ReturnType<typeof watching>) => w.press('q'), endBySignal]) {
      const watched = watching()
      watched.feed.tell(0, { level: 1.5 })
      watched.clock.advance(12_000)
      end(watched)
      await watched.done
      assert.equal(await watched.terminal.isAlternate(), false)
      assert.match(await watched.terminal.text(), /^seen 12 s, 1 series, 0 errors$/)
      assert.equal(watched.clock.pending, 0)
      assert.equal(watched.feed.isClosed, true)
    }
  })
})

function endBySignal({ process }: ReturnType<typeof watching>): void {
  process.emit('SIGTERM')
}
