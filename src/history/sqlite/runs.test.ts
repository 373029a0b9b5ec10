import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../test/support/property.ts'
import { Runs } from './runs.ts'

const spans = fc.array(
  fc.tuple(fc.nat(300), fc.integer({ min: 1, max: 9 })).map(([startS, length]) => {
    return { startS, endS: startS + length }
  }),
  { maxLength: 60 },
)

/** Seconds in which a hub ran, as a text, and how many spans they are written as. */
function seen(runs: Runs, db: DatabaseSync): string {
  const covered = new Uint8Array(320)
  runs.cover(0, 1, covered)
  db.exec('DELETE FROM run')
  runs.save(db)
  return `${covered.join('')} ${db.prepare('SELECT count(*) AS n FROM run').get()?.n}`
}

test('spans are the same whether they are added one by one, all at once, or in batches', () => {
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE run(startS INTEGER PRIMARY KEY, endS INTEGER NOT NULL)')
  holds(
    fc.property(spans, fc.nat(60), (all, part) => {
      db.exec('DELETE FROM run')
      const [single, batches] = [new Runs(db), new Runs(db)]
      for (const { startS, endS } of all) single.add(startS, endS)
      batches.addAll(all.slice(0, part))
      batches.addAll(all.slice(part))
      assert.equal(seen(batches, db), seen(single, db))
    }),
  )
  db.close()
})
