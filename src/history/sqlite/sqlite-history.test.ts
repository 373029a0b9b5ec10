import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite } from 'node:test'
import { historySuite } from '../../../test/suites/history.ts'
import { START_S } from '../../../test/support/history.ts'
import { SqliteHistory } from './sqlite-history.ts'

/** Place of the tests' files: in memory where there is such a place, as each second is synced. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

suite('the embedded history', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(ROOT, 'pentameter-history-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  historySuite(async () => {
    return new SqliteHistory({
      folder,
      nowMs: () => (START_S + 7200) * 1000,
      bytesLimit: 2 ** 30,
      secondsKeptS: 7 * 86_400,
      minutesKeptS: 90 * 86_400,
      hoursKeptS: 5 * 365 * 86_400,
      seriesLimit: 1_000_000,
    })
  })
})
