/** The commands as processes, against an endpoint on a real socket. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseCsv } from '../../../../test/support/csv.ts'
import { PROGRAM } from '../../../../test/support/hub/hub-process.ts'
import { runAtTerminal, skip } from '../../../../test/support/pseudo-terminal.ts'
import { TestTerminal } from '../../../../test/support/test-terminal.ts'
import { CounterEndpoint, TOLD_MS } from '../test/counter-endpoint.ts'

async function endpointFor(t: TestContext): Promise<CounterEndpoint> {
  const endpoint = await CounterEndpoint.start()
  t.after(() => endpoint.stop())
  return endpoint
}

interface Seen {
  stdout: string
  stderr: string
}

interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Seen & { readonly status: number | null }>
  /** Resolves when what has been written so far is enough. */
  until(isEnough: (seen: Seen) => boolean): Promise<void>
}

function start(t: TestContext, args: readonly string[], cwd = process.cwd()): Running {
  const child = spawn(process.execPath, [PROGRAM, 'counters', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  })
  t.after(() => child.kill('SIGKILL'))
  const seen: Seen = { stdout: '', stderr: '' }
  let onSeen = (): void => {}
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      seen[stream] += text
      onSeen()
    })
  }
  return {
    child,
    ended: once(child, 'close').then(([status]) => ({ status: status as number | null, ...seen })),
    until: (isEnough) =>
      new Promise((resolve) => {
        onSeen = () => isEnough(seen) && resolve()
        onSeen()
      }),
  }
}

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

const DURATION = ['--duration', '00:00:00:01']

test('monitor without a terminal writes JSON lines until its time is over', async (t) => {
  const endpoint = await endpointFor(t)
  const { ended } = start(t, ['monitor', endpoint.url, ...DURATION, '--counters', 'Shop[a,b]'])
  await endpoint.session()
  endpoint.tell({ name: 'a', mean: 1.5 }, { name: 'c', mean: 2 }, { name: 'b', increment: 3 })
  const { status, stdout, stderr } = await ended
  assert.equal(status, 0, stderr)
  const lines = stdout.trimEnd().split('\n')
  const values = lines.map((line) => JSON.parse(line)).map((each) => each.mean ?? each.increment)
  assert.deepEqual(values, [1.5, 3], 'what was not asked for is left out here as well')
  assert.match(stderr, /^reading from 127.0.0.1:\d+\nseen \d+ s, 2 series, 0 errors\n$/)
  const asked = new URL(endpoint.asked[0]!, endpoint.url).searchParams
  assert.equal(asked.get('EventCounterIntervalSec'), '1')
  assert.equal(asked.get('counters'), 'Shop[a,b]')
  assert.equal(asked.get('profile'), 'document')
})

test('an interval below a second is asked for in the spelling of .NET', async (t) => {
  const endpoint = await endpointFor(t)
  const args = ['--refresh-interval', '0.25', '--json', ...DURATION]
  const { ended } = start(t, ['monitor', endpoint.url, ...args])
  await endpoint.session()
  endpoint.tell({ name: 'a', mean: 1, seriesMs: 250 }, { name: 'b', mean: 2, seriesMs: 1000 })
  const { stdout } = await ended
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).name),
    ['a'],
    'a payload of another series is none of ours',
  )
  const asked = new URL(endpoint.asked[0]!, endpoint.url).searchParams
  assert.equal(asked.get('EventCounterIntervalSec'), '0.25')
  assert.equal(asked.get('profile'), 'peer')
})

