/** A program behind `--`: started, watched from its beginning, and ended with the watching. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { CommandError } from '../../../terminal/exit.ts'
import { temporaryFolder } from '../test/fake-runtime.ts'
import { readTarget } from './target.ts'

const PROGRAM = fileURLToPath(new URL('../test/dialling-program.ts', import.meta.url))
const REQUEST = { counters: 'EventCounters\\App', intervalMs: 1000, seriesLimit: 10 }

/** A feed of a program; what it tells can be waited for. */
function launching(t: TestContext, ...command: readonly string[]) {
  const folder = temporaryFolder(t)
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  t.after(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  })
  const said: string[] = []
  let onSaid = (): void => {}
  const say = (text: string): void => {
    said.push(text)
    onSaid()
  }
  const feed = readTarget({}, { ...REQUEST, command })!(
    {
      onWait: (text) => say(`wait: ${text}`),
      onOpen: () => say(`open: ${feed.target}`),
      onWindow: ({ counter }) => say(`window: ${counter.name}`),
      onNote: (text) => say(`note: ${text}`),
      onError: ({ message, advice }) => say(`error: ${message} / ${advice}`),
      onEnd: (message) => say(`end: ${message}`),
    },
    new FakeClock(),
  )
  t.after(() => feed.close())
  const heard = async (prefix: string): Promise<string> => {
    for (;;) {
      const text = said.find((each) => each.startsWith(prefix))
      if (text !== undefined) return text
      await new Promise<void>((resolve) => {
        onSaid = resolve
      })
    }
  }
  return { feed, heard, folder }
}

test('a program is watched once it dials, and ended when the watching ends', async (t) => {
  const { feed, heard, folder } = launching(t, process.execPath, PROGRAM, 'one')
  void feed.start()
  assert.match(await heard('wait'), /^wait: starting .*dialling-program.ts one, whose output is/)
  const pid = Number(/pid (\d+)/.exec(await heard('open'))![1])
  assert.equal(await heard('window'), 'window: hits')
  assert.equal(process.kill(pid, 0), true)
  await feed.close()
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  assert.deepEqual(readdirSync(folder), [])
})

test('a program that ends ends the feed', async (t) => {
  const { feed, heard } = launching(t, process.execPath, PROGRAM)
  void feed.start()
  const pid = Number(/pid (\d+)/.exec(await heard('open'))![1])
  process.kill(pid, 'SIGKILL')
  assert.match(await heard('end'), /^end: Shop, pid \d+, .*: the stream broke off/)
})

test('one that never dials is told of by its end', async (t) => {
  const { feed, heard, folder } = launching(t, process.execPath, '-e', 'process.exit(3)')
  await feed.start()
  assert.match(
    await heard('error'),
    /has ended with 3, and no runtime of \.NET has dialled \/ give a \.NET program, as in --/,
  )
  assert.deepEqual(readdirSync(folder), [])
})

test('one that is not there is told of', async (t) => {
  const { feed, heard } = launching(t, '/no/such/program')
  await feed.start()
  assert.match(await heard('error'), /\/no\/such\/program was not started: .*ENOENT/)
})

test('a process and a program are too much', () => {
  const values = { processId: 1 }
  assert.throws(
    () => readTarget(values, { ...REQUEST, command: ['a'] }),
    (error) =>
      error instanceof CommandError && /^None of the --name, --process-id/.test(error.message),
  )
})
