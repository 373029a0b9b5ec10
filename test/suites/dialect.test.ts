/** Runs the shared suite over every dialect of the registry. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIALECTS } from '../support/dialects.ts'
import { dialectSuite } from './dialect.ts'
import { dialectFolders, REGISTERED, samplesOf } from './tested.ts'

test('every folder of src/dialects is registered under its own name', () => {
  const folders = dialectFolders()
  assert.deepEqual(DIALECTS.map(({ name }) => name).sort(), [...folders].sort())
})

test('of the dialects on one port and transport, no two claim the same first bytes', async () => {
  const byName = await Promise.all(
    REGISTERED.map(async (each) => ({ dialect: each.dialect, samples: await samplesOf(each) })),
  )
  for (const { dialect, samples } of byName) {
    if (dialect.port === undefined) continue
    const rivals = DIALECTS.filter((other) => other !== dialect && other.port === dialect.port)
    for (const { name, bytes } of [...samples.streams, ...samples.datagrams]) {
      if (dialect.claims(bytes) !== true) continue
      const claimants = rivals.filter((other) => other.claims(bytes) === true)
      assert.deepEqual(claimants, [], name)
    }
  }
})

for (const each of REGISTERED) dialectSuite(each.dialect, await samplesOf(each))
