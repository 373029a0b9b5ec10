import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ConfigError, parseConfig } from '../../../hub/config.ts'
import { type FilterConfig, filterOptions } from './options.ts'

function problemsOf(filters: unknown): readonly string[] {
  try {
    parseConfig({ filters })
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
  return []
}

test('a filter needs a name and a file, all else has a default', () => {
  const [filter] = parseConfig({ filters: [{ name: 'auth', path: 'auth.wasm' }] }).filters
  const { host, profile, requestsPerSecond, callTimeoutMs } = filter as FilterConfig
  assert.deepEqual([host, profile, requestsPerSecond, callTimeoutMs], ['spec', 'document', 0, 1000])
  assert.deepEqual(problemsOf([{ name: 'auth' }]), ['filters.0.path: missing, want text'])
})

test('names that tell no filter apart are refused', () => {
  const twice = [
    { name: 'a', path: 'x' },
    { name: 'a', path: 'y' },
  ]
  assert.match(problemsOf(twice).join(), /want each name once/)
  const [problem = ''] = problemsOf([{ name: 'a b', path: 'x', profile: 'peer' }])
  assert.match(problem, /^filters\.0\.name: "a b", filter name "a b" has a space/)
})

test('a label pattern that can find no value is refused before anything starts', () => {
  const labelPatterns = [{ label: 'upstream', pattern: '(no value)' }]
  const [problem = ''] = problemsOf([{ name: 'a', path: 'x', labelPatterns }])
  assert.match(problem, /labelPatterns: .*has 1 groups, wants 2$/)
})

test('docs/configuration.md says of each option what the schema says', () => {
  const text = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => /^- `\w+`/.test(line))
  const optional = { name: 'x', path: 'y' }
  const defaults = filterOptions.parse(optional) as Record<string, unknown>
  const expected = Object.entries(filterOptions.shape).map(([name, schema]) => {
    const isDefaulted = !(name in optional) && defaults[name] !== undefined
    const value = isDefaulted ? ` (default \`${JSON.stringify(defaults[name])}\`)` : ''
    return `- \`${name}\`${value}: ${schema.description}`
  })
  assert.deepEqual(rows, expected)
})
