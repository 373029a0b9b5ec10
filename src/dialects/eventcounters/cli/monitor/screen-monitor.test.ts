import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { TestInput, TestProcess, TestTerminal } from '../../../../../test/support/test-terminal.ts'
import type { ColorDepth } from '../../../../terminal/color.ts'
import type { ToldWindow } from '../../test/counter-endpoint.ts'
import { FakeCounterClient } from '../../test/fake-counter-client.ts'
import { httpFeed } from '../http-feed.ts'
import { type MonitorOptions, monitorOnScreen } from './screen-monitor.ts'

const OPTIONS: MonitorOptions = {
  views: ['raw'],
  showDeltas: false,
  isAbbreviated: false,
  sort: 'name',
  thresholds: [],
}

interface Setting extends Partial<MonitorOptions> {
  readonly columns?: number
  readonly rows?: number
  readonly color?: ColorDepth
  readonly seriesLimit?: number
  readonly durationMs?: number
  readonly url?: string
}

/** A monitor at a terminal whose session has just opened. */
function watching(setting: Setting = {}) {
  const { columns = 80, rows = 24, color = 'none', seriesLimit = 1000, durationMs } = setting
  const { url = 'http://127.0.0.1:4000' } = setting
  const terminal = new TestTerminal(columns, rows)
  const input = new TestInput()
  const process = new TestProcess()
  const clock = new FakeClock()
  const client = new FakeCounterClient()
  const done = monitorOnScreen(
    {
      open: httpFeed({ url, intervalMs: 1000 }, client.connect),
      filter: undefined,
      namesCounters: url.includes('counters='),
      intervalMs: 1000,
      durationMs,
      seriesLimit,
    },
    { ...OPTIONS, ...setting },
    { input, output: terminal, process, color, clock },
  )
  client.open()
  const tell = (...windows: readonly ToldWindow[]): void => {
    client.tell(...windows)
    clock.advance(100)
  }
  /** The rows of the table, without title, status, keys. */
  const table = async (): Promise<string[]> => {
    const lines = await terminal.lines()
    return lines.slice(3, lines.length - 2).filter((line) => line !== '')
  }
  const status = async (): Promise<string> => (await terminal.lines())[1]!.trim()
  return { terminal, input, process, clock, client, done, tell, table, status }
}

/** Counters of two providers, one with tags. */
const SHOP: readonly ToldWindow[] = [
  { provider: 'System.Runtime', name: 'cpu-usage', displayName: 'CPU Usage', units: '%', mean: 12 },
  { provider: 'Shop', name: 'orders', tags: { country: 'DE', method: 'GET' }, increment: 4 },
  { provider: 'Shop', name: 'orders', tags: { country: 'FR' }, increment: 2 },
  { provider: 'Shop', name: 'baskets', displayName: 'Baskets', increment: 1234.5 },
]

test('80 x 24: providers and counters by name, tags as columns, points aligned', async () => {
  const { terminal, tell } = watching()
  tell(...SHOP)
  assert.deepEqual((await terminal.lines()).slice(0, 12), [
    'Pentameter  127.0.0.1:4000                                         4 series  1 s',
    `    Status: Running  ${new Date(Date.UTC(2026, 0, 2, 3, 4, 5)).toTimeString().slice(0, 8)}`,
    '─'.repeat(80),
    'Name                               Current Value',
    '[Shop]',
    '    Baskets (Count / 1 sec)            1,234.5                                 ⢸',
    '    orders (Count / 1 sec)',
    '        country method',
    '        DE      GET                        4                                   ⢸',
    '        FR                                 2                                   ⢸',
    '[System.Runtime]',
    '    CPU Usage (%)                         12                                   ⢸',
  ])
  assert.equal(
    (await terminal.lines())[23],
    ' p pause  r resume  / filter  s sort: name  ↑↓ scroll  ? keys  q quit',
  )
})

test('before the first payload it says that it waits', async () => {
  const { status, table, tell } = watching()
  assert.equal(await status(), 'Status: Waiting for initial payload...')
  assert.deepEqual(await table(), ['Name                               Current Value'])
  tell({ name: 'a', mean: 1, seriesMs: 5000 })
  assert.match(await status(), /^Status: Running {2}\d\d:\d\d:\d\d$/)
})

