/** Processes that are killed while they write a history: what they called durable is there. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { SqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { identityKey } from '../../src/model/index.ts'
import { START_S } from '../support/history.ts'
import { load } from '../support/property.ts'

const WRITER = fileURLToPath(new URL('../support/history-writer.ts', import.meta.url))

/** Kills a writer when it has called so many seconds durable. @returns the last one told */
async function killAfter(folder: string, fromS: number, seconds: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, folder, String(fromS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let last = fromS
  for await (const line of createInterface(child.stdout)) {
    last = Number(line)
    if (last === fromS + seconds) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return last
}

test('a kill at any time loses no second that was durable, and doubles none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-kill-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  let last = START_S
  for (let kill = 0; kill < load(100); kill++) {
    // around a seal, which comes every three hundred seconds, and far from it
    const told = await killAfter(folder, last, 37 + ((kill * 89) % 331))
    const store = new SqliteHistory({
      folder,
      nowMs: () => told * 1000,
      bytesLimit: 2 ** 30,
      secondsKeptS: 2 ** 31,
      minutesKeptS: 2 ** 31,
      hoursKeptS: 2 ** 31,
      seriesLimit: 1_000_000,
    })
    const { durableS = told } = await store.health()
    const groups = ['hits.0', 'hits.199'].map((name) => {
      return [identityKey({ name, kind: 'counter', labels: [] })]
    })
    const toS = Math.max(told, durableS)
    const { columns } = await store.read({ groups, fromS: last, toS, stepS: 1 })
    for (const { cells } of columns) {
      for (let i = 0; i < told - last; i++) {
        assert.deepEqual(cells[i], { kind: 'counter', delta: 1 }, `kill ${kill}, second ${i}`)
      }
    }
    last = toS
    await store.close()
  }
})
