/** The commands as processes, against a runtime at a socket of this very process. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseCsv } from '../../../../test/support/csv.ts'
import { PROGRAM } from '../../../../test/support/hub/hub-process.ts'
import { skip as noTerminal, runAtTerminal } from '../../../../test/support/pseudo-terminal.ts'
import { TestTerminal } from '../../../../test/support/test-terminal.ts'
import { CounterStream, START_MS } from '../test/counter-stream.ts'
import {
  type ListeningRuntime,
  recording,
  startFakeRuntime,
  temporaryFolder,
} from '../test/fake-runtime.ts'

const skip = process.platform === 'linux' ? false : 'the start of a process is read from /proc'

/** A runtime that this process seems to be, in a temporary folder of its own. */
async function runtimeFor(t: TestContext, stream?: Uint8Array) {
  const folder = temporaryFolder(t)
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  const path = join(folder, `dotnet-diagnostic-${process.pid}-${start}-socket`)
  const fake = await startFakeRuntime(t, stream === undefined ? {} : { stream }, path)
  return { ...fake, folder }
}

async function run(t: TestContext, folder: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, 'counters', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder },
    cwd: folder,
  })
  t.after(() => child.kill('SIGKILL'))
  const seen = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    seen.stderr += text
  })
  const [status] = await once(child, 'close')
  return { status, ...seen }
}

/** Ends a session in good order once it is open and its stream is sent. */
async function endWhenOpen({ runtime }: ListeningRuntime, bytes: Uint8Array): Promise<void> {
  const { id } = await runtime.opened()
  runtime.send(bytes)
  runtime.end(id)
}

test('ps lists a process by its socket, and asks it nothing', { skip }, async (t) => {
  const { folder, path, runtime } = await runtimeFor(t)
  const { status, stdout } = await run(t, folder, 'ps', '--json')
  const { pid, socket } = JSON.parse(stdout)
  assert.deepEqual([status, pid, socket], [0, process.pid, path])
  assert.deepEqual(runtime.names, [])
  const table = await run(t, folder, 'ps')
  assert.match(table.stdout, new RegExp(`^ ${process.pid}  .*${basename(process.execPath)}`))
})

test('the help of monitor and collect shows how a process is named', async (t) => {
  for (const command of ['monitor', 'collect']) {
    const { stdout } = await run(t, temporaryFolder(t), command, '--help')
    assert.match(stdout, /\n {2}-p, --process-id <pid> +a \.NET process by its id/)
    assert.doesNotMatch(stdout, /--maxHistograms|--dport/)
  }
})

test('list names the providers that are known, and the counters of each process', async (t) => {
  const { stdout } = await run(t, temporaryFolder(t), 'list')
  assert.match(stdout, /^System\.Runtime +processor/)
  assert.match(stdout, /\n {4}gen-0-gc-count +count \/ min\n/)
  const lines = (await run(t, temporaryFolder(t), 'list', '--json')).stdout.trimEnd().split('\n')
  assert.equal(JSON.parse(lines[0]!).counters.length, 27)
})

test('collect -p writes what a running .NET has sent, as dotnet-counters does', {
  skip,
}, async (t) => {
  const fake = await runtimeFor(t)
  const ended = endWhenOpen(fake, recording('counters-1s'))
  const counters = 'EventCounters\\Probe-Counters'
  const args = ['-p', String(process.pid), '--counters', counters, '-o', '-']
  const { status, stdout, stderr } = await run(t, fake.folder, 'collect', ...args)
  assert.equal(status, 0, stderr)
  await ended
  const [head, ...rows] = parseCsv(stdout)
  assert.deepEqual(head?.join(), 'Timestamp,Provider,Counter Name,Counter Type,Mean/Increment')
  const named = (name: string) => rows.filter((row) => row[2]!.startsWith(name))
  assert.ok(rows.every(([, provider]) => provider === 'Probe-Counters'))
  assert.ok(named('empty').length >= 3, stdout)
  assert.deepEqual(
    new Set(rows.map(([, , name, type]) => `${type} ${/ \/ 1 sec\)/.test(name!)}`)),
    new Set(['Metric false', 'Rate true']),
  )
  assert.match(stderr, /^reading from Shop, pid 4242, \.NET 10\.0\.12 into standard output\n/)
  assert.match(stderr, /\d+ rows, .*, 0 errors\n {2}Shop, pid 4242.*: the process has ended\n$/)
})