test('where nothing comes for two intervals it says what may be wrong', async () => {
  const { status, clock, tell } = watching()
  clock.advance(1200)
  assert.equal(await status(), 'Status: Waiting for initial payload...')
  clock.advance(2000)
  assert.equal(await status(), 'Status: Waiting for initial payload... no counters there so far')
  tell({ name: 'a', mean: 1 })
  assert.match(await status(), /^Status: Running {2}/)
})

test('a session that stands still says since when, until it goes on', async () => {
  const { status, clock, tell } = watching()
  tell({ name: 'a', mean: 1 })
  const running = await status()
  clock.advance(3000)
  assert.equal(await status(), running)
  clock.advance(1000)
  assert.equal(await status(), running.replace('Running ', '■ no payload since'))
  tell({ name: 'a', mean: 1 })
  assert.match(await status(), /^Status: Running {2}/)
})

test('the interval shown is that of the payloads', async () => {
  const { terminal, tell } = watching()
  tell({ name: 'a', mean: 1, seriesMs: 5000 })
  assert.match((await terminal.lines())[0]!, /1 series {2}5 s$/)
})

test('deltas are the change from the interval before, none for the first', async () => {
  const { table, tell } = watching({ showDeltas: true })
  tell({ name: 'a', mean: 5 })
  assert.match((await table())[2]!, /^ {4}a +5 +– +⢸$/)
  tell({ name: 'a', mean: 3.25 })
  assert.match((await table())[2]!, /^ {4}a +3\.25 +-1\.75 +⣷$/)
})

test('120 x 40 has room for a spark with what was seen', async () => {
  const { table, tell } = watching({ columns: 120, rows: 40 })
  for (const mean of [1, 2, 3, 4, 0, 4]) tell({ name: 'a', mean })
  const rows = (await table()).slice(2)
  for (const row of rows) assert.equal(row.length, 120)
  assert.deepEqual(
    rows.map((row) => row.slice(-3)),
    [' ⣸⢸', '⢰⣿⢸', '⣿⣿⣸'],
    'three rows high, where there is room',
  )
  assert.match(rows[2]!, /^ {4}a +4 /)
})

test('a wide terminal has two tables side by side once one has too few rows', async () => {
  const { tell, table, terminal, input } = watching({ columns: 200, rows: 12 })
  tell(...Array.from({ length: 5 }, (_, i) => ({ name: `c${10 + i}`, mean: i })))
  assert.doesNotMatch((await table())[0]!, /Name.*Name/)
  tell(...Array.from({ length: 20 }, (_, i) => ({ name: `c${10 + i}`, mean: i })))
  const [titles, first] = await table()
  assert.match(titles!, /^Name +Current Value +Name +Current Value/)
  assert.match(first!, /^\[Shop\] +c15 +5 /)
  assert.match(await terminal.text(), / 1-12 of 21 lines$/m)
  input.press('\x1b[F')
  assert.match((await table())[6]!, /c23 .*c29 /)
})

test('/ filters while it is typed, Enter keeps it, Esc gives it up', async () => {
  const { tell, terminal, input, table, clock } = watching()
  tell(...SHOP)
  input.press('/')
  input.press('orders')
  assert.match(await terminal.text(), /^ \/ orders▏ +Enter takes it {2}Esc gives it up$/m)
  assert.match((await terminal.lines())[0]!, /2 of 4 series {2}1 s$/)
  assert.deepEqual(
    (await table()).slice(1).map((line) => line.trim().split(/ {2,}/)[0]),
    ['[Shop]', 'orders (Count / 1 sec)', 'country method', 'DE', 'FR'],
  )
  input.press(' country=fr')
  assert.match((await terminal.lines())[0]!, /1 of 4 series/)
  input.press('\r')
  assert.match(await terminal.text(), /\/ orders country=…|\/ orders countr…/)
  tell({ provider: 'Shop', name: 'orders', tags: { country: 'FR' }, increment: 7 })
  assert.match((await table()).join('\n'), /FR +7/)
  input.press('/')
  input.press('\x15zzz')
  assert.match(await terminal.text(), /No counter matches “zzz”/)
  input.press('\x1b')
  clock.advance(200)
  assert.match((await terminal.lines())[0]!, /1 of 4 series/)
  input.press('q')
})

