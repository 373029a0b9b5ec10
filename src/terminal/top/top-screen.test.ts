/** `pentameter top` against a hub over HTTP, at a terminal whose cells are read. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type WatchedHub, WatchingCommand, watchedHub } from '../../../test/support/watched-hub.ts'
import { clockText } from '../../viewer/format/time.ts'
import { type TopOptions, topOnScreen } from './top-screen.ts'

const OPTIONS: TopOptions = { filter: '', sort: 'unusual', group: 'none', window: 60 }

async function watched(
  t: TestContext,
  prepare: (hub: WatchedHub['view']) => void,
  part: Partial<TopOptions> = {},
  size: readonly [number, number] = [80, 24],
) {
  const watched = await watchedHub(t)
  prepare(watched.view)
  const options = { ...OPTIONS, ...part }
  const command = new WatchingCommand(t, size, (parts) => topOnScreen(watched.hub, options, parts))
  return { ...watched, command }
}

/** Four series of four kinds, with what a second brings. */
function shop(view: WatchedHub['view']): () => void {
  const labels = [['route', '/pay']] as const
  const requests = view.add({ name: 'api.requests', kind: 'counter' })
  const latency = view.add({
    name: 'checkout.latency',
    kind: 'histogram',
    labels,
    metadata: { unit: 'ms' },
  })
  const depth = view.add({ name: 'queue.depth', kind: 'gauge' })
  const cpu = view.add({ name: 'cpu', kind: 'summary', metadata: { unit: '%' } })
  return () => {
    view.count(requests, 17_800)
    for (let i = 0; i < 177; i++) view.observe(latency, 16)
    view.set(depth, 1900)
    view.sample(cpu, 12)
    view.tick()
  }
}

async function ticked(t: TestContext, part: Partial<TopOptions> = {}, size?: [number, number]) {
  let tick = (): void => {}
  const all = await watched(t, (view) => (tick = shop(view)), part, size)
  await all.command.until(/api\.requests/)
  // the stream carries what is on screen some seconds after it was asked for
  let lines = await all.command.terminal.lines()
  for (let second = 0; second < 20 && !/17\.8k\/s/.test(lines.join()); second++) {
    tick()
    lines = await all.command.until(new RegExp(clockText(all.view.clock.wallMs())))
    await all.command.idle()
  }
  return { ...all, tick }
}

const words = (line: string): string => line.replace(/\s+[\u2800-\u28ff ]*$/u, '')

test('80 x 24: kind, rate, now and p99 of each series, the keys below', async (t) => {
  const { command } = await ticked(t)
  const lines = await command.until(/177\/s/)
  assert.match(lines[0]!, /^Pentameter {2}127.0.0.1:\d+ {3}● live [\d:]{8} +4 series {2}1 min$/)
  assert.equal(lines[1], '─'.repeat(80))
  assert.deepEqual(lines.slice(3, 7).map(words), [
    '›  api.requests                    c      17.8k/s',
    '   checkout.latency{route=/pay}    h        177/s   16.0 ms   16.0 ms',
    '   cpu                             s       1.00/s    12.0 %',
    '   queue.depth                     g                 1.90 k',
  ])
  assert.equal(
    lines[23],
    ' / filter  s sort: unusual  g group  ↑↓ ↵ open  p pause  1-6 window  ? keys  q',
  )
})

test('a filter holds while it is typed, and is taken back by Escape', async (t) => {
  const { command } = await ticked(t)
  const seriesOf = (lines: readonly string[]): string[] =>
    lines.slice(3, 22).flatMap((line) => /^.. ([\w.]+)/.exec(line)?.[1] ?? [])
  assert.deepEqual(seriesOf(await command.press('/queue')), ['queue.depth'])
  assert.match((await command.terminal.lines())[23]!, /^ \/ queue█ +↵ keep {2}Esc as before$/)
  assert.match((await command.press('\r'))[0]!, /1 of 4 series/)
  assert.match((await command.press('/x'))[3]!, /^ {3}No series matches “queuex”. Esc clears/)
  command.input.press('\x1b')
  await command.until(/1 of 4 series/)
  command.input.press('\x1b')
  assert.equal(seriesOf(await command.until(/ {2}4 series/)).length, 4)
})

test('where all series have been silent for long, that is said', async (t) => {
  const { command } = await watched(t, (view) => {
    shop(view)()
    view.clock.advance(view.staleAfterMs + 2000)
    view.tick()
  })
  const lines = await command.until(/silent for long/)
  assert.equal(lines[3], '   All 4 series have been silent for long. A filter (/) finds them.')
})

