import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../test/support/property.ts'
import { KINDS } from './cell.ts'
import { keyForm } from './named-keys.ts'
import { identityKey, identityOf } from './series.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 6 })
const key = fc
  .record({
    name: text,
    kind: fc.constantFrom(...KINDS),
    labels: fc.array(fc.tuple(text, text), { maxLength: 3 }),
    qualifier: fc.option(fc.tuple(text, text), { nil: undefined }),
  })
  .map(({ qualifier, ...rest }) => {
    return identityKey(qualifier === undefined ? rest : { ...rest, qualifier })
  })

/** A key of which some byte is another one, or that is cut. */
const broken = fc
  .tuple(key, fc.nat(60), fc.nat(255), fc.boolean())
  .map(([bytes, at, byte, isCut]) => {
    if (isCut) return bytes.slice(0, at)
    return bytes.map((each, i) => (i === at % bytes.length ? byte : each))
  })

/** Form as the identity has it that is read from a key. */
function formOf(bytes: Uint8Array): unknown {
  const identity = identityOf(bytes)
  if (identity === undefined) return undefined
  const { name, nameBytes, kind, labels } = identity
  const nameLength = nameBytes?.length ?? Buffer.byteLength(name)
  const lengths = labels.flat().map((each) => Buffer.byteLength(each))
  return { kind, nameLength, labelLength: Math.max(0, ...lengths) }
}

test('the form of a key is that of the identity it names, and none where it names none', () => {
  holds(
    fc.property(fc.oneof(key, broken), (bytes) => {
      assert.deepEqual(keyForm(bytes), formOf(bytes))
    }),
    3000,
  )
})
