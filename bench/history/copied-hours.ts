/**
 * More hours in the folder of a history: bundles do not say of which window they are, so that an
 * hour's are those of another one under its number.
 */

import { rowId } from '../../src/history/sqlite/bundles/levels.ts'
import { databasePath, openDatabase, setState } from '../../src/history/sqlite/database.ts'

/**
 * Copies the bundles of an hour to those that follow, and says that a hub ran in all of them.
 * @param count hours that are there in the end
 */
export function copyHours(folder: string, hour: number, count: number): void {
  const { db } = openDatabase(folder)
  try {
    const [first, end] = [rowId(hour, 0), rowId(hour + 1, 0)]
    for (const table of ['second', 'minute1']) {
      // what came behind the hour gives way to its copies
      db.prepare(`DELETE FROM ${table} WHERE id >= ?`).run(end)
      const copy = db.prepare(
        `INSERT INTO ${table} SELECT id + ?, b FROM ${table} WHERE id >= ? AND id < ?`,
      )
      for (let i = 1; i < count; i++) copy.run(rowId(i, 0), first, end)
    }
    db.exec('DELETE FROM second5')
    db.prepare('DELETE FROM run').run()
    db.prepare('INSERT INTO run VALUES (?, ?)').run(hour * 3600, (hour + count) * 3600)
    setState(db, 'clean', 1)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    throw new Error(`${databasePath(folder)} could not be made larger`, { cause: error })
  } finally {
    db.close()
  }
}
