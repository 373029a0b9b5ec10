/** `top`, `watch` and `hist` as processes: lines in a pipe, a picture on a pseudo-terminal. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import { packet } from '../support/hub/hub.ts'
import { type HubProcess, PROGRAM, startHubProcess } from '../support/hub/hub-process.ts'
import { runAtTerminal, skip } from '../support/pseudo-terminal.ts'
import { TestTerminal } from '../support/test-terminal.ts'

let hub: HubProcess
let sender: Socket
let sending: NodeJS.Timeout
let address = ''

before(async () => {
  hub = await startHubProcess('serve', '--ingest-workers', '0')
  address = `127.0.0.1:${hub.listeners.http.port}`
  sender = connect(hub.listeners.text.port, '127.0.0.1')
  await once(sender, 'connect')
  const body = 'shop.orders:3|m\nshop.depth:7|g\nshop.latency:16|h\nshop.latency:64|h\n'
  let turn = 0
  const send = (): boolean => sender.write(packet(`${body}tank.level:${turn++ % 7}|g\n`))
  send()
  sending = setInterval(send, 200)
})
after(async () => {
  clearInterval(sending)
  sender.destroy()
  await hub.stop()
})

interface Ended {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

function start(t: TestContext, args: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  const seen = { out: '', err: '' }
  let wake = (): void => {}
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen.out += text
    wake()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    seen.err += text
    wake()
  })
  const until = (isEnough: (seen: { out: string; err: string }) => boolean) =>
    new Promise<void>((resolve) => {
      wake = () => isEnough(seen) && resolve()
      wake()
    })
  const ended = once(child, 'close').then(([status]): Ended => ({ status, ...seen }))
  return { child, ended, until }
}

const run = (t: TestContext, ...args: readonly string[]): Promise<Ended> => start(t, args).ended

test('watch writes a JSON line for each series that changed', async (t) => {
  const { status, out, err } = await run(
    t,
    'watch',
    'shop',
    '--hub',
    address,
    '--json',
    '--limit',
    '6',
  )
  assert.equal(status, 0, err)
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const byName = new Map(lines.map((line) => [line.series, line]))
  assert.ok(byName.get('shop.orders').delta % 3 === 0)
  assert.equal(byName.get('shop.depth').value, 7)
  const { count, p50, max } = byName.get('shop.latency')
  assert.ok(count % 2 === 0 && p50 <= 64 && max === 64)
  assert.match(err, /^seen \d+ s, 3 series, 0 errors\n$/)
})

test('watch tells between what a gauge was, now and in the past', async (t) => {
  // a value at the end of each second is known of it, and another one of the next
  const words = ['watch', 'tank.level', '--hub', address, '--json', '--interval', '3']
  for (const since of [[], ['--since', '6s']]) {
    const { out } = await run(t, ...words, ...since, '--limit', '2')
    const { value, min, max } = JSON.parse(out.trimEnd().split('\n').at(-1)!)
    assert.ok(min < max && min <= value && value <= max && min >= 0 && max <= 6, out)
  }
})

test('watch --since tells what was, and goes on with what comes without a seam', async (t) => {
  const words = ['watch', 'shop.orders', '--since', '2s', '--hub', address, '--json']
  const { out, err } = await run(t, ...words, '--limit', '5')
  const times = out
    .trimEnd()
    .split('\n')
    .map((line) => Date.parse(JSON.parse(line).time))
  assert.equal(times.length, 5, err)
  const steps = times.slice(1).map((time, i) => time - times[i]!)
  assert.ok(
    steps.every((step) => step === 1000),
    `${steps} ms from line to line`,
  )
})

test('watch in a pipe writes aligned lines without a control byte', async (t) => {
  const { out } = await run(t, 'watch', 'shop', 'kind=counter', '--hub', address, '--limit', '2')
  const [titles, ...rest] = out.trimEnd().split('\n')
  assert.match(titles!, /^time +series +kind +rate +now +p99$/)
  // titles come again where the list of series has changed
  const lines = rest.filter((line) => line !== titles)
  assert.equal(lines.length, 2)
  for (const line of lines) assert.match(line, /^\d\d:\d\d:\d\d {2}shop\.orders +c +[\d.]+\/s$/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the point of it
  assert.doesNotMatch(out, /[\u0000-\u0009\u000b-\u001f\u007f]/)
})

test('top in a pipe does the same for every series; hist adds up', async (t) => {
  const top = await run(
    t,
    'top',
    address,
    '--filter',
    'shop',
    '--json',
    '--window',
    '10',
    '--limit',
    '3',
  )
  assert.deepEqual(
    new Set(
      top.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).kind),
    ).size,
    3,
  )
  const hist = await run(t, 'hist', 'shop', '--hub', address, '--json', '--limit', '1')
  const { series, buckets, count } = JSON.parse(hist.out)
  assert.deepEqual(series, ['shop.latency'])
  assert.equal(
    buckets.reduce((sum: number, [, each]: [number, number]) => sum + each, 0),
    count,
  )
  const text = await run(t, 'hist', 'shop', '--hub', address, '--limit', '1')
  assert.match(text.out, /^time +count +rate +min +p50[^\n]*\n\d\d:\d\d:\d\d +\d+ /)
})

test('a closed pipe ends watch with 0, and SIGTERM with what was seen', async (t) => {
  const cut = start(t, ['watch', 'shop', '--hub', address])
  await cut.until(({ out }) => out.includes('shop'))
  cut.child.stdout!.destroy()
  assert.equal((await cut.ended).status, 0)
  const asked = start(t, ['watch', 'shop', '--hub', address])
  await asked.until(({ out }) => out.includes('shop'))
  asked.child.kill('SIGTERM')
  const { status, err } = await asked.ended
  assert.equal(status, 0)
  assert.match(err, /^seen \d+ s, 3 series, 0 errors\n$/)
})

test('where no hub is, or nothing matches, the command says so and fails', async (t) => {
  const none = await run(t, 'top', '127.0.0.1:1')
  assert.equal(none.status, 1)
  assert.match(none.err, /^pentameter: no hub answers at 127.0.0.1:1 \(ECONNREFUSED\)\n {2}start/)
  const wrong = await run(t, 'top', 'hub/path')
  assert.equal(wrong.status, 2)
  assert.match(wrong.err, /want HOST:PORT or http:\/\/HOST:PORT/)
  const hist = await run(t, 'hist', 'shop.orders', '--hub', address)
  assert.equal(hist.status, 1)
  assert.match(hist.err, /no histogram matches shop.orders \(1 series of other kinds do\)/)
})

/** @param act what is done once the screen has this in it */
function atTerminal(
  t: TestContext,
  args: readonly string[],
  wanted: RegExp,
  act: (child: ChildProcess) => void,
  env: NodeJS.ProcessEnv = {},
) {
  const quoted = [process.execPath, PROGRAM, ...args].map((arg) => `'${arg}'`).join(' ')
  const terminal = new TestTerminal(100, 30)
  return runAtTerminal(t, `stty cols 100 rows 30; ${quoted}; stty -a`, {
    terminal,
    isSeen: async () => wanted.test(await terminal.text()),
    ...{ act, env },
  })
}

