import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import { KINDS } from './cell.ts'
import { describeSeries, type Identity, identityKey, identityOf, sortLabels } from './series.ts'

/** Short texts over few characters, so that collisions by concatenation would be found. */
const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: fc.constantFrom('a', '=', ',', '\0'), maxLength: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
)
const pair = fc.tuple(text, text)
const identity: fc.Arbitrary<Identity> = fc
  .record({
    name: text,
    kind: fc.constantFrom(...KINDS),
    labels: fc.array(pair, { maxLength: 3 }).map(sortLabels),
    qualifier: fc.option(pair, { nil: undefined }),
  })
  .map(({ qualifier, ...rest }) => (qualifier === undefined ? rest : { ...rest, qualifier }))

test('keys are equal exactly when kind, name, qualifier and labels are', () => {
  holds(
    fc.property(identity, identity, (a, b) => {
      const isSame = JSON.stringify(facts(a)) === JSON.stringify(facts(b))
      assert.equal(sameKey(a, b), isSame)
      assert.ok(sameKey(a, structuredClone(a)))
    }),
    3000,
  )
})

test('moving a character between neighbouring texts changes the key', () => {
  const base: Identity = { name: 'ab', kind: 'gauge', labels: [['c', 'd']] }
  const others: Identity[] = [
    { ...base, name: 'a', labels: [['bc', 'd']] },
    { ...base, labels: [['cd', '']] },
    { ...base, labels: [], qualifier: ['c', 'd'] },
    { ...base, labels: [], name: 'abcd' },
    {
      ...base,
      labels: [
        ['c', 'd'],
        ['', ''],
      ],
    },
    { ...base, kind: 'counter' },
  ]
  for (const other of others) assert.equal(sameKey(base, other), false, JSON.stringify(other))
})

test('a qualifier and a label of the same pair are two identities', () => {
  const labelled: Identity = { name: 'x', kind: 'counter', labels: [['shp.type', 'm']] }
  const qualified: Identity = {
    name: 'x',
    kind: 'counter',
    labels: [],
    qualifier: ['shp.type', 'm'],
  }
  assert.equal(sameKey(labelled, qualified), false)
})

test('the bytes of a name identify it where they are no UTF-8', () => {
  const named = (...bytes: number[]): Identity => ({
    name: '\ufffd',
    kind: 'gauge',
    labels: [],
    nameBytes: Uint8Array.from(bytes),
  })
  assert.equal(sameKey(named(0xff), named(0xfe)), false)
  assert.equal(sameKey(named(0xff), named(0xff)), true)
  const plain: Identity = { name: '\ufffd', kind: 'gauge', labels: [] }
  assert.equal(sameKey(named(0xff), plain), false)
  assert.equal(sameKey(named(0xef, 0xbf, 0xbd), plain), true)
})

test('metadata-like changes of label order make no difference once sorted', () => {
  holds(
    fc.property(fc.uniqueArray(pair, { selector: ([key]) => key }), (pairs) => {
      const sorted = sortLabels(pairs)
      assert.deepEqual(sortLabels(pairs.toReversed()), sorted)
      const bytes = sorted.map(([key]) => Buffer.from(key))
      for (let i = 1; i < bytes.length; i++) {
        assert.ok(Buffer.compare(bytes[i - 1]!, bytes[i]!) < 0)
      }
    }),
  )
})

test('of a repeated label key the last value stays', () => {
  assert.deepEqual(
    sortLabels([
      ['b', '1'],
      ['a', '2'],
      ['b', '3'],
    ]),
    [
      ['a', '2'],
      ['b', '3'],
    ],
  )
})

test('the layout of a key is kind, name, flag, then length-prefixed texts', () => {
  const key = identityKey({ name: 'é', kind: 'gauge', labels: [['k', '']], qualifier: ['q', 'r'] })
  const expected =
    '67' + '02000000c3a9' + '01' + '0100000071' + '0100000072' + '010000006b' + '00000000'
  assert.equal(Buffer.from(key).toString('hex'), expected)
})

test('a series is described by its name and labels', () => {
  assert.equal(describeSeries({ name: 'x', kind: 'gauge', labels: [] }), 'x')
  const labels = sortLabels([
    ['b', '2'],
    ['a', '1'],
  ])
  assert.equal(describeSeries({ name: 'x', kind: 'gauge', labels }), 'x{a=1,b=2}')
})

const anyBytes = fc.uint8Array({ maxLength: 12 })
const anyText = fc.string({ unit: 'grapheme', maxLength: 6 })
const anyIdentity: fc.Arbitrary<Identity> = fc
  .record({
    kind: fc.constantFrom('counter', 'gauge', 'histogram', 'summary'),
    name: anyText,
    nameBytes: fc.option(anyBytes, { nil: undefined }),
    qualifier: fc.option(fc.tuple(anyText, anyText), { nil: undefined }),
    labels: fc.array(fc.tuple(anyText, anyText), { maxLength: 3 }).map(sortLabels),
  })
  .map(({ nameBytes, qualifier, ...rest }) => ({
    ...rest,
    ...(nameBytes === undefined ? {} : { nameBytes }),
    ...(qualifier === undefined ? {} : { qualifier }),
  })) as fc.Arbitrary<Identity>

test('a key gives back the series that it was made of', () => {
  holds(
    fc.property(anyIdentity, (identity) => {
      const back = identityOf(identityKey(identity))!
      assert.deepEqual(identityKey(back), identityKey(identity))
      if (identity.nameBytes === undefined) assert.deepEqual(facts(back), facts(identity))
    }),
  )
  const bom = { name: '\ufeffa', kind: 'gauge', labels: [] } as const
  assert.deepEqual(identityOf(identityKey(bom)), bom)
})

test('a name that is no UTF-8 comes back with its bytes', () => {
  const nameBytes = Uint8Array.of(0x61, 0xff)
  const key = identityKey({ name: 'a?', kind: 'counter', labels: [], nameBytes })
  assert.deepEqual(identityOf(key), { name: 'a\ufffd', kind: 'counter', labels: [], nameBytes })
})

test('bytes that are no key of a series are none, however they are cut', () => {
  const key = identityKey({ name: 'n', kind: 'gauge', labels: [['k', 'v']], qualifier: ['q', 'r'] })
  for (let length = 0; length < key.length; length++) {
    const cut = identityOf(key.subarray(0, length))
    // Where a pair ends a shorter key ends.
    if (cut !== undefined) assert.deepEqual(identityKey(cut), key.slice(0, length))
  }
  holds(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const identity = identityOf(bytes)
      if (identity !== undefined) assert.deepEqual(identityKey(identity), bytes)
    }),
  )
  assert.equal(identityOf(Uint8Array.of(0x78, 0, 0, 0, 0, 0)), undefined, 'no kind')
  assert.equal(identityOf(Uint8Array.of(0x67, 0, 0, 0, 0, 2)), undefined, 'no flag')
  assert.equal(identityOf(Uint8Array.of(0x67, 0xff, 0xff, 0xff, 0xff, 0)), undefined, 'too long')
})

function sameKey(a: Identity, b: Identity): boolean {
  return Buffer.compare(identityKey(a), identityKey(b)) === 0
}

function facts({ kind, name, qualifier, labels }: Identity): unknown {
  return [kind, name, qualifier ?? null, labels]
}
