/** The command as a process, against the bytes of a real exporter on a real socket. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { PROGRAM } from '../../../../test/support/hub/hub-process.ts'
import { runAtTerminal, skip } from '../../../../test/support/pseudo-terminal.ts'
import { TestTerminal } from '../../../../test/support/test-terminal.ts'
import { encodeSnapshot } from '../codec/encode.ts'
import { frame } from '../codec/framing.ts'
import { hex, VECTORS } from '../test/golden.ts'

/** Sends what a real exporter has sent to its viewer, and goes on with its last values. */
async function startExporter(t: TestContext): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {}).resume()
    socket.write(hex(VECTORS.streams[0]!.server_stream_hex))
    let tick = 2n
    const timer = setInterval(() => {
      const values = [
        ['a', 1.5],
        ['b', -2],
      ] as const
      socket.write(frame(encodeSnapshot(tick++ * 100_000_000n, values)))
    }, 20)
    socket.on('close', () => clearInterval(timer))
    t.after(() => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

test('without a terminal it writes lines until its reader closes the pipe', async (t) => {
  const port = await startExporter(t)
  const args = [PROGRAM, 'scope', `127.0.0.1:${port}`, '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  let written = ''
  for await (const chunk of child.stdout) {
    written += chunk
    if (written.split('\n').length > 3) break
  }
  const [status] = (await once(child, 'exit')) as [number]
  assert.equal(status, 0)
  const [first] = written.split('\n').map((line) => JSON.parse(line || '{}'))
  assert.deepEqual(first.values, { a: 1.5, b: -2 })
})

test('what was recorded is replayed value by value, then the command ends', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-scope-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'a.scope')
  const port = await startExporter(t)
  const source = ['scope', `127.0.0.1:${port}`, '--json', '--record', path]
  const child = spawn(process.execPath, [PROGRAM, ...source], { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  let live = ''
  child.stdout.on('data', (chunk: Buffer) => {
    live += chunk
    if (live.split('\n').length > 10) child.kill('SIGTERM')
  })
  await once(child, 'close')
  const replay = [PROGRAM, 'scope', '--json', '--replay', path]
  const again = spawnSync(process.execPath, replay, { encoding: 'utf8', timeout: 20_000 })
  assert.equal(again.status, 0, again.stderr)
  assert.match(again.stderr, /offline: the recording has ended\n/)
  const values = (lines: string): unknown[] =>
    lines.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).values]))
  assert.ok(values(live).length >= 10)
  assert.deepEqual(values(again.stdout).slice(0, values(live).length), values(live))

  truncateSync(path, statSync(path).size - 1)
  const cut = spawnSync(process.execPath, replay, { encoding: 'utf8', timeout: 20_000 })
  assert.equal(cut.status, 1)
  assert.match(cut.stderr, /the recording is cut off at byte \d+\n$/)
})

test('wrong usage is told with what is wanted, and exit code 2', () => {
  for (const [args, words] of [
    [['plc1:99999'], /no address.*port of 1 to 65535/],
    [['plc1', '--trigger', 'a=5'], /want KEY=\[BELOW\],\[ABOVE\]/],
    [['plc1', '-s', '1e300'], /samplingIntervalMs/],
    [['plc1', '--replay', 'a'], /--replay has all in its file/],
    [['--replay', 'a', '-s', '0.1'], /-s is for an exporter: a recording plays in its own time/],
    [['--replay', 'a', '-t', '10'], /-t is for an exporter: a recording plays in its own time/],
    [['queue', '--hub', '127.0.0.1:1', '--record', 'a'], /--record keeps what an exporter sends/],
    [
      ['queue', '--hub', '127.0.0.1:1', '-t', '3'],
      /-t is for an exporter: with --hub leave it out/,
    ],
  ] as const) {
    const all = [PROGRAM, 'scope', ...args]
    const { status, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8' })
    assert.equal(status, 2, stderr)
    assert.match(stderr, words)
  }
})

/** @param press what is done once the first values are seen */
async function atTerminal(t: TestContext, press: (child: ChildProcess) => void) {
  const port = await startExporter(t)
  const line = `"${process.execPath}" "${PROGRAM}" scope 127.0.0.1:${port}; stty -a`
  return runAtTerminal(t, line, {
    terminal: new TestTerminal(80, 24),
    isSeen: (written) => written.includes('ONLINE'),
    act: press,
  })
}

for (const [what, keys] of [
  ['q', 'q'],
  ['Ctrl-C', '\x03'],
] as const) {
  test(`at a terminal, ${what} gives it back: cooked, the cursor shown, one line more`, {
    skip,
  }, async (t) => {
    const ended = await atTerminal(t, (child) => child.stdin!.write(keys))
    assert.equal(await ended.terminal.isAlternate(), false)
    assert.match(ended.screen, /^seen [\d.]+ s, 2 series, 0 errors\n/)
    assert.match(ended.screen, /[^-]icanon/)
    assert.ok(ended.written.includes('\x1b[?25h'))
    assert.match(ended.written, /● |p1/)
  })
}
