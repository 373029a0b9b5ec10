/** What a hub that ended left in head logs, read when its folder is opened again. */
import type { Tables } from './bundles/maintenance.ts'
import { inTransaction, readState } from './database.ts'
import { deleteHead, headNumbers, replayHead } from './head/head-log.ts'
import type { SecondRecord } from './head/record.ts'
import type { NoteDamage } from './row-facts.ts'

interface RecoveryEvents {
  /** Called with each record, whose series are in the table then. */
  take(record: SecondRecord): void
  readonly damaged: NoteDamage
  /** Told in words what was mended. */
  note(text: string): void
}

/**
 * Reads the head logs whose seconds are in no bundle, and deletes the others.
 * @returns number of the last log; one less than that of the first where there is none
 */
export function replayHeads(
  folder: string,
  tables: Pick<Tables, 'db' | 'slots'>,
  events: RecoveryEvents,
): number {
  const first = readState(tables.db, 'head')
  const numbers = headNumbers(folder)
  const missing = (numbers[0] ?? first) - first
  if (missing > 0) {
    // a log goes once its seconds are in the database: this one was written before that
    events.damaged({ code: 'sealed' })
    events.note(`${missing} head logs were sealed, and their seconds are not in the database`)
  }
  let last = first - 1
  for (const number of numbers) {
    last = Math.max(last, number)
    if (number < first) deleteHead(folder, number)
    else replay(folder, number, tables, events)
  }
  return last
}

function replay(
  folder: string,
  number: number,
  { db, slots }: Pick<Tables, 'db' | 'slots'>,
  { take, damaged, note }: RecoveryEvents,
): void {
  const { torn, kept } = replayHead(folder, number, true, (record) => {
    inTransaction(db, () => {
      for (const definition of record.defined) slots.write(definition)
    })
    take(record)
  })
  if (torn === 0) return
  if (kept !== undefined) damaged({ code: 'head_log' })
  const what = kept === undefined ? 'of a torn record cut off' : `can't be read: kept in ${kept}`
  note(`head log ${number}: ${torn} bytes ${what}`)
}
