import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupText } from './group-bars.ts'

test('groups are named as the original names them', () => {
  const plain = (bound: bigint): string => groupText(String(bound)).replaceAll('\u00a0', ' ')
  assert.equal(plain(1n), '≤ 1 ns')
  assert.equal(plain(1n << 10n), '≤ 1 μs')
  assert.equal(plain(1n << 19n), '≤ 0.5 ms')
  assert.equal(plain(1n << 26n), '≤ 66 ms')
  assert.equal(plain(1n << 27n), '≤ 134 ms')
  assert.equal(plain(1n << 30n), '≤ 1 s')
  assert.equal(plain(1n << 64n), '> 1 s')
})
