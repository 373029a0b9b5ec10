/** What the log writes: lines for machines and people, of a level and above, safe to show. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Log } from '../hub/log.ts'
import { createLog } from './log.ts'

/** Runs with stderr kept; returns what was written, with its times as TIME. */
function written(t: TestContext, log: Log, use: (log: Log) => void): string {
  let text = ''
  const mock = t.mock.method(process.stderr, 'write', (chunk: string) => {
    text += chunk
    return true
  })
  try {
    use(log)
  } finally {
    mock.mock.restore()
  }
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|^\d\d:\d\d:\d\d/gm, 'TIME')
}

test('a line for machines is one JSON object with level, time, facts and message', (t) => {
  const text = written(t, createLog('json', true), (log) => {
    log('warn', 'listener is slow', { port: 4000, ns: 2n ** 64n, gone: undefined })
    log('info', 'two\nlines')
  })
  assert.equal(
    text,
    '{"level":"warn","time":"TIME","port":4000,"ns":"18446744073709551616",' +
      '"msg":"listener is slow"}\n{"level":"info","time":"TIME","msg":"two\\nlines"}\n',
  )
})

test('a line for people has facts as key=value, without what steers a terminal', (t) => {
  const text = written(t, createLog('text', false), (log) =>
    log('error', 'refused', { peer: 'a\x1b[2J', list: [1, 'b'], gone: undefined }),
  )
  assert.equal(text, 'TIME error refused  peer=a\\x1b[2J  list=[1,"b"]\n')
})

test('on a terminal the level has its colour', (t) => {
  const text = written(t, createLog('text', true, 'debug'), (log) => {
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log(level, 'x')
  })
  assert.equal(
    text,
    'TIME \x1b[90mdebug\x1b[0m x\nTIME info x\nTIME \x1b[33mwarn\x1b[0m x\n' +
      'TIME \x1b[31merror\x1b[0m x\n',
  )
})

test('lines below the level are left out', (t) => {
  const text = written(t, createLog('text', false, 'warn'), (log) => {
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log(level, 'x')
  })
  assert.equal(text, 'TIME warn x\nTIME error x\n')
})

test('lines that can not be written are counted, and told with the next one that can', (t) => {
  const lines: string[] = []
  let isFull = true
  t.mock.method(process.stderr, 'write', (chunk: string, done: (error?: Error) => void) => {
    if (!isFull) lines.push(chunk.replace(/^\d\d:\d\d:\d\d/gm, 'TIME'))
    done(isFull ? new Error('ENOSPC') : undefined)
    return true
  })
  const log = createLog('text', false)
  log('info', 'one')
  log('info', 'two')
  isFull = false
  log('info', 'three')
  log('info', 'four')
  assert.deepEqual(log.lost, { unwritten: 2 })
  assert.deepEqual(lines, [
    'TIME warn the log could not be written for a while; lines are missing  lines=2\n' +
      'TIME info three\n',
    'TIME info four\n',
  ])
})

test('lines written before the first of them is done tell once what is missing', (t) => {
  const lines: string[] = []
  const done: ((error?: Error) => void)[] = []
  t.mock.method(process.stderr, 'write', (chunk: string, callback: () => void) => {
    lines.push(chunk)
    done.push(callback)
    return true
  })
  const log = createLog('text', false)
  for (let i = 0; i < 3; i++) log('info', 'lost')
  for (const each of done.splice(0)) each(new Error('ENOSPC'))
  for (let i = 0; i < 3; i++) log('info', 'again')
  for (const each of done.splice(0)) each()
  log('info', 'last')
  assert.doesNotMatch(lines.at(-1)!, /missing/)
  assert.match(lines.at(-2)!, /lines=3/)
})

test('a text of controls alone is cut before it swells', (t) => {
  for (const format of ['text', 'json'] as const) {
    const text = written(t, createLog(format, false), (log) => {
      log('info', 'filter a', { text: '\x1b'.repeat(4096) })
    })
    assert.ok(text.length < 4300, `${format}: ${text.length} characters`)
    assert.match(text, /more\)/)
  }
})

test('lines behind a reader that takes none are counted once they are many, and told', (t) => {
  const lines: string[] = []
  let writableLength = 0
  Object.defineProperty(process.stderr, 'writableLength', {
    get: () => writableLength,
    configurable: true,
  })
  t.after(() => Reflect.deleteProperty(process.stderr, 'writableLength'))
  t.mock.method(process.stderr, 'write', (chunk: string, done: () => void) => {
    lines.push(chunk)
    done()
    return writableLength === 0
  })
  const log = createLog('text', false)
  writableLength = 200_000
  log('info', 'waits')
  writableLength = 300_000
  for (let i = 0; i < 3; i++) log('info', 'too much')
  writableLength = 0
  log('info', 'on')
  assert.deepEqual(log.lost, { unwritten: 3 })
  assert.equal(lines.length, 2)
  assert.match(lines[1]!, /lines are missing {2}lines=3\n.* on\n$/)
})
