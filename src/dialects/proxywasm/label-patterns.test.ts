/** Labels out of names, by patterns of two groups. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LabelPatterns } from './label-patterns.ts'

const PATTERNS = [
  { label: 'source', pattern: '(_s=([a-z0-9-]+))' },
  { label: 'rule', pattern: '(;rule=([^;]*))' },
]

for (const [name, plain, labels] of [
  ['hits', 'hits', []],
  ['hits_s=edge-1', 'hits', [['source', 'edge-1']]],
  [
    'hits;rule=9_s=edge',
    'hits',
    [
      ['rule', '9_s=edge'],
      ['source', 'edge'],
    ],
  ],
  ['hits;rule=', 'hits', [['rule', '']]],
  ['_s=edge', '_s=edge', [['source', 'edge']]],
] as const) {
  test(`"${name}" is "${plain}" with ${labels.length} labels`, () => {
    assert.deepEqual(new LabelPatterns(PATTERNS).split(name), { name: plain, labels })
  })
}

for (const [what, pattern, message] of [
  ['a pattern with one group', { label: 'a', pattern: '(x)' }, /has 1 groups, wants 2/],
  ['a pattern that is none', { label: 'a', pattern: '(' }, /pattern of label "a": /],
  ['a label that is none', { label: 'a-b', pattern: '((x))' }, /label "a-b"/],
  ['the metric’s own label', { label: 'filter', pattern: '((x))' }, /label "filter" is kept/],
] as const) {
  test(`${what} is refused at once`, () => {
    assert.throws(() => new LabelPatterns([pattern]), { name: 'RangeError', message })
  })
}