for (const [way, act] of [
  ['q', (child) => child.stdin!.write('q')],
  ['Ctrl-C', (child) => child.stdin!.write('\x03')],
] as readonly (readonly [string, (child: ChildProcess) => void])[]) {
  test(`top at a terminal, ${way}: given back cooked, with the cursor and one line more`, {
    skip,
  }, async (t) => {
    const { terminal, written, screen } = await atTerminal(
      t,
      ['top', address],
      /shop\.orders +c +[\d.]+\/s/,
      act,
    )
    assert.equal(await terminal.isAlternate(), false)
    assert.match(screen, /seen \d+ s, \d+ series, 0 errors/)
    assert.match(screen, /[^-]icanon/)
    assert.ok(written.includes('\x1b[?25h'))
  })
}

test('a single series in a wide terminal is a chart since a time; NO_COLOR leaves colour out', {
  skip,
}, async (t) => {
  // the time of the window, a picture of the value, numbers
  const wanted = /59 min\n.*shop\.depth.*[\u2801-\u28ff].*Statistics {2}last 59 min/s
  const press = (child: ChildProcess): void => void child.stdin!.write('q')
  const env = { NO_COLOR: '1' }
  const { written } = await atTerminal(
    t,
    ['watch', 'shop.depth', '--hub', address, '--since', '59m'],
    wanted,
    press,
    env,
  )
  assert.ok(!written.includes('38;5;'))
})

test('hist at a terminal draws bars', { skip }, async (t) => {
  const wanted = /shop\.latency.* 16\.0 ms █+ +50\.0 %/s
  const { terminal } = await atTerminal(t, ['hist', 'shop', '--hub', address], wanted, (child) => {
    child.stdin!.write('q')
  })
  assert.equal(await terminal.isAlternate(), false)
})

test('watch in a narrow terminal has a name and a figure a line', { skip }, async (t) => {
  const terminal = new TestTerminal(40, 12)
  const line = `'${process.execPath}' '${PROGRAM}' watch shop --hub ${address}`
  const { screen } = await runAtTerminal(t, `stty cols 40 rows 12; ${line}`, {
    terminal,
    isSeen: async () => /orders/.test(await terminal.text()),
    act: (child) => void child.stdin!.write('q'),
  })
  assert.match(screen, /^\d\d:\d\d:\d\d {2}shop\.depth {19}7$/m)
  assert.match(screen, /^\d\d:\d\d:\d\d {2}shop\.orders +[\d.]+\/s$/m)
})
