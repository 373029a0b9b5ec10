import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseCsv } from '../../../../../test/support/csv.ts'
import { FakeClock } from '../../../../../test/support/fake-clock.ts'
import { FakeCounterClient } from '../../test/fake-counter-client.ts'
import { httpFeed } from '../http-feed.ts'
import { Collection } from './collection.ts'
import { openFile, toStream } from './destination.ts'
import type { Format } from './documents.ts'

class FakeProcess extends EventEmitter {
  exit(): void {}
}

class TextOutput {
  text = ''
  isTTY = false
  write(text: string): void {
    this.text += text
  }
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'pentameter-'))
  t.after(() => rmSync(path, { recursive: true }))
  return path
}

interface Setting {
  readonly format?: Format
  readonly seriesLimit?: number
  readonly durationMs?: number
  readonly isTTY?: boolean
  readonly open?: (end: string) => ReturnType<typeof openFile>
}

function collecting(t: TestContext, setting: Setting = {}) {
  const { format = 'csv', seriesLimit = 10, durationMs, isTTY = false } = setting
  const path = join(folder(t), `counter.${format}`)
  const progress = new TextOutput()
  progress.isTTY = isTTY
  const process = new FakeProcess()
  const clock = new FakeClock()
  const client = new FakeCounterClient()
  const request = {
    open: httpFeed({ url: 'http://127.0.0.1:4000' }, client.connect),
    ...{ filter: undefined, namesCounters: false, intervalMs: 1000, durationMs, seriesLimit },
  }
  const open = setting.open ?? ((end: string) => openFile(path, end))
  const done = new Collection(request, format, {
    ...{ open, name: 'counter', progress, process, clock },
  }).run()
  return { path, progress, process, clock, client, done, read: () => readFileSync(path, 'utf8') }
}

/** Column 1, and nothing behind it (ECMA-48 EL). */
const LINE_START = '\r\x1b[K'

/** What is gathered in a turn is written behind it. */
const turn = (): Promise<void> => Promise.resolve()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  test(`${signal} ends a document that is whole`, async (t) => {
    const { client, process, done, read } = collecting(t, { format: 'json' })
    client.open()
    client.tell({ name: 'a', mean: 1 }, { name: 'b', increment: 2 })
    process.emit(signal)
    await done
    assert.equal(JSON.parse(read()).Events.length, 2)
  })
}

test('SIGQUIT leaves a whole document, and says so', async (t) => {
  const { client, process, read, progress } = collecting(t, { format: 'json' })
  client.open()
  client.tell({ name: 'a', mean: 1 })
  process.emit('SIGQUIT')
  assert.equal(JSON.parse(read()).Events.length, 1)
  assert.match(progress.text, /\ncounter: 1 row, \d+ B, 0 s, 0 errors\n$/)
})

test('the file is whole at every moment, whatever kills the process', async (t) => {
  const { client, read } = collecting(t, { format: 'json' })
  client.open()
  assert.deepEqual(JSON.parse(read()).Events, [])
  for (let count = 1; count < 20; count++) {
    client.tell({ name: 'a', mean: 10 ** count })
    await turn()
    assert.equal(JSON.parse(read()).Events.length, count)
  }
})

test('a lost connection and the next one are one document with a gap', async (t) => {
  const { client, process, done, read, progress } = collecting(t)
  client.open()
  client.tell({ name: 'a', mean: 1 })
  client.lose({ message: 'the connection broke' }, 250)
  client.open()
  client.tell({ name: 'a', mean: 2 })
  process.emit('SIGINT')
  await done
  const values = parseCsv(read()).map((row) => row[4])
  assert.deepEqual(values, ['Mean/Increment', '1', '2'])
  assert.deepEqual(progress.text.split('\n'), [
    'reading from 127.0.0.1:4000 into counter',
    'the connection broke, next attempt in 250 ms',
    'counter: 2 rows, 142 B, 0 s, 1 error',
    '',
  ])
})

