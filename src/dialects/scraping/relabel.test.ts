/** Rules for labels, as Prometheus' documents have them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Relabelling, ruleProblem } from './relabel.ts'

type RelabelRule = ConstructorParameters<typeof Relabelling>[0][number]

const USUAL: RelabelRule = {
  ...{ sourceLabels: [], separator: ';', regex: '(.*)', targetLabel: '', replacement: '$1' },
  action: 'replace',
}

/** Writes a group in braces, which in quotes look like a template's. */
function named(before: string, group: string, behind: string): string {
  return `${before}{${group}}${behind}`
}

/** Applies rules. @returns labels; undefined where they are dropped */
function apply(
  labels: Readonly<Record<string, string>>,
  ...rules: readonly Partial<RelabelRule>[]
) {
  const map = new Map(Object.entries(labels))
  const isKept = new Relabelling(rules.map((rule) => ({ ...USUAL, ...rule }))).apply(map)
  return isKept ? Object.fromEntries(map) : undefined
}

test('replace joins values, and sets a label by what matched', () => {
  const rule = { sourceLabels: ['a', 'b'], regex: 'f(.*);(?P<last>.*)r', targetLabel: 'c' }
  const from = { a: 'foo', b: 'bar' }
  assert.deepEqual(apply(from, { ...rule, replacement: named('$1-$', 'last', '$$') }), {
    ...from,
    c: 'oo-ba$',
  })
  assert.deepEqual(apply(from, { ...rule, regex: 'oo;bar' }), from)
  assert.deepEqual(apply(from, { targetLabel: 'd', replacement: 'x' }), { ...from, d: 'x' })
})

test('replace by nothing takes the label away, and $1x names a group that is none', () => {
  assert.deepEqual(apply({ a: 'x' }, { targetLabel: 'a', replacement: '' }), {})
  const rule = { sourceLabels: ['a'], targetLabel: 'b', replacement: '$1x' }
  assert.deepEqual(apply({ a: 'x' }, rule), { a: 'x' })
  assert.deepEqual(apply({ a: 'x' }, { ...rule, replacement: named('$', '1', 'x') }), {
    a: 'x',
    b: 'xx',
  })
})

test('keep and drop match the whole of the joined values', () => {
  const rule = { sourceLabels: ['a'], regex: 'fo' }
  assert.equal(apply({ a: 'foo' }, { ...rule, action: 'keep' }), undefined)
  assert.deepEqual(apply({ a: 'foo' }, { ...rule, action: 'drop' }), { a: 'foo' })
  assert.equal(apply({ a: 'FOO' }, { ...rule, regex: '(?i)foo', action: 'drop' }), undefined)
  assert.deepEqual(apply({ a: '' }, { ...rule, regex: '', action: 'keep' }), { a: '' })
})

test('labelmap, labeldrop and labelkeep go by names', () => {
  const map = { regex: '__meta_(.+)', action: 'labelmap' } as const
  const from = { __meta_a: '1', b: '2' }
  assert.deepEqual(apply(from, map), { ...from, a: '1' })
  assert.deepEqual(apply(from, { regex: '__.*', action: 'labeldrop' }), { b: '2' })
  assert.deepEqual(apply(from, { regex: 'b', action: 'labelkeep' }), { b: '2' })
})

test('a rule that makes no sense says what is wanted', () => {
  assert.equal(ruleProblem({ ...USUAL, regex: '(' })?.option, 'regex')
  assert.equal(ruleProblem(USUAL)?.option, 'targetLabel')
  assert.equal(ruleProblem({ ...USUAL, targetLabel: 'a' }), undefined)
})