test("a hub's own counters are left out unless they are asked for", async () => {
  const own = { provider: 'hub', name: 'pentameter.series', mean: 67 }
  const { tell, terminal, input, table } = watching()
  tell(own)
  assert.match(await terminal.text(), /Only the hub's own counters so far/)
  tell({ name: 'orders', mean: 1 })
  assert.match((await terminal.lines())[0]!, / 1 series {2}1 s$/)
  assert.doesNotMatch((await table()).join(), /pentameter/)
  input.press('/pentameter')
  assert.match((await table()).join(), /\[hub\].*pentameter\.series +67/)
  const named = watching({ url: 'http://127.0.0.1:4000/?counters=hub' })
  named.tell(own)
  assert.match((await named.table()).join(), /pentameter\.series +67/)
})

test('values can stand side by side; a Mean kind has only one', async () => {
  const { table, tell } = watching({ columns: 120, views: ['raw', 'rate', 'minute', 'total'] })
  const gc = { name: 'gc', rateScaleSec: 60, intervalSec: 2, seriesMs: 2000 }
  tell({ ...gc, increment: 3 }, { name: 'heap', mean: 7 })
  tell({ ...gc, increment: 4 }, { name: 'heap', mean: 8 })
  const [title, , first, second] = await table()
  assert.match(title!, /^Name +Current Value +Rate +Per Minute +Total/)
  assert.match(first!, /^ {4}gc \(Count \/ 2 sec\) +4 +120\/min +120 +7\b/)
  assert.match(second!, /^ {4}heap +8 {20,}/)
})

test('one view alone names what it shows', async () => {
  const window = { name: 'gc', displayName: 'GC', rateScaleSec: 60, intervalSec: 2, increment: 3 }
  for (const [view, label, value] of [
    ['rate', 'GC \\(Count / 60 sec\\)', '90'],
    ['minute', 'GC / Min', '90'],
    ['total', 'GC \\(Count\\)', '3'],
  ] as const) {
    const { table, tell } = watching({ views: [view] })
    tell(window)
    assert.match((await table())[2]!, new RegExp(`^ {4}${label} +${value}\\b`))
  }
})

test('p stands still within the turn, r shows what came last', async () => {
  const { table, tell, input, status, terminal } = watching()
  tell({ name: 'a', mean: 1 })
  input.press('p')
  assert.match(terminal.written.at(-1)!, /Paused/)
  tell({ name: 'a', mean: 2 }, { name: 'b', mean: 9 })
  tell({ name: 'a', mean: 3 })
  assert.equal(await status(), 'Status: Paused')
  assert.match((await table()).join('\n'), /^ {4}a +1\b/m)
  assert.doesNotMatch((await table()).join('\n'), /^ {4}b/m)
  input.press('r')
  assert.match(await status(), /^Status: Running/)
  assert.match((await table()).join('\n'), /^ {4}a +3\b[\s\S]*^ {4}b +9\b/m)
})

test('q ends it: the terminal as it was, and one line that says what was seen', async () => {
  const { terminal, input, done, tell, clock, client, process } = watching()
  assert.equal(input.isRaw, true)
  tell(...SHOP)
  clock.advance(724_000)
  input.press('q')
  await done
  assert.equal(await terminal.isAlternate(), false)
  assert.equal(await terminal.text(), 'seen 12 m 04 s, 4 series, 0 errors')
  assert.equal(input.isRaw, false)
  assert.equal(client.isStopped, true)
  assert.equal(clock.pending, 0)
  assert.deepEqual([process.eventNames(), input.eventNames(), terminal.eventNames()], [[], [], []])
})

for (const [way, leave] of [
  ['Ctrl-C', ({ input }) => input.press('\x03')],
  ['SIGTERM', ({ process }) => process.emit('SIGTERM')],
  ['a closed terminal', ({ input }) => input.emit('end')],
] as const satisfies readonly (readonly [
  string,
  (watched: ReturnType<typeof watching>) => void,
])[]) {
  test(`${way} ends it the same way`, async () => {
    const watched = watching()
    leave(watched)
    await watched.done
    assert.equal(await watched.terminal.isAlternate(), false)
    assert.equal(watched.input.isRaw, false)
  })
}

test('the end of the process, an exception for one, gives the terminal back at once', async () => {
  const { terminal, process, input } = watching()
  process.emit('exit')
  assert.equal(await terminal.isAlternate(), false)
  assert.equal(input.isRaw, false)
})

test('--duration ends it when the last payload had its time', async () => {
  const { done, clock, terminal, tell } = watching({ durationMs: 10_000 })
  tell({ name: 'a', mean: 1 })
  clock.advance(10_140)
  assert.equal(await terminal.isAlternate(), true)
  clock.advance(10)
  await done
  assert.equal(await terminal.text(), 'seen 10 s, 1 series, 0 errors')
})

test('a refusal leaves the screen alone: a message, what to do, exit code 1', async () => {
  const terminal = new TestTerminal(80, 24)
  const client = new FakeCounterClient()
  const done = monitorOnScreen(
    {
      open: httpFeed({ url: 'x' }, client.connect),
      ...{ filter: undefined, namesCounters: false },
      ...{ intervalMs: 1000, durationMs: undefined, seriesLimit: 1 },
    },
    OPTIONS,
    {
      input: new TestInput(),
      output: terminal,
      process: new TestProcess(),
      color: 'none',
      clock: new FakeClock(),
    },
  )
  client.lose({ reason: 'connect', message: 'no connection to 127.0.0.1:4000: ECONNREFUSED' })
  await assert.rejects(done, { exitCode: 1, message: /ECONNREFUSED\n {2}is it running/ })
  assert.deepEqual(terminal.written, [])
  assert.equal(client.isStopped, true)
})

test('a lost session is shown, the values stay, and the gap stays one', async () => {
  const { client, tell, clock, status, table } = watching({ showDeltas: true })
  for (const mean of [4, 4, 4]) tell({ name: 'a', mean })
  client.lose({ message: 'the connection broke' }, 3000)
  clock.advance(100)
  assert.match(await status(), /^Status: ■ retry in 3 s: the connection broke +■ 1 error$/)
  clock.advance(2700)
  assert.match(await status(), /retry in 1 s/)
  assert.match((await table())[2]!, /^ {4}a +4 +0/)
  client.lose()
  client.open()
  tell({ name: 'a', mean: 4 })
  assert.match(await status(), /Running.*■ 2 errors/)
  assert.match((await table())[2]!, /^ {4}a +4 +– +⢸⣿⢸$/, 'no delta over the gap, one hole')
})

test('a series without payloads is stale after three intervals', async () => {
  const { tell, clock, table } = watching()
  tell({ name: 'a', mean: 1 }, { name: 'b', mean: 1 })
  for (let second = 0; second < 4; second++) {
    clock.advance(900)
    tell({ name: 'b', mean: 1 })
  }
  const [, , first, second] = await table()
  assert.match(first!, /^ – {2}a/)
  assert.match(second!, /^ {4}b/)
})

test('s sorts by value, by change, by name', async () => {
  const { tell, table, input } = watching()
  const names = async () => (await table()).slice(2).map((line) => line.trim()[0])
  tell({ name: 'a', mean: 1 }, { name: 'b', mean: 3 }, { name: 'c', mean: 2 })
  tell({ name: 'a', mean: 1 }, { name: 'b', mean: 3 }, { name: 'c', mean: -7 })
  assert.deepEqual(await names(), ['a', 'b', 'c'])
  input.press('s')
  assert.deepEqual(await names(), ['b', 'a', 'c'])
  input.press('S')
  assert.deepEqual(await names(), ['c', 'a', 'b'])
  input.press('s')
  assert.deepEqual(await names(), ['a', 'b', 'c'])
})

test('? shows the keys, and the table again', async () => {
  const { input, terminal, tell } = watching()
  tell({ name: 'a', mean: 1 })
  input.press('?')
  assert.match(await terminal.text(), /^ Keys\n p +pause[\s\S]*Ctrl-L -Z[\s\S]*quit/m)
  input.press('?')
  assert.match(await terminal.text(), /^ {4}a +1/m)
})

test('more counters than rows are scrolled', async () => {
  const { tell, table, input, terminal } = watching({ rows: 12 })
  tell(...Array.from({ length: 20 }, (_, i) => ({ name: `c${10 + i}`, mean: i })))
  const first = async () => (await table())[1]!.trim()
  assert.match(await terminal.text(), / 1-6 of 21 lines$/m)
  input.press('\x1b[B')
  assert.match(await first(), /^c10/)
  input.press('\x1b[6~')
  assert.match(await first(), /^c15/)
  input.press('\x1b[F')
  assert.match(await first(), /^c24/)
  assert.match(await terminal.text(), / 16-21 of 21 lines$/m)
  input.press('\x1b[B\x1b[B\x1b[H')
  assert.equal(await first(), '[Shop]')
  input.press('\x1b[Fs')
  assert.equal(await first(), '[Shop]', 'another order begins at its top')
})

test('below 60 x 12: one line that says so, and live values', async () => {
  const { tell, terminal } = watching({ columns: 50, rows: 10 })
  tell(...SHOP)
  const [first, ...rest] = (await terminal.lines()).filter((line) => line !== '')
  assert.match(first!, /^50 x 10 is small, 60 x 12 shows all/)
  assert.deepEqual(rest, [
    'Baskets (Count / 1 sec)                    1,234.5',
    'orders (Count / 1 sec)[country=DE,method=GET]    4',
    'orders (Count / 1 sec)[country=FR]               2',
    'CPU Usage (%)                                   12',
  ])
})

test('a threshold holds the screen with everything of that moment, until r', async () => {
  const thresholds = [{ counter: 'cpu', isAbove: true, value: 80 }]
  const { tell, table, status, input, client, clock } = watching({ thresholds })
  tell({ name: 'cpu', mean: 79 }, { name: 'z', mean: 1 })
  client.tell({ name: 'cpu', mean: 81 }, { name: 'z', mean: 2 })
  await Promise.resolve()
  clock.advance(100)
  assert.equal(await status(), 'Status: Paused ◆ cpu passed its threshold, r resumes')
  tell({ name: 'cpu', mean: 99 }, { name: 'z', mean: 3 })
  assert.match((await table()).join('\n'), /^ ◆ {2}cpu +81[\s\S]*^ {4}z +2/m)
  input.press('r')
  tell({ name: 'cpu', mean: 98 })
  assert.match(await status(), /Running/, 'it held once for this crossing')
  assert.match((await table()).join('\n'), /^ ◆ {2}cpu +98/m)
})

test('series beyond the limit are not shown, and that is said at any width', async () => {
  const { tell, status, terminal } = watching({ seriesLimit: 2, columns: 60 })
  tell({ name: 'a', mean: 1 }, { name: 'b', mean: 1 }, { name: 'c', mean: 1 })
  assert.match(await status(), / {2}■ not all: --max-time-series$/)
  assert.doesNotMatch(await terminal.text(), /^ {4}c/m)
})

test('colour says what a character says too; NO_COLOR leaves bold alone', async () => {
  const colored = watching({ color: '16' })
  colored.client.lose()
  colored.clock.advance(100)
  assert.deepEqual(await colored.terminal.style(1, 12), { color: 1, isBold: false })
  assert.deepEqual(await colored.terminal.style(0, 0), { color: -1, isBold: true })
  const plain = watching()
  plain.client.lose()
  plain.clock.advance(100)
  assert.deepEqual(await plain.terminal.style(1, 12), { color: -1, isBold: false })
  assert.doesNotMatch(plain.terminal.written.join(''), /\[0;[^1]/)
})

test('names from a peer do not steer the terminal', async () => {
  const { tell, table } = watching()
  tell({ name: 'a\x1b[2Jb', tags: { k: 'v\x07' }, mean: 1 })
  assert.match((await table()).join('\n'), /a\\x1b\[2Jb[\s\S]*v\\x07/)
})
