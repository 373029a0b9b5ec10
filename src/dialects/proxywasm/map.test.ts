/** What the document's names are in the model, and what falling bins of the original mean. */

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { LabelPatterns } from './label-patterns.ts'
import { describePrefixed, peerBinDelta } from './map.ts'

suite('identity', () => {
  const identify = (name: string, options = {}) =>
    describePrefixed(Buffer.from(name, 'latin1'), 'counter', options)

  test('a filter’s metric has the label filter and no origin', () => {
    const { identity, metadata } = identify('pw.f.hits', { unit: 'ms' })
    assert.deepEqual(identity, { name: 'hits', kind: 'counter', labels: [['filter', 'f']] })
    assert.deepEqual(metadata, { dialect: 'proxywasm', type: 'counter', unit: 'ms' })
  })

  test('other origins are a label, an application’s own metrics have neither', () => {
    assert.deepEqual(identify('lua:x').identity.labels, [['origin', 'lua']])
    assert.deepEqual(identify('wasmcustom.x').identity.labels, [['origin', 'wasmcustom']])
    assert.deepEqual(identify('x').identity, { name: 'x', kind: 'counter', labels: [] })
  })

  test('a filter’s name that had to be assumed is told', () => {
    assert.match(identify('pw.a.b.c').metadata.description!, /assumed: a/)
    assert.equal(identify('pw.a.b.c', { filters: ['a.b'] }).metadata.description, undefined)
  })

  test('label patterns take the labels out of the name', () => {
    const labelPatterns = new LabelPatterns([{ label: 'src', pattern: '(_s=(\\w+))' }])
    const { identity } = identify('pw:f:hits_s=edge', { labelPatterns })
    assert.equal(identity.name, 'hits')
    assert.deepEqual(identity.labels, [
      ['filter', 'f'],
      ['src', 'edge'],
    ])
  })

  test('bytes that are no UTF-8 identify the series, and keep their labels in the name', () => {
    const labelPatterns = new LabelPatterns([{ label: 'src', pattern: '(_s=(\\w+))' }])
    const { identity } = identify('pw:f:\xff_s=edge', { labelPatterns })
    assert.deepEqual(Buffer.from(identity.nameBytes!).toString('latin1'), '\xff_s=edge')
    assert.deepEqual(identity.labels, [['filter', 'f']])
  })
})

for (const [what, before, after, delta] of [
  ['an increase counts', 5n, 7n, 2n],
  ['a small decrease is a reset', 7n, 5n, undefined],
  ['a decrease of 2^31 is a wrap', 2n ** 31n, 0n, 2n ** 31n],
  ['a wrap counts on', 2n ** 32n - 1n, 1n, 2n],
  ['one less than 2^31 is none', 2n ** 31n, 1n, undefined],
] as const) {
  test(`32-bit bins of a peer: ${what}`, () => assert.equal(peerBinDelta(before, after), delta))
}
