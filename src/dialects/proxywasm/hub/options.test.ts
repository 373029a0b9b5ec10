import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { OptionCheck } from '../../../hub/config/check.ts'
import { parseConfig } from '../../../hub/config/config.ts'
import { ConfigError, dialectOptions } from '../../../hub/config/values.ts'
import type { SectionOption } from '../../options.ts'
import { dialect } from '../dialect.ts'
import { type FilterConfig, OPTIONS } from '../options.ts'

function problemsOf(filters: unknown): readonly string[] {
  try {
    parseConfig({ proxywasm: { filters } }, [dialect])
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
  return []
}

test('a filter needs a name and a file, all else has a default', () => {
  const filters = [{ name: 'auth', path: 'auth.wasm' }]
  const checked = dialectOptions(parseConfig({ proxywasm: { filters } }, [dialect]), 'proxywasm')
  const [filter] = checked.filters as readonly FilterConfig[]
  const { host, profile, requestsPerSecond, callTimeoutMs } = filter!
  assert.deepEqual([host, profile, requestsPerSecond, callTimeoutMs], ['spec', 'document', 0, 1000])
  assert.deepEqual(problemsOf([{ name: 'auth' }]), ['proxywasm.filters.0.path: missing, want text'])
})

test('names that tell no filter apart are refused', () => {
  const twice = [
    { name: 'a', path: 'x' },
    { name: 'a', path: 'y' },
  ]
  assert.match(problemsOf(twice).join(), /want each name once/)
  const [problem = ''] = problemsOf([{ name: 'a b', path: 'x', profile: 'peer' }])
  assert.match(problem, /^proxywasm\.filters\.0\.name: "a b", filter name "a b" has a space/)
})

test('a label pattern that can find no value is refused before anything starts', () => {
  const labelPatterns = [{ label: 'upstream', pattern: '(no value)' }]
  const [problem = ''] = problemsOf([{ name: 'a', path: 'x', labelPatterns }])
  assert.match(problem, /labelPatterns: .*has 1 groups, wants 2$/)
})

test('bounds of bins are text, a list, or a number', () => {
  const histogramOf = (histogram: unknown): unknown => {
    const filters = [{ name: 'a', path: 'x', histogram }]
    const checked = parseConfig({ proxywasm: { histogram, filters } }, [dialect])
    const { histogram: all, filters: own } = dialectOptions(checked, 'proxywasm')
    assert.equal((own as readonly FilterConfig[])[0]!.histogram, all)
    return all
  }
  assert.deepEqual(['1,5,10', [1, 5, 10], 5].map(histogramOf), ['1,5,10', '1,5,10', '5'])
  for (const histogram of [[], [5, 1], ['1', 'x'], [0.5], true]) {
    const [problem = ''] = problemsOf([{ name: 'a', path: 'x', histogram }])
    assert.match(problem, /^proxywasm\.filters\.0\.histogram: .*, want (dense|text)/)
  }
})

test('docs/configuration.md says of each option what the options say', () => {
  const text = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => /^- `\w+`/.test(line))
  const optional = { name: 'x', path: 'y' }
  const { options } = OPTIONS.filters.item as SectionOption
  const defaults = new OptionCheck().options(options, optional)
  const expected = Object.entries(options).map(([name, option]) => {
    const isDefaulted = !(name in optional) && defaults[name] !== undefined
    const value = isDefaulted ? ` (default \`${JSON.stringify(defaults[name])}\`)` : ''
    return `- \`${name}\`${value}: ${option.description}`
  })
  assert.deepEqual(rows, expected)
})
