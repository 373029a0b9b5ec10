import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { TestProcess } from '../../../../test/support/test-terminal.ts'
import { FakeFeed } from '../test/fake-feed.ts'
import { scopeAsLines } from './lines.ts'

const TRIGGERS = [{ key: 'level', below: null, above: 9 }]

/** The command without a terminal, and what it has written. */
function printing(isJson: boolean, writableLength = 0) {
  const process = new TestProcess()
  const clock = new FakeClock()
  const feed = new FakeFeed()
  const written = { output: '', errors: '' }
  const done = scopeAsLines(
    {
      exporter: { host: 'plc1', port: 5001 },
      ...{ record: undefined, replay: undefined },
      ...{ hub: undefined, selector: '', statistics: [] },
      ...{ intervalS: 0.1, timeoutS: 10, board: { triggers: TRIGGERS } },
      view: { hasLegend: true, chartColumns: undefined, chartAspect: undefined },
    },
    feed.open,
    {
      ...{ process, clock, isJson },
      output: { writableLength, write: (text: string) => (written.output += text) },
      errors: { write: (text: string) => (written.errors += text) },
    },
  )
  return { process, clock, feed, written, done }
}

suite('scope without a terminal', () => {
  test('prints a line per snapshot, with the time of its samples', () => {
    const { feed, written } = printing(false)
    feed.tell(0, { level: 1.5, 'a\x1b[31m': Number.NaN })
    feed.tell(0.02, { level: -1e20 })
    assert.deepEqual(written.output.split('\n'), [
      '1970-01-01T00:00:00.000Z  level=1.5  a\\x1b[31m=–',
      '1970-01-01T00:00:00.020Z  level=−1e20',
      '',
    ])
  })

  test('prints JSON, any name and any value', () => {
    const { feed, written } = printing(true)
    const values = { level: 1, ['__proto__']: 2, nan: Number.NaN, inf: Number.POSITIVE_INFINITY }
    feed.tell(0, values)
    const line = JSON.parse(written.output) as { time: string; values: object }
    assert.equal(line.time, '1970-01-01T00:00:00.000Z')
    assert.deepEqual(Object.entries(line.values), [
      ['level', 1],
      ['__proto__', 2],
      ['nan', null],
      ['inf', 'Infinity'],
    ])
  })

  test('says what was seen on SIGQUIT, too', () => {
    const { feed, written, process } = printing(true)
    feed.tell(0, { level: 1 })
    process.emit('SIGQUIT')
    assert.match(written.errors, /^seen 0 s, 1 series, 0 errors\n/m)
    assert.deepEqual(process.exits, [131])
  })

  test('prints every event of the trigger, and goes on', () => {
    const { feed, written } = printing(true)
    for (const [i, level] of [1, 9, 10, 1, 12].entries()) feed.tell(i, { level })
    const events = written.output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { time: string; trigger?: object })
      .filter(({ trigger }) => trigger !== undefined)
    assert.deepEqual(events, [
      { time: '1970-01-01T00:00:01.000Z', trigger: { key: 'level', side: 'above', value: 9 } },
      { time: '1970-01-01T00:00:04.000Z', trigger: { key: 'level', side: 'above', value: 12 } },
    ])
  })

  test('tells what happens to the connection beside, and in the end what it saw', async () => {
    const { feed, written, clock, process, done } = printing(false)
    feed.become({ state: 'connecting', facts: [] })
    feed.tell(0, { level: 1 })
    const retryAtNs = clock.monotonicNs() + 1_000_000_000n
    feed.become({ state: 'offline', lastError: 'connection closed', retryAtNs })
    feed.become({ state: 'connecting' })
    feed.become({ state: 'offline', lastError: 'connection closed', retryAtNs })
    feed.tell(5, { level: 1 })
    process.emit('SIGTERM')
    await done
    assert.deepEqual(written.errors.split('\n'), [
      'connecting',
      'online  20 ms  framed',
      'offline: connection closed, next attempt in 1000 ms',
      'online  20 ms  framed',
      'seen 0 s, 1 series, 0 errors',
      '',
    ])
    assert.equal(feed.isClosed, true)
  })

  test('tells a fault when it comes, and in the end once more', async () => {
    const { feed, written, process, done } = printing(true)
    const fault = 'recording stopped: ENOSPC'
    feed.tell(0, { level: 1 })
    feed.become({ fault })
    feed.become({ fault })
    process.emit('SIGTERM')
    await done
    assert.deepEqual(written.errors.split('\n'), [
      'online  20 ms  framed',
      fault,
      `seen 0 s, 1 series, 0 errors, ${fault}`,
      '',
    ])
  })

  test('leaves out lines that their reader has no room for, and says how many', async () => {
    const { feed, written, process, done } = printing(false, 2_000_000)
    feed.tell(0, { level: 1 })
    process.emit('SIGINT')
    await done
    assert.equal(written.output, '')
    assert.match(written.errors, /1 line skipped\n$/)
  })
})