test('collect in JSON names the process; --duration ends it, and the process is told', {
  skip,
}, async (t) => {
  const fake = await runtimeFor(t, new CounterStream().sum(1000, 'hits', 3).take())
  const args = ['-p', String(process.pid), '--counters', 'App', '--maxTimeSeries', '7']
  const file = ['--format', 'json', '-o', 'run', '--duration', '00:00:00:01']
  const { status, stderr } = await run(t, fake.folder, 'collect', ...args, ...file)
  assert.equal(status, 0, stderr)
  const { TargetProcess, Events } = JSON.parse(readFileSync(join(fake.folder, 'run.json'), 'utf8'))
  assert.equal(TargetProcess, 'Shop')
  assert.deepEqual(Events, [
    {
      ...{ timestamp: new Date(START_MS + 1000).toISOString(), provider: 'App' },
      ...{ name: 'hits (Count / 1 sec)', tags: '', counterType: 'Rate' },
      ...{ meterTags: '', instrumentTags: '', value: 3 },
    },
  ])
  assert.deepEqual(fake.runtime.names, ['ProcessInfo3', 'CollectTracing2', 'StopTracing'])
})

test('a program behind -- ends with the command, also when its reader goes', async (t) => {
  const folder = temporaryFolder(t)
  const program = fileURLToPath(new URL('../test/dialling-program.ts', import.meta.url))
  const args = ['monitor', '--counters', 'EventCounters\\App', '--', process.execPath, program]
  const child = spawn(process.execPath, [PROGRAM, 'counters', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder },
  })
  t.after(() => child.kill('SIGKILL'))
  const closed = once(child, 'close')
  let pid = 0
  for await (const line of createInterface({ input: child.stderr })) {
    pid = Number(/pid (\d+)/.exec(line)?.[1] ?? 0)
    if (pid > 0) break
  }
  const isThere = (): boolean => existsSync(`/proc/${pid}`)
  assert.equal(isThere(), true)
  child.stdout.destroy()
  await closed
  while (isThere()) await setTimeout(20)
})

for (const [args, status, words] of [
  [
    ['-p', '1', '-n', 'a'],
    2,
    /^pentameter: Only one of the --name, --process-id, or --diagnostic-port options may/,
  ],
  [['-p', '0'], 2, /want the id of a process from 1/],
  [['-p', '1', '--', 'App'], 2, /None of the --name, --process-id, or --diagnostic-port options/],
  [['http://127.0.0.1:1', '--', 'App'], 2, /want either a URL or the flags of a process, not both/],
  [['http://127.0.0.1:1', 'App'], 2, /want one URL; a program to start stands behind --/],
  [['--', '/no/such', '-p'], 1, /\/no\/such was not started: .*ENOENT/],
  [['--abbreviateLargeNumbers', 'no', '-p', '1'], 2, /want true or false/],
  [['-p', '1', 'http://127.0.0.1:1'], 2, /want either a URL or the flags of a process, not both/],
  [
    ['-p', '1', '--counters', 'a"b'],
    2,
    /Error parsing --counters argument: provider "a\\"b": want/,
  ],
  [[], 2, /want the URL of an application or hub, or the flags of a process/],
  [
    ['-n', 'no-such'],
    1,
    /There is no active process with the given name: no-such\n {2}pentameter counters ps lists/,
  ],
  [['-p', '2147483646'], 1, /No process with ID 2147483646 is currently running\./],
  [['-p', String(process.pid)], 1, /Process \d+ not running compatible \.NET runtime\.\n {2}or it/],
] as const) {
  test(`monitor ${args.join(' ')}: ${status}, and why`, async (t) => {
    const seen = await run(t, temporaryFolder(t), 'monitor', ...args)
    assert.equal(seen.status, status)
    assert.match(seen.stderr, words)
  })
}

test('at a terminal the head names the process, and q ends the session there', {
  skip: skip || noTerminal,
}, async (t) => {
  const stream = new CounterStream().meter(1, 'GaugeValuePublished', 'depth', {
    ...{ lastValue: '1234.5', unit: 'job', tags: 'queue=mail' },
  })
  const fake = await runtimeFor(t, stream.take())
  const command = `counters monitor -p ${process.pid} --counters App`
  const line = `"${process.execPath}" "${PROGRAM}" ${command}`
  const terminal = new TestTerminal(80, 24)
  let shown: string[] = []
  await runAtTerminal(t, line, {
    terminal,
    env: { TMPDIR: fake.folder },
    isSeen: async (written) => {
      if (!written.includes('1,234.5')) return false
      shown = await terminal.lines()
      return true
    },
    act: (child) => child.stdin.write('q'),
  })
  assert.match(shown[0]!, /^Pentameter {2}Shop, pid 4242, \.NET 10\.0\.12 +1 series {2}1 s$/)
  assert.deepEqual(
    shown.slice(4, 8).map((text) => text.slice(0, 50).trimEnd()),
    ['[App]', '    depth (job)', '        queue', '        mail                           1,234.5'],
  )
  assert.deepEqual(fake.runtime.names.at(-1), 'StopTracing')
})
