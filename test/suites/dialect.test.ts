/** Runs the shared suite over every dialect of the registry. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DIALECTS, findDialect } from '../../src/dialects/registry.ts'
import { type DialectSamples, dialectSuite } from './dialect.ts'

const folder = fileURLToPath(new URL('../../src/dialects', import.meta.url))
const folders = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

test('every folder of src/dialects is registered under its own name', () => {
  assert.deepEqual(DIALECTS.map(({ name }) => name).sort(), folders.sort())
  for (const name of folders) assert.equal(findDialect(name)?.name, name)
})

test('of the dialects on one port and transport, no two claim the same first bytes', async () => {
  const byName = await Promise.all(
    DIALECTS.map(async (dialect) => ({ dialect, samples: await samplesOf(dialect.name) })),
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

for (const dialect of DIALECTS) dialectSuite(dialect, await samplesOf(dialect.name))

async function samplesOf(name: string): Promise<DialectSamples> {
  const path = `../../src/dialects/${name}/test/samples.ts`
  const module = (await import(path)) as { samples: DialectSamples }
  return module.samples
}
