import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startHub } from '../../../test/support/hub/hub.ts'
import { COUNT_MEANINGS } from './own-meanings.ts'

/** Names that a source counts; those of one or two letters are types of lines. */
const COUNTED = /\b#?(?:count|tell)\(\s*(?:\w+ \? '(\w{3,})' : )?'(\w{3,})',/g

/** Finds the names that dialects count, as their sources have them. */
function countedNames(): Set<string> {
  const root = new URL('../../dialects/', import.meta.url)
  const names = new Set<string>()
  for (const path of globSync('**/*.ts', { cwd: root })) {
    if (path.includes('test') || path.includes('remotewrite/client/emitted-series')) continue
    const source = readFileSync(new URL(path, root), 'utf8')
    for (const [, one, other] of source.matchAll(COUNTED)) {
      for (const name of [one, other]) if (name !== undefined) names.add(name)
    }
  }
  return names
}

test('all that dialects count has a meaning, and nothing else has one', () => {
  const known = Object.keys(COUNT_MEANINGS).sort()
  assert.deepEqual([...countedNames()].sort(), known)
})

test('what a dialect counts is described', async () => {
  const { hub } = await startHub()
  hub.reports.for('scope').count('ticks_missed', 'late')
  const metric = 'pentameter.scope.ticks_missed'
  const record = [...hub.series].find(({ identity }) => identity.name === metric)
  assert.equal(record?.metadata.description, COUNT_MEANINGS.ticks_missed)
  await hub.stop()
})
