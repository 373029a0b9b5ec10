import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { parseQuery, QueryError } from './query.ts'

suite('the query of a session', () => {
  test('has a default for everything', () => {
    assert.deepEqual(parseQuery('/api/v1/eventcounters'), {
      profile: 'document',
      deliver: 'own',
      interval: { kind: 'stop' },
    })
    assert.deepEqual(parseQuery(''), parseQuery('/x?'))
  })

  test('is read by the grammar of its profile, wherever the profile stands', () => {
    const half = 'EventCounterIntervalSec=0.5'
    assert.deepEqual(parseQuery(`/?${half}&profile=peer`).interval, {
      kind: 'run',
      intervalMs: 500,
    })
    assert.equal(parseQuery(`/?${half}`).interval.kind, 'stop')
    assert.equal(parseQuery('/?profile=peer').interval.kind, 'ignored')
  })

  test('knows its parameters by exact names', () => {
    const { interval, filter } = parseQuery('/?eventcounterintervalsec=1&Counters=a&x?counters=b')
    assert.deepEqual([interval.kind, filter], ['stop', undefined])
  })

  test('names no more providers and counters than anyone needs', () => {
    const names = (count: number): string => Array.from({ length: count }, (_, i) => `q${i}`).join()
    assert.equal(parseQuery(`/?counters=${names(256)}`).filter!.length, 256)
    assert.equal(parseQuery(`/?counters=a[${names(2048)}]`).filter![0]!.counters.length, 2048)
    const many = { parameter: 'counters', message: 'counters: 257 providers, limit 256' }
    assert.throws(() => parseQuery(`/?counters=${names(257)}`), many)
    const long = { parameter: 'counters', message: 'counters: 2049 names, limit 2048' }
    assert.throws(() => parseQuery(`/?counters=a[${names(2048)}],b[c]`), long)
  })

  test('is any text: it is read or refused, and nothing else happens', () => {
    const name = fc.constantFrom('EventCounterIntervalSec', 'counters', 'profile', 'deliver', '%')
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('peer', 'all', '%', '%zz', '%F0%9F', '+', 'a[', 'a[b]', '1', '1e400'),
    )
    const parameters = fc.array(fc.tuple(name, value), { maxLength: 6 })
    holds(
      fc.property(parameters, (pairs) => {
        const target = `/?${pairs.map(([key, text]) => `${key}=${text}`).join('&')}`
        try {
          const { interval } = parseQuery(target)
          if (interval.kind === 'run') assert.ok(Number.isSafeInteger(interval.intervalMs))
        } catch (error) {
          assert.ok(error instanceof QueryError, String(error))
          assert.notEqual(error.message, '')
        }
      }),
      2000,
    )
  })
})