test('a reader that closes the pipe ends monitor with 0', async (t) => {
  const endpoint = await endpointFor(t)
  const child = spawn(process.execPath, [PROGRAM, 'counters', 'monitor', endpoint.url], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.after(() => child.kill('SIGKILL'))
  await endpoint.session()
  child.stdout.destroy()
  const telling = setInterval(() => endpoint.tell({ name: 'a', mean: 1 }), 10)
  t.after(() => clearInterval(telling))
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('a server that restarts is read on; partial lines are dropped', async (t) => {
  const endpoint = await endpointFor(t)
  const { child, ended, until } = start(t, ['monitor', endpoint.url])
  await endpoint.session()
  endpoint.tell({ name: 'a', increment: 1 })
  endpoint.tellText('{"event":"EventCounters","provider":"Shop","Payl')
  await until(({ stdout }) => stdout.includes('\n'))
  endpoint.cut()
  await endpoint.session()
  endpoint.tell({ name: 'a', increment: 2 })
  await until(({ stdout }) => stdout.split('\n').length === 3)
  child.kill('SIGTERM')
  const { status, stdout, stderr } = await ended
  assert.equal(status, 0)
  assert.match(stderr, /next attempt in 250 ms\nreading from .*\nseen \d+ s, 1 series, 1 error\n$/)
  const [first, second] = stdout.trimEnd().split('\n')
  assert.deepEqual([JSON.parse(first!).total, JSON.parse(second!).total], [1, 3])
})

for (const [signal, format] of [
  ['SIGINT', 'json'],
  ['SIGTERM', 'csv'],
  ['SIGKILL', 'json'],
] as const) {
  test(`collect leaves a ${format} that parsers read after ${signal}`, async (t) => {
    const endpoint = await endpointFor(t)
    const folder = folderFor(t)
    const { child, ended } = start(t, ['collect', endpoint.url, '--format', format], folder)
    const path = join(folder, `counter.${format}`)
    await endpoint.session()
    endpoint.tell({ name: 'a, b', mean: 1 }, { name: 'c', increment: 2, tags: { k: '"v"' } })
    while (!existsSync(path) || !readFileSync(path, 'utf8').includes('c (Count')) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    child.kill(signal)
    const { status, stderr } = await ended
    assert.equal(status, signal === 'SIGKILL' ? null : 0, stderr)
    const document = readFileSync(path, 'utf8')
    const time = new Date(TOLD_MS).toISOString()
    if (format === 'json') assert.equal(JSON.parse(document).Events[1].timestamp, time)
    else assert.deepEqual(parseCsv(document)[1], [time, 'Shop', 'a, b', 'Metric', '1'])
  })
}

test('collect gives a name its ending, replaces a file, and says both', async (t) => {
  const endpoint = await endpointFor(t)
  const folder = folderFor(t)
  writeFileSync(join(folder, 'run.json'), 'old')
  const args = ['--format', 'json', '-o', 'run', ...DURATION]
  const { status, stdout, stderr } = await start(t, ['collect', endpoint.url, ...args], folder)
    .ended
  assert.deepEqual([status, stdout], [0, ''])
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')).Events, [])
  assert.match(stderr, /^run.json was there and is replaced\n[\s\S]*run.json: 0 rows, /)
})

test('collect -o - writes to the standard output', async (t) => {
  const endpoint = await endpointFor(t)
  const { ended } = start(t, ['collect', endpoint.url, '-o', '-', ...DURATION])
  await endpoint.session()
  endpoint.tell({ name: 'a', mean: 1 })
  const { status, stdout } = await ended
  assert.equal(status, 0)
  assert.equal(parseCsv(stdout).length, 2)
})

test('nothing that listens ends with 1 and says what to look for', async (t) => {
  const endpoint = await CounterEndpoint.start()
  await endpoint.stop()
  const folder = folderFor(t)
  const { status, stderr } = await start(t, ['collect', endpoint.url], folder).ended
  assert.equal(status, 1)
  assert.match(
    stderr,
    /^pentameter: no connection to 127.0.0.1:\d+: ECONNREFUSED\n {2}is it running/,
  )
  assert.equal(existsSync(join(folder, 'counter.csv')), false)
})

test('a list of counters that is none ends with 2, in the words of dotnet-counters', () => {
  const args = ['monitor', 'http://127.0.0.1:1', '--counters', 'A[x']
  const all = [PROGRAM, 'counters', ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8' })
  const message =
    "Error parsing --counters argument: Expected to find closing ']' in counter_provider"
  assert.deepEqual([status, stdout, stderr], [2, '', `pentameter: ${message}\n`])
})

/** @param press what is typed once the first values are seen */
async function atTerminal(t: TestContext, press: (child: ChildProcess) => void) {
  const endpoint = await endpointFor(t)
  const line = `"${process.execPath}" "${PROGRAM}" counters monitor ${endpoint.url}; stty -a`
  const ended = runAtTerminal(t, line, {
    terminal: new TestTerminal(80, 24),
    isSeen: (written) => written.includes('1,234.5'),
    act: press,
  })
  await endpoint.session()
  endpoint.tell({ name: 'orders', increment: 1234.5 })
  return ended
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
    assert.match(ended.screen, /^seen \d+ s, 1 series, 0 errors\n/)
    assert.match(ended.screen, /[^-]icanon/)
    assert.ok(ended.written.includes('\x1b[?25h'))
  })
}
