/** A file that a full disk cuts: the document in it is whole. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const MODULE = new URL('destination.ts', import.meta.url).href
/** Appends rows until one can't be written, in a file of 8 KiB at the most. */
const PROGRAM = `
import { openFile } from ${JSON.stringify(MODULE)}
const file = openFile(process.argv[1], ']')
file.append('[0')
try {
  for (let i = 1; i < 1000; i++) file.append(',' + '1'.repeat(100))
} catch (error) {
  console.log(error.code)
}
file.close()
`

test('a document that has no room for another row is whole without it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-collect-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'rows.json')
  const node = ['--input-type=module', '-e', PROGRAM, path]
  const limited = 'trap "" XFSZ; ulimit -f 8; exec "$0" "$@"'
  const run = spawnSync('bash', ['-c', limited, process.execPath, ...node], { encoding: 'utf8' })
  assert.equal(run.status, 0, run.stderr)
  assert.equal(run.stdout, 'EFBIG\n')
  const rows = JSON.parse(readFileSync(path, 'utf8')) as unknown[]
  assert.ok(rows.length > 50, `${rows.length} rows`)
})
