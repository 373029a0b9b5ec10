import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIALECTS } from '../../../test/support/dialects.ts'
import { parseConfig } from './config.ts'
import { ConfigError, dialectOptions } from './values.ts'

const parse = (options: unknown) => parseConfig(options, DIALECTS)

test('every option has a default that the schema itself takes', () => {
  const defaults = parse({})
  assert.deepEqual(parse(defaults), defaults)
})

test('a hub without dialects has none of their sections', () => {
  assert.throws(() => parseConfig({ statshero: {} }, []), /statshero: no such option/)
})

test('parts of a second may be asked for in the spelling that has them', () => {
  const client = { intervalMs: 500, profile: 'peer' }
  const { client: checked } = dialectOptions(parse({ eventcounters: { client } }), 'eventcounters')
  assert.deepEqual(checked, client)
})

test('an amount may be a number, as YAML reads it', () => {
  const { slabSize } = dialectOptions(parse({ proxywasm: { slabSize: 12_288 } }), 'proxywasm')
  assert.equal(slabSize, '12288')
  assert.throws(() => parse({ proxywasm: { slabSize: 0.5 } }), /proxywasm\.slabSize: "0\.5", want/)
})

test('a problem is one line with path, value and what is wanted', () => {
  const lines = (wrong: unknown): readonly string[] => {
    try {
      parse(wrong)
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.problems
    }
    return []
  }
  const hint = (color: string) => ({ scope: { hints: [{ match: {}, color }] } })
  for (const [wrong, expected] of [
    [{ seriesLimit: 0 }, ['seriesLimit: 0, want at least 1']],
    [
      { seriesLimit: 10_000_000 },
      ['seriesLimit: 10000000, want at most 4194304 with zoneBytesLimit 268435456'],
    ],
    [{ textPort: 70_000 }, ['textPort: 70000, want at most 65535']],
    [{ textPort: 0.5 }, ['textPort: 0.5, want a whole number']],
    [
      { eventcounters: { client: { intervalMs: 500 } } },
      ['eventcounters.client.intervalMs: 500, want whole seconds, or the profile peer'],
    ],
    [{ host: '' }, ['host: "", want at least 1 character']],
    [{ host: null }, ['host: null, want text']],
    [{ relay: 'a' }, ['relay: "a", want a list']],
    [{ a: 1, scope: { b: 2 } }, ['scope.b: no such option', 'a: no such option']],
    [{ scope: { framing: 'x' } }, ['scope.framing: "x", want "auto" or "framed" or "bare"']],
    [{ scope: { hints: [{}] } }, ['scope.hints.0.match: missing, want a mapping']],
    [{ statshero: { counterBits: { k: 16 } } }, ['statshero.counterBits.k: 16, want 32 or 64']],
    [{ host: [] }, ['host: [], want text']],
    [{ ingestWorkers: 65 }, ['ingestWorkers: 65, want at most 64']],
    [{ ingestWorkers: 'all' }, ['ingestWorkers: "all", want auto, or a whole number of 0 to 64']],
    [{ http: null }, ['http: null, want a mapping']],
    [{ relay: ['a:1', 0] }, ['relay.1: 0, want text']],
    [{ toString: 1 }, ['toString: no such option']],
    [{ otlp: { headers: new Map() } }, ['otlp.headers: {}, want a mapping']],
    [{ otlp: { headers: { 'b c': '' } } }, ['otlp.headers.b c: "", Invalid key in record']],
    [{ otlp: { url: 'x' } }, ['otlp.url: "x", want a URL, as http://localhost:4318']],
    [{ otlp: { estimatedSum: 1 } }, ['otlp.estimatedSum: 1, want true or false']],
    [{ otlp: { intervalMs: Number.NaN } }, ['otlp.intervalMs: NaN, want a number']],
    [
      { eventcounters: { client: { intervalMs: 21, b: 1 } } },
      [
        'eventcounters.client.b: no such option',
        'eventcounters.client.intervalMs: 21, want whole seconds, or the profile peer',
      ],
    ],
    [{ httpPort: 'x'.repeat(99) }, [`httpPort: "${'x'.repeat(59)}…, want a number`]],
    [[], ['[], want a mapping']],
    [hint('red'), []],
    [hint('#F0a'), []],
  ] as const) {
    assert.deepEqual(lines(wrong), expected)
  }
  for (const color of ['#zzz', '#ff00f', 'mauve', 'Red']) {
    assert.match(lines(hint(color))[0]!, RegExp(`^scope.hints.0.color: "${color}", want #RGB`))
  }
})

test('ten million series may be asked for where the zone is large enough', () => {
  const zoneBytesLimit = 1_073_741_824
  assert.equal(parse({ seriesLimit: 10_000_000, zoneBytesLimit }).seriesLimit, 10_000_000)
  assert.throws(() => parse({ seriesLimit: 16_000_000, zoneBytesLimit }), /want at most 15252014/)
  parse({ zoneBytesLimit: 1_048_576 })
})

test('each wrong option is named with its path', () => {
  const wrong = { textPort: 70_000, nosuch: 1, scope: { maxClients: 0 } }
  assert.throws(
    () => parse(wrong),
    (error) => {
      assert.ok(error instanceof ConfigError)
      const text = error.problems.join('\n')
      for (const word of ['textPort', 'nosuch', 'scope.maxClients'])
        assert.match(text, RegExp(word))
      return true
    },
  )
})
