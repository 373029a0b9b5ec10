import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialect as eventcounters } from '../../dialects/eventcounters/dialect.ts'
import { dialect as proxywasm } from '../../dialects/proxywasm/dialect.ts'
import { dialect as scope } from '../../dialects/scope/dialect.ts'
import { dialect as statshero } from '../../dialects/statshero/dialect.ts'
import { parseTarget } from './target.ts'
import { ConfigError } from './values.ts'

const DIALECTS = [statshero, scope, proxywasm, eventcounters]

function targetOf(text: string) {
  const { dialect, target } = parseTarget(text, DIALECTS)
  return [dialect.name, target]
}

test('a target names a dialect, or the scheme of one whose peers have URLs', () => {
  const at = (port: number, transport = 'tcp', host = '10.0.0.7') => ({ transport, host, port })
  assert.deepEqual(targetOf('statshero://10.0.0.7:8125'), ['statshero', at(8125, 'udp')])
  assert.deepEqual(targetOf('statshero+tcp://10.0.0.7:8125/'), ['statshero', at(8125)])
  assert.deepEqual(targetOf('scope://[::1]:5001'), ['scope', at(5001, 'tcp', '::1')])
  assert.deepEqual(targetOf('statshero://10.0.0.7'), ['statshero', at(8125, 'udp')])
  assert.deepEqual(targetOf('scope://10.0.0.7'), ['scope', at(5001)])
  for (const query of ['interval=20ms', '']) {
    assert.deepEqual(targetOf(`scope://10.0.0.7?${query}`), ['scope', { ...at(5001), query }])
    assert.deepEqual(targetOf(`scope://10.0.0.7:7/?${query}`), ['scope', { ...at(7), query }])
  }
  for (const [url, port, host] of [
    ['eventcounters://10.0.0.7', 4000],
    ['http://10.0.0.7:4000', 4000],
    ['http://10.0.0.7:4000/', 4000],
    ['http://10.0.0.7', 80],
    ['http://10.0.0.7?counters=a[b,c],d', 80],
    ['https://app.example/metrics/live?counters=a&profile=peer', 443, 'app.example'],
    ['eventcounters://10.0.0.7:4000', 4000],
    ['eventcounters://[fe80::1]:4000?counters=a', 4000, 'fe80::1'],
  ] as const) {
    assert.deepEqual(targetOf(url), ['eventcounters', { ...at(port, 'tcp', host), url }])
  }
})

test('a target that makes no sense is told with what is wanted', () => {
  const shape = 'want DIALECT+TRANSPORT://HOST:PORT'
  for (const [text, problem] of [
    ['', shape],
    ['localhost:8125', shape],
    ['scope://', shape],
    ['scope://localhost:5001/path', shape],
    ['statshero://localhost:8125?interval=1s', shape],
    ['ftp://localhost:21', 'no dialect ftp; there are statshero, scope, proxywasm, eventcounters'],
    ['proxywasm://localhost:1', 'proxywasm is no protocol of a network'],
    ['scope+udp://localhost:5001', 'scope has no udp'],
    ['http+udp://localhost:4000', 'eventcounters has no udp'],
    ['scope://localhost:0', 'port 0, want 1 to 65535'],
    ['http://localhost:65536', 'port 65536, want 1 to 65535'],
    [
      'http://localhost:4000#x',
      'want http://HOST:PORT, with PATH and ?QUERY where they are needed',
    ],
    ['http://localhost:40x', 'want http://HOST:PORT, with PATH and ?QUERY where they are needed'],
  ] as const) {
    assert.throws(
      () => parseTarget(text, DIALECTS),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError)
        assert.deepEqual(error.problems, [`target ${text}: ${problem}`])
        return true
      },
    )
  }
})