test('keys sort, group, choose, and show themselves', async (t) => {
  const { command } = await ticked(t)
  assert.match((await command.press('s'))[23]!, /s sort: name/)
  assert.match((await command.press('S'))[23]!, /s sort: rate/)
  await command.press('sss')
  assert.match((await command.press('s'))[23]!, /s sort: name/)
  const grouped = await command.press('G')
  assert.match(grouped[23]!, /g prefix/)
  assert.deepEqual(
    grouped.slice(3, 11).map((line) => line.slice(0, 20).trimEnd()),
    [
      ...['   api  1', '›  api.requests', '   checkout  1', '   checkout.latency{'],
      ...['   cpu  1', '   cpu', '   queue  1', '   queue.depth'],
    ],
  )
  assert.match((await command.press('j'))[6]!, /^› {2}checkout/)
  assert.match((await command.press('\x1b[F'))[10]!, /^› {2}queue/)
  assert.match((await command.press('?'))[2]!, /^ Keys$/)
  assert.match((await command.press('?'))[10]!, /^› {2}queue/)
})

test('labels that all of a group share are said once, in its heading', async (t) => {
  const { command } = await watched(t, (view) => {
    const add = (name: string, labels: Record<string, string>): void =>
      void view.add({ name, kind: 'counter', labels: Object.entries(labels) })
    for (const worker of ['one', 'two']) {
      add('shop.orders', { endpoint: '10.0.0.7:4711', worker })
      add('shop.refunds', { endpoint: '10.0.0.7:4711', worker })
    }
    add('host.load', { endpoint: '10.0.0.7:4711' })
  })
  const namesOf = (lines: readonly string[]): readonly string[] =>
    lines.slice(3, 22).flatMap((line) => line.slice(3, 50).replace(/ +c? +–?$| +$/, '') || [])
  await command.until(/refunds/)
  const orders = ['shop.orders{worker=one}', 'shop.orders{worker=two}']
  const refunds = ['shop.refunds{worker=one}', 'shop.refunds{worker=two}']
  const all = ['host.load{endpoint=10.0.0.7:4711}', ...orders, ...refunds]
  assert.deepEqual(namesOf(await command.terminal.lines()), all)
  assert.deepEqual(namesOf(await command.press('g')), [
    ...['host  1', 'host.load{endpoint=10.0.0.7:4711}'],
    ...['shop  4  endpoint=10.0.0.7:4711', ...orders, ...refunds],
  ])
})

test('an opened histogram has its picture, bars, statistics, and follows the cursor', async (t) => {
  const { command, view, tick } = await ticked(t)
  await command.press('j\r')
  let lines = await command.until(/Distribution/)
  assert.match(lines[1]!, /^checkout\.latency\{route=\/pay\} +histogram {2}ms {2}statshero$/)
  assert.match(lines[2]!, /^p99 16\.0 ms {3}177 \/s/)
  assert.ok(lines.some((line) => /p50 16\.0 ms$/.test(line)))
  assert.ok(lines.some((line) => /^ 16\.0 ms █+ +100 % p50–p99/.test(line)))
  assert.ok(lines.some((line) => /Statistics {2}last 60 s/.test(line)))
  tick()
  lines = await command.press('\x1b[D')
  const at = clockText(view.clock.wallMs())
  assert.match(lines[0]!, /│ Cursor \d\d:\d\d:\d\d/)
  assert.ok(!lines[0]!.includes(at))
  lines = await command.press('u')
  assert.match(lines[4]!, /^› {2}checkout/)
})

test('a resized terminal is filled anew; one that is too small says so, with values', async (t) => {
  const { command } = await ticked(t)
  command.terminal.resize(120, 30)
  assert.match((await command.until(/^─{120}$/m))[29]!, /q$/)
  command.terminal.resize(50, 5)
  const lines = await command.until(/is small.*17\.8k/s)
  assert.equal(lines[0], '50 x 5 is small, 60 x 12 shows all.')
  assert.equal(lines[1], '  api.requests                             17.8k/s')
  assert.equal(lines[2], '  checkout.latency{route=/pay}             16.0 ms')
})

test('a hub that goes is said and waited for, what was there stays', async (t) => {
  const { command, server } = await ticked(t)
  await server.stop()
  const lines = await command.until(/■ Lost at \d\d:\d\d:\d\d, retry in \d s/)
  assert.match(lines[3]!, /api\.requests/)
})

