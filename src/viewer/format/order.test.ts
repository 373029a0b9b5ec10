import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareKeys, orderKey } from './order.ts'

function sorted(...names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => compareKeys(orderKey(a), orderKey(b)))
}

test('numbers in names go by their size', () => {
  const names = ['host-2', 'host-10', 'host-10.cpu', 'host-0100', 'host-a']
  assert.deepEqual(sorted(...names.toReversed()), names)
  assert.equal(orderKey('host-007'), orderKey('host-7'))
  const large = [`a${'1'.repeat(60)}`, `a${'2'.repeat(60)}`, `a${'1'.repeat(61)}`]
  assert.deepEqual(sorted(...large.toReversed()), [large[0], large[2], large[1]])
})

test('case and accents make no difference', () => {
  const names = ['api', 'Äther', 'auth', 'Checkout', 'éclair', 'Kestrel', 'zeta', 'Ωmega']
  assert.deepEqual(sorted(...names.toReversed()), names)
  assert.equal(orderKey('ÉCLAIR'), orderKey('eclair'))
})

test('a name with labels stands before longer names', () => {
  const names = ['depth', 'depth{queue=a}', 'depth{queue=b}', 'depth.max', 'depth_max', 'depths']
  assert.deepEqual(sorted(...names.toReversed()), names)
})
