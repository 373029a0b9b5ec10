/** `pentameter proxy-wasm` as its user starts it: a process, its two streams and its exit code. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { test } from 'node:test'
import { filterFile } from '../../../../test/filters/compile.ts'
import { filterText } from '../../../../test/filters/hostile.ts'
import { assembleWat } from '../../../../test/filters/wat.ts'
import { refusalOf } from '../../../../test/support/hub/command-line.ts'
import { PROGRAM } from '../../../../test/support/hub/hub-process.ts'
import { withFile } from '../test/filter-hub.ts'
import type { RunReport } from './filter-run.ts'
import type { Inspection } from './inspect.ts'

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function start(args: readonly string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [PROGRAM, 'proxy-wasm', ...args])
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
  return { child, ended }
}

function proxyWasm(...args: readonly string[]): Promise<Ended> {
  return start(args).ended
}

test('run shows log, metrics and cost of a filter', async () => {
  const path = await filterFile('raw')
  const args = ['--requests', '25', '--config', 'hello', '--name', 'raw', '--unit', 'ms']
  const { code, stdout, stderr } = await proxyWasm('run', path, ...args)
  assert.equal(code, 0, stderr)
  assert.match(stderr, /^info {5}configured with hello$/m)
  assert.match(stdout, /^a_counter +counter +25$/m)
  assert.match(stdout, /^a_gauge +gauge +42$/m)
  assert.match(
    stdout,
    /^a_histogram +histogram +25 observations, mean 10 ms, p50 <= 16 ms, p99 <= 16 ms$/m,
  )
  assert.match(stdout, /^requests 25, failed 0; /m)
})

test('run --json gives metrics in the original’s shape, under prefixed names', async () => {
  const path = await filterFile('raw')
  const args = ['--requests', '3', '--name', 'f', '--profile', 'peer', '--json']
  const { code, stdout } = await proxyWasm('run', path, ...args)
  assert.equal(code, 0)
  const report = JSON.parse(stdout) as RunReport
  assert.deepEqual([report.filter, report.abi, report.host], ['f', '0.2.1', 'spec'])
  assert.equal(report.statistics.requests, 3)
  assert.deepEqual(report.metrics['pw:f:a_counter'], { type: 'counter', value: 3 })
  assert.deepEqual(report.metrics['pw:f:a_histogram'], {
    type: 'histogram',
    value: [
      { ub: 16, count: 3 },
      { ub: 4294967295, count: 0 },
    ],
    sum: 30,
  })
  const { stdout: other } = await proxyWasm('run', path, '--requests', '3', '--name', 'f', '--json')
  const { metrics } = JSON.parse(other) as RunReport
  assert.deepEqual(Object.keys(metrics['pw.f.a_histogram']!), ['type', 'value'])
})

test('run ends with 1 when requests fail, and says what the filter did', async () => {
  const bytes = await assembleWat(filterText({ onRequest: 'unreachable' }))
  await withFile('traps.wasm', bytes, async (path) => {
    const { code, stdout, stderr } = await proxyWasm('run', path, '--requests', '2')
    assert.equal(code, 1)
    assert.match(stderr, /^error {4}trap: /m)
    assert.match(stdout, /^requests 2, failed 2; /m)
    assert.match(stdout, /^the filter has defined no metric$/m)
    assert.match(stdout, /traps 2/)
  })
})

test('files that are no filters are refused with what is wrong and what is wanted', async () => {
  const noAbi = await assembleWat('(module (memory (export "memory") 1))')
  const noAllocator = await assembleWat(filterText({ allocator: '' }))
  for (const [bytes, message] of [
    ['text', /not a WebAssembly module[\s\S]*want the \.wasm that a compiler wrote/],
    [noAbi, /exports none of proxy_abi_version_0_1_0/],
    [noAllocator, /neither proxy_on_memory_allocate nor malloc[\s\S]*the host needs it/],
  ] as const) {
    await withFile('x.wasm', bytes, async (path) => {
      for (const command of ['run', 'inspect']) {
        const { code, stdout, stderr } = await proxyWasm(command, path)
        assert.deepEqual([code, stdout], [1, ''])
        assert.match(stderr, message)
        assert.ok(!stderr.includes('    at '), stderr)
      }
    })
  }
})

for (const [args, message] of [
  [['run', '/nonexistent.wasm'], /\/nonexistent\.wasm: there is no such file/],
  [['run', 'x.wasm', '--host', 'apache'], /Allowed choices are spec, nginx, envoy/],
  [['run', 'x.wasm', '--header', 'none'], /want NAME=VALUE/],
  [['run', 'x.wasm', '--serve', '--requests', '1'], /cannot be used with/],
  [['run', 'x.wasm', '--listen', '1', '--header', 'a=b'], /cannot be used with/],
  [['run', 'x.wasm', '--http-port', '1'], /the page, which --serve starts/],
  [['nosuch'], /unknown command 'nosuch'/],
] as const) {
  test(`wrong usage ends with 2 and says what is wrong: ${args.join(' ')}`, async (t) => {
    const { status, stderr } = await refusalOf(t, ['proxy-wasm', ...args])
    assert.match(stderr, message)
    assert.equal(status, 2)
  })
}

test('run has the document’s directives: threads, bins, slab and length of names', async () => {
  const path = await filterFile('raw')
  const run = (...args: string[]) => proxyWasm('run', path, '--name', 'raw', ...args)
  const bins = await run('--workers', '3', '--histogram', '5,20', '--requests', '6', '--json')
  assert.equal(bins.code, 0, bins.stderr)
  const { metrics, threads } = JSON.parse(bins.stdout) as RunReport
  assert.deepEqual(metrics['pw.raw.a_histogram'], {
    type: 'histogram',
    value: [
      { ub: 5, count: 0 },
      { ub: 20, count: 6 },
      { ub: 4294967295, count: 0 },
    ],
    bounds: [5, 20],
  })
  assert.deepEqual(threads?.[0], {
    ...{ name: 'pw.raw.a_counter', type: 'counter' },
    ...{ total: 6, workers: [2, 2, 2], ended: 0 },
  })
  const table = await run('--workers', '2', '--requests', '4', '--metric-names', 'prefix')
  assert.match(table.stdout, /^pw\.raw\.a_counter +counter +4 +2 \+ 2$/m)
  const expanding = await run('--histogram', 'expanding', '--requests', '2', '--json')
  const { metrics: grown } = JSON.parse(expanding.stdout) as RunReport
  assert.deepEqual(grown['pw.raw.a_histogram'], {
    type: 'histogram',
    value: [
      { ub: 16, count: 2 },
      { ub: 4294967295, count: 0 },
    ],
  })
  const short = await run('--max-metric-name-length', '15', '--requests', '1')
  assert.match(short.stdout, /definitions refused [1-9]/)
  assert.equal((await run('--histogram', '5,3')).code, 2)
  assert.equal((await run('--slab-size', '13k')).code, 2)
})

test('run and inspect take the text of a module, named by its file', async () => {
  await withFile('counts.wat', Buffer.from(filterText({})), async (path) => {
    const run = await proxyWasm('run', path, '--json')
    assert.equal(run.code, 0, run.stderr)
    assert.equal((JSON.parse(run.stdout) as { filter: string }).filter, 'counts')
    const { stdout } = await proxyWasm('inspect', path)
    assert.match(stdout, /^ABI +0\.2\.1$/m)
  })
  await withFile('wrong.wat', Buffer.from('(module\n (func (i32.const)))'), async (path) => {
    const { code, stderr } = await proxyWasm('run', path)
    assert.equal(code, 1)
    assert.match(stderr, /wrong\.wat: text does not assemble: line 2, column 18: unexpected token/)
  })
})

test('run --listen takes real requests through the filter', async () => {
  const path = await filterFile('raw')
  const { child, ended } = start(['run', path, '--listen', '0', '--name', 'raw'])
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stderr!.on('data', (part: string) => {
      text += part
      const [found] = /http:\/\/127\.0\.0\.1:\d+\//.exec(text) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error(text)))
  })
  for (let i = 0; i < 3; i++) {
    const response = await fetch(url, { method: 'POST', body: 'a body' })
    assert.deepEqual([response.status, await response.text()], [200, 'ok\n'])
  }
  child.kill('SIGINT')
  const { code, stdout } = await ended
  assert.equal(code, 0)
  assert.match(stdout, /^a_counter +counter +3$/m)
})

for (const [pace, args] of [
  ['as fast as it can', ['--requests', '1000000000']],
  ['slowly', ['--requests', '5', '--rate', '0.001']],
] as const) {
  test(`an interrupt ends a run that sends requests ${pace}`, async () => {
    const path = await filterFile('raw')
    const { child, ended } = start(['run', path, '--name', 'raw', ...args])
    child.stderr!.once('data', () => child.kill('SIGINT'))
    const { code, stdout } = await ended
    assert.equal(code, 0)
    assert.match(stdout, /^a_counter +counter +\d/m)
  })
}

test('inspect lists what a filter wants and offers', async () => {
  const path = await filterFile('sdk')
  const { code, stdout } = await proxyWasm('inspect', path, '--json')
  assert.equal(code, 0)
  const inspection = JSON.parse(stdout) as Inspection
  assert.deepEqual([inspection.abi, inspection.allocators], ['0.2.0', ['malloc']])
  assert.ok(inspection.servedImports.includes('env.proxy_define_metric'))
  assert.ok(inspection.servedImports.includes('wasi_unstable.proc_exit'))
  assert.ok(inspection.callbacks.includes('proxy_on_request_headers'))
  const text = await assembleWat(
    filterText({
      imports: `(import "env" "proxy_invented" (func (result i32)))
        (import "wasi_snapshot_preview1" "path_open" (func (result i32)))
        (import "wasi_snapshot_preview1" "fd_readdir" (func (result i32)))`,
      more: '(func (export "proxy_on_http_call_response"))',
    }),
  )
  await withFile('invented.wasm', text, async (invented) => {
    const { stdout: table } = await proxyWasm('inspect', invented)
    assert.match(table, /^imports not served +env\.proxy_invented \(answers 12\)$/m)
    assert.match(table, /^ +wasi_snapshot_preview1\.path_open \(answers 44\)$/m)
    assert.match(table, /^ +wasi_snapshot_preview1\.fd_readdir \(answers 52\)$/m)
    assert.match(table, /^never called +proxy_on_http_call_response$/m)
    assert.match(table, /^memory +1 page of 64 KiB$/m)
    assert.match(table, /^hosts +spec: nothing is missing$/m)
  })
})
