/**
 * Every screen of the terminal on a pseudo-terminal: drawn, drawn anew at another size, and given
 * back when the process is told to quit at once.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { packet } from '../support/hub/hub.ts'
import { type HubProcess, PROGRAM, startHubProcess } from '../support/hub/hub-process.ts'
import { skip, spawnAtTerminal } from '../support/pseudo-terminal.ts'
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
  const send = (): boolean => sender.write(packet('shop.orders:3|m\nshop.latency:16|h\n'))
  send()
  sending = setInterval(send, 100)
})
after(async () => {
  clearInterval(sending)
  sender.destroy()
  await hub.stop()
})

/** A command on a terminal of 100 x 30, which becomes 72 x 20 once there is a file. */
function startAtTerminal(t: TestContext, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [resized, pid] = [join(folder, 'resized'), join(folder, 'pid')]
  const command = [process.execPath, PROGRAM, ...args].map((arg) => `'${arg}'`).join(' ')
  const shell = `stty cols 100 rows 30
    (while [ ! -e ${resized} ]; do sleep 0.05; done; stty cols 72 rows 20 </dev/tty
      touch ${resized}.done) &
    sh -c 'echo $$ > ${pid}; exec "$0" "$@"' ${command}
    echo code=$?; touch ${resized}; stty -a; wait`
  const terminal = new TestTerminal(100, 30)
  let wake = (): void => {}
  const { child, written } = spawnAtTerminal(t, shell, terminal, () => wake(), env)
  return {
    child,
    terminal,
    written,
    closed: once(child, 'close'),
    resize() {
      terminal.resize(72, 20)
      writeFileSync(resized, '')
    },
    isResized: () => existsSync(`${resized}.done`),
    quitAtOnce: () => process.kill(Number(readFileSync(pid, 'utf8')), 'SIGQUIT'),
    /** Resolves when the screen is as wanted. */
    until: (isWanted: (lines: readonly string[]) => boolean) =>
      new Promise<void>((resolve) => {
        wake = async () => {
          if (isWanted(await terminal.lines())) resolve()
        }
        wake()
      }),
  }
}

const SCREENS: readonly (readonly [string, () => readonly string[], RegExp])[] = [
  ['top', () => ['top', address], /shop\.orders/],
  ['hist', () => ['hist', 'shop', '--hub', address], /shop\.latency/],
  ['watch', () => ['watch', 'shop.orders', '--hub', address], /shop\.orders/],
  ['scope', () => ['scope', 'shop.orders', '--hub', address], /orders/],
  ['counters monitor', () => ['counters', 'monitor', `http://${address}`], /shop\.orders/],
]

for (const [name, args, wanted] of SCREENS) {
  test(`${name} fills its terminal, also another size, and gives it back on SIGQUIT`, {
    skip,
  }, async (t) => {
    // of the scope also without colours: its lines are told apart by names alone
    const env = name === 'scope' ? { NO_COLOR: '1' } : {}
    const { terminal, until, resize, quitAtOnce, closed, written } = startAtTerminal(t, args(), env)
    const isDrawn = (rows: number) => (lines: readonly string[]) =>
      wanted.test(lines.join('\n')) && /\bq\b/.test(lines[rows - 1] ?? '')
    await until(isDrawn(30))
    assert.equal(await terminal.isAlternate(), true)
    resize()
    await until(isDrawn(20))
    quitAtOnce()
    await closed
    assert.equal(await terminal.isAlternate(), false)
    assert.equal(written().includes('38;5;'), name !== 'scope')
    const text = await terminal.text()
    assert.match(text, /code=131/)
    assert.match(text, /[^-]icanon/)
    assert.ok(written().lastIndexOf('\x1b[?25h') > written().lastIndexOf('\x1b[?25l'))
  })
}

test('lines of watch fit a terminal that has become narrower, below titles of their own', {
  skip,
}, async (t) => {
  const args = ['watch', 'shop', '--hub', address]
  const { until, resize, isResized, quitAtOnce, closed } = startAtTerminal(t, args)
  const timeOf = (line = ''): string => /^[\d:]{8}(?= )/.exec(line)?.[0] ?? ''
  await until((lines) => lines.some((line) => timeOf(line) !== ''))
  resize()
  let [resized, isFit] = ['', false]
  // what was written for the former width stands in two lines each
  await until((lines) => {
    if (isFit || !isResized()) return isFit
    resized ||= lines.map(timeOf).findLast((time) => time !== '') ?? ''
    const times = [...new Set(lines.map(timeOf))].filter((time) => time > resized)
    if (times.length < 2) return false
    const rows = lines.slice(lines.findIndex((line) => timeOf(line) === times[0]))
    assert.ok(
      rows.every((row) => /^(?:[\d:]{8} |time |$)/.test(row)),
      rows.join('\n'),
    )
    isFit = true
    return true
  })
  quitAtOnce()
  await closed
})

test('tap writes lines to a terminal, in colour unless NO_COLOR says no, until q', {
  skip,
}, async (t) => {
  for (const [env, hasColor] of [
    [{}, true],
    [{ NO_COLOR: '1' }, false],
  ] as const) {
    const { child, until, closed, terminal, written } = startAtTerminal(
      t,
      ['tap', 'text', '--hub', address],
      env,
    )
    await until((lines) => /key=shop\.orders value=3 type=m$/m.test(lines.join('\n')))
    child.stdin.write('q')
    await closed
    const text = await terminal.text()
    assert.match(text, /seen \d+ s, \d+ messages, 0 errors\ncode=0/)
    assert.match(text, /[^-]icanon/)
    assert.equal(written().includes('\x1b[0;38;5;'), hasColor)
    assert.ok(!written().includes('\x1b[?1049h'))
  }
})
