/** The folder of compiled code: who can write there decides what runs. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { PROGRAM } from '../support/hub/hub-process.ts'

/** Where the folder is in an otherwise empty home, on systems that have XDG's. */
const IN_CACHES = 'pentameter/compiled'
const skip = process.platform === 'linux' ? false : 'another folder on this system'

/** Runs a short command with its caches there. @returns its exit code, and if it kept anything */
function run(caches: string, variables: NodeJS.ProcessEnv = {}): [number | null, boolean] {
  const { NODE_COMPILE_CACHE: _ours, ...environment } = process.env
  const env = { ...environment, XDG_CACHE_HOME: caches, ...variables }
  // of no bytes: a help would be printed without any command
  const { status } = spawnSync(process.execPath, [PROGRAM, 'decode', 'wallaroo'], { env })
  const folder = join(caches, IN_CACHES)
  return [status, existsSync(folder) && readdirSync(folder).length > 0]
}

/** Calls back with a folder that is removed afterwards. */
function withFolder(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-caches-'))
  try {
    use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('compiled code is kept in the caches of the user', { skip }, () => {
  withFolder((caches) => assert.deepEqual(run(caches), [0, true]))
})

test('no compiled code is kept, or taken, where others may write', { skip }, () => {
  for (const place of ['', 'pentameter', IN_CACHES]) {
    withFolder((caches) => {
      mkdirSync(join(caches, IN_CACHES), { recursive: true })
      chmodSync(join(caches, place), 0o777)
      assert.deepEqual(run(caches), [0, false], place)
    })
  }
})

test('a command runs where nothing can be kept, or nothing is to be', { skip }, () => {
  assert.deepEqual(run('/proc/pentameter'), [0, false])
  withFolder((caches) => {
    assert.deepEqual(run(caches, { NODE_DISABLE_COMPILE_CACHE: '1' }), [0, false])
  })
})
