/** A hub that is killed while its receiver is away: the next start sends what it had written. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { TestReceiver } from '../../src/dialects/remotewrite/test/receiver.ts'
import { freePort } from '../support/outputs/prometheus.ts'

const PATIENCE_MS = 30_000
const WRITER = new URL('../support/hub/remote-writer.ts', import.meta.url).pathname
const KEY = 'n_total{hub="a",shp_type="m"}'

test('what a hub had written when it was killed is sent by the next one, once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-kill-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const waiting = await runUntil(folder, port, (facts) => facts.waiting >= 60)
  assert.equal(waiting.sent, 0)
  const receiver = await TestReceiver.start(port)
  t.after(() => receiver.close())
  await runUntil(folder, port, (facts) => facts.waiting === 0 && facts.sent > waiting.waiting)
  const values = receiver.series.get(KEY)!.map(({ value }) => value)
  // the totals of the first hub, each once, then those of the second
  const again = values.indexOf(0, 1)
  const first = again < 0 ? values : values.slice(0, again)
  assert.ok(first.length >= 2, values.join())
  assert.deepEqual(
    first,
    first.toSorted((a, b) => a - b),
  )
  assert.equal(new Set(first).size, first.length)
  assert.deepEqual(receiver.faults, [])
})

interface Facts {
  readonly waiting: number
  readonly sent: number
}

/** Runs a hub that writes, kills it once its facts are as wished, and gives the last ones. */
async function runUntil(
  folder: string,
  port: number,
  isEnough: (facts: Facts) => boolean,
): Promise<Facts> {
  const child = spawn(process.execPath, [WRITER, folder, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let last: Facts = { waiting: 0, sent: 0 }
  child.stdout.on('data', (lines: Buffer) => {
    for (const line of lines.toString().trim().split('\n')) last = JSON.parse(line) as Facts
  })
  try {
    for (const endMs = Date.now() + PATIENCE_MS; !isEnough(last); await setTimeout(20)) {
      assert.ok(Date.now() < endMs && child.exitCode === null, JSON.stringify(last))
    }
    return last
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}
