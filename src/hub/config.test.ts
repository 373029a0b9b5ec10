import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { z } from 'zod'
import { RECEIVE_DEFAULTS } from '../dialects/statshero/index.ts'
import { ConfigError, configSchema, parseConfig } from './config.ts'

interface JsonSchema {
  readonly properties?: Record<string, JsonSchema>
  readonly default?: unknown
  readonly description?: string
}

/** Every option by its path, with its default as JSON. */
function optionsOf(schema: JsonSchema, path = ''): [path: string, option: JsonSchema][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, option]) =>
    option.properties === undefined
      ? [[`${path}${name}`, option] as [string, JsonSchema]]
      : optionsOf(option, `${path}${name}.`),
  )
}

const options = optionsOf(z.toJSONSchema(configSchema, { io: 'output' }) as JsonSchema)

test('docs/configuration.md has exactly the options there are, with their defaults', () => {
  const text = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8')
  const lines = text.split('\n').filter((line) => line.startsWith('| `'))
  const rows = lines.map((line) => line.replace(/ +\|/g, ' |'))
  const expected = options.map(
    ([path, option]) =>
      `| \`${path}\` | \`${JSON.stringify(option.default)}\` | ${option.description} |`,
  )
  assert.deepEqual(rows, expected)
})

test('every option has a default that the schema itself takes', () => {
  const defaults = parseConfig({})
  assert.deepEqual(parseConfig(defaults), defaults)
})

test('the defaults of a dialect are the ones of its specification', () => {
  const { emit, negativeMeter, ...receive } = parseConfig({}).statshero
  assert.deepEqual(receive, RECEIVE_DEFAULTS)
})

test('parts of a second may be asked for in the spelling that has them', () => {
  const client = { intervalSec: 0.5, profile: 'peer' }
  assert.deepEqual(parseConfig({ eventcounters: { client } }).eventcounters.client, client)
})

test('a problem is one line with path, value and what is wanted', () => {
  const lines = (wrong: unknown): readonly string[] => {
    try {
      parseConfig(wrong)
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.problems
    }
    return []
  }
  const hint = (color: string) => ({ scope: { hints: [{ match: {}, color }] } })
  for (const [wrong, expected] of [
    [{ seriesLimit: 0 }, ['seriesLimit: 0, want at least 1']],
    [{ textPort: 70_000 }, ['textPort: 70000, want at most 65535']],
    [{ textPort: 0.5 }, ['textPort: 0.5, want a whole number']],
    [
      { eventcounters: { client: { intervalSec: 0.5 } } },
      [
        'eventcounters.client.intervalSec: 0.5, ' +
          'want a whole number of seconds, or the profile peer',
      ],
    ],
    [{ host: '' }, ['host: "", want at least 1 character']],
    [{ host: null }, ['host: null, want text']],
    [{ relay: 'a' }, ['relay: "a", want a list']],
    [{ a: 1, scope: { b: 2 } }, ['scope.b: no such option', 'a: no such option']],
    [{ scope: { framing: 'x' } }, ['scope.framing: "x", want "auto" or "framed" or "bare"']],
    [{ scope: { hints: [{}] } }, ['scope.hints.0.match: missing, want a mapping']],
    [{ statshero: { counterBits: { k: 16 } } }, ['statshero.counterBits.k: 16, want 32 or 64']],
    [{ host: [] }, ['host: [], want text']],
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

test('each wrong option is named with its path', () => {
  const wrong = { textPort: 70_000, nosuch: 1, scope: { maxClients: 0 } }
  assert.throws(
    () => parseConfig(wrong),
    (error) => {
      assert.ok(error instanceof ConfigError)
      const text = error.problems.join('\n')
      for (const word of ['textPort', 'nosuch', 'scope.maxClients'])
        assert.match(text, RegExp(word))
      return true
    },
  )
})