test('--duration ends it', async (t) => {
  const { client, clock, done, read } = collecting(t, { durationMs: 5000, format: 'json' })
  client.open()
  clock.advance(5250)
  await done
  assert.deepEqual(JSON.parse(read()).Events, [])
  assert.equal(clock.pending, 0)
})

test('an application that does not answer is no document: the file before it stays', async (t) => {
  const { client, path, done } = collecting(t)
  writeFileSync(path, 'of yesterday')
  client.lose({ reason: 'status', status: 404, message: 'status 404' })
  await assert.rejects(done, { exitCode: 1, message: /status 404\n {2}check the path/ })
  assert.equal(readFileSync(path, 'utf8'), 'of yesterday')
})

test('an existing file is replaced, longer ones too', async (t) => {
  const { client, path, process, done, read } = collecting(t, { format: 'json' })
  writeFileSync(path, 'x'.repeat(10_000))
  client.open()
  process.emit('SIGINT')
  await done
  assert.deepEqual(JSON.parse(read()).Events, [])
})

test('standard output gets the rows as they come and the end at the end', async (t) => {
  const output = new TextOutput()
  const { client, process, done } = collecting(t, {
    format: 'json',
    open: (end) => toStream((text) => output.write(text), end),
  })
  client.open()
  client.tell({ name: 'a', mean: 1 })
  await turn()
  assert.match(output.text, /"value":1\}$/)
  process.emit('SIGINT')
  await done
  process.emit('exit')
  assert.equal(JSON.parse(output.text).Events.length, 1)
})

test('the end of the process closes the document, an exception for one', async (t) => {
  const output = new TextOutput()
  const { client, process } = collecting(t, {
    format: 'json',
    open: (end) => toStream((text) => output.write(text), end),
  })
  client.open()
  client.tell({ name: 'a', mean: 1 })
  process.emit('exit')
  assert.equal(JSON.parse(output.text).Events.length, 1)
})

test('a file that cannot be written ends it with a message', async (t) => {
  let writes = 0
  const { client, done } = collecting(t, {
    open: (end) =>
      toStream(() => {
        if (++writes > 1) throw new Error('ENOSPC: no space left on device')
      }, end),
  })
  client.open()
  client.tell({ name: 'a', mean: 1 })
  await assert.rejects(done, { exitCode: 1, message: /cannot write counter: ENOSPC/ })
  assert.equal(client.isStopped, true)
})

test('a reader who has seen enough is no failure', async (t) => {
  const closed = Object.assign(new Error('broken pipe'), { code: 'EPIPE' })
  const { client, done } = collecting(t, {
    open: (end) =>
      toStream(() => {
        throw closed
      }, end),
  })
  client.open()
  await done
})

test('at a terminal progress is one line that is written anew', async (t) => {
  const { client, clock, process, done, progress } = collecting(t, { isTTY: true })
  client.open()
  client.tell({ name: 'a', mean: 1 })
  await turn()
  clock.advance(2000)
  const [, first, second] = progress.text.split(LINE_START)
  assert.equal(first, '1 row, 101 B, 1 s, 0 errors')
  assert.equal(second, '1 row, 101 B, 2 s, 0 errors')
  process.emit('SIGINT')
  await done
  assert.equal(progress.text.split(LINE_START).at(-1), 'counter: 1 row, 101 B, 2 s, 0 errors\n')
})

test('series beyond the limit are left out and counted', async (t) => {
  const { client, process, done, read, progress } = collecting(t, { seriesLimit: 1 })
  client.open()
  client.tell({ name: 'a', mean: 1 }, { name: 'b', mean: 1 }, { name: 'a', mean: 1 })
  process.emit('SIGINT')
  await done
  assert.equal(parseCsv(read()).length, 3)
  assert.match(progress.text, /2 rows, .*1 rows? beyond --max-time-series/)
})