test('names of peers steer no terminal, and long ones are cut', async (t) => {
  const { command } = await watched(t, (view) => {
    view.add({ name: '\x1b[2J\x07evil\u202e', kind: 'gauge' })
    view.add({ name: `long.${'x'.repeat(4000)}`, kind: 'gauge' })
  })
  const lines = await command.until(/long\./)
  assert.ok(command.terminal.written.every((text) => !text.includes('\x07')))
  assert.ok(lines.some((line) => line.includes('\\x1b[2J\\x07evil\\u202e')))
  assert.ok(lines.some((line) => /^.{3}long\.x+…/.test(line)))
})

test('a pause holds the picture while reading goes on', async (t) => {
  const { command, tick, view } = await ticked(t)
  const [paused] = await command.press('p')
  const at = /Paused \d\d:\d\d:\d\d/.exec(paused!)![0]
  for (let second = 0; second < 3; second++) tick()
  await command.idle()
  assert.ok((await command.press('?'))[0]!.includes(at))
  await command.press('?p')
  await command.until(new RegExp(`● live ${clockText(view.clock.wallMs())}`))
})

test('where nothing has arrived the hub is said to listen', async (t) => {
  const { command } = await watched(t, () => {})
  const lines = await command.until(/Nothing has arrived yet/)
  assert.match(lines[4]!, /What arrives appears here by itself/)
})

/** Seven dialects, of which some have sent something. */
function prepareMeters(view: WatchedHub['view'], heard: (title: string) => boolean): void {
  const titles = ['Stats Hero', 'Wallaroo', 'Scope', 'Prometheus remote write', 'A', 'B', 'C']
  const quiet = { address: '', connections: 0, ratePerSecond: 0, errors: 0, recent: [] }
  const rest = { ...quiet, series: 0, role: 'receive' as const, tryIt: '' }
  const since = view.clock.wallMs() - 43_000
  view.status = {
    ...view.status,
    dialects: titles.map((title) => {
      return { ...rest, name: title, title, lastDataMs: heard(title) ? since : null }
    }),
  }
}

test('dialects that nothing came of have one line, in a terminal that is high', async (t) => {
  const prepare = (view: WatchedHub['view']): void => prepareMeters(view, (title) => title === 'A')
  const { command } = await watched(t, prepare, {}, [160, 45])
  const text = (await command.until(/Prometheus rem/)).join('\n')
  assert.match(text, / A +0 \/s [\u2800-\u28ff]* +43 s(?: |$)/m)
  assert.match(
    text,
    /^ nothing yet from Stats Hero, Wallaroo, Scope, Prometheus remote write, B, C$/m,
  )
})

test('no column of meters is empty beside names that are cut', async (t) => {
  const prepare = (view: WatchedHub['view']): void => prepareMeters(view, () => true)
  const { command } = await watched(t, prepare, {}, [200, 45])
  const text = (await command.until(/Prometheus rem/)).join('\n')
  assert.match(text, /Prometheus remote write +0 \/s [\u2800-\u28ff]* +43 s/)
})

test('where nothing could be read that is said, and what came to a shared port', async (t) => {
  const { command } = await watched(t, (view) => {
    const listener = { host: '127.0.0.1', port: 5001, transports: ['tcp'], connections: 0 }
    const state = 'listening' as const
    const error = { dialect: 'stream', code: 'unclaimed', count: 26, last: [] }
    view.status = {
      ...view.status,
      listeners: [{ ...listener, state, name: 'stream', dialects: ['a', 'b'], unclaimed: 26 }],
      errors: [error],
    }
  })
  const lines = await command.until(/26 messages arrived and could not be read/)
  assert.match(lines.join('\n'), /■ 26 messages at tcp 127\.0\.0\.1:5001 are of no dialect\./)
})

test('of several notices the worst has a line, with how many others there are', async (t) => {
  const { command } = await watched(t, (view) => {
    const listener = { host: '127.0.0.1', port: 5001, transports: ['tcp'], connections: 0 }
    const failed = { ...listener, state: 'failed' as const, message: 'port is taken' }
    const limit = { name: 'seriesLimit', used: 2, limit: 2, refused: 7, behaviour: 'refuse' }
    view.status = {
      ...view.status,
      listeners: [{ ...failed, name: 'stream', dialects: ['a'] }],
      limits: [limit],
    }
  })
  const lines = await command.until(/did not start/)
  assert.match(lines.find((line) => line.includes('did not start')) ?? '', /^■ .* \+1$/)
})

test('q gives the terminal back with one line more', async (t) => {
  const { command } = await ticked(t)
  command.input.press('q')
  await command.done
  assert.equal(await command.terminal.isAlternate(), false)
  assert.match(await command.terminal.text(), /^seen \d s, 4 series, 0 errors$/)
  assert.deepEqual(command.process.eventNames(), [])
})
