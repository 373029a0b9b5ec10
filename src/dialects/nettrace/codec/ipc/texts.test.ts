/** Arguments of providers both ways. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { formatArguments, parseArguments } from './texts.ts'
import { writeIpc } from './write.ts'

suite('texts of a session', () => {
  test('arguments are written so that they are read as they were', () => {
    const pairs = [
      ['Metrics', 'a;b=c'],
      ['k=', ''],
      ['', 'x'],
    ] as const
    assert.equal(formatArguments(pairs), 'Metrics="a;b=c";"k="=;=x')
    assert.deepEqual(parseArguments(formatArguments(pairs)), pairs)
    assert.deepEqual(parseArguments('a;b=1;;'), [
      ['a', ''],
      ['b', '1'],
    ])
  })

  test('a quote can’t be said, nor a number or message that no packet has room for', () => {
    const code = (expected: string) => (error: Error & { code?: string }) => error.code === expected
    assert.throws(() => formatArguments([['a', '"']]), code('bad_value'))
    assert.throws(() => writeIpc({ message: 'StopTracing', session: '-1' }), code('bad_value'))
    assert.throws(() => writeIpc({ message: 'Nothing' as 'OK' }), code('bad_message'))
    const long = { keywords: 0, level: 4, name: 'x'.repeat(40_000), arguments: '' }
    const command = { message: 'CollectTracing', bufferMB: 1, format: 1 } as const
    assert.throws(() => writeIpc({ ...command, providers: [long] }), code('bad_value'))
  })
})
