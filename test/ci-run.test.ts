/** The part of .ci/run before the steps: which programs it misses, and that it goes on without. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('../.ci/run', import.meta.url))
/** So does the false npm end, which is what the script runs next. */
const REACHED_NPM = 42

/** Runs the script as nobody special, where only these programs exist. */
function runWith(programs: readonly string[]): { status: number | null; stdout: string } {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-ci-'))
  const place = (name: string, line: string): void =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  place('id', 'echo 1000')
  place('dirname', 'echo /')
  place('npm', `exit ${REACHED_NPM}`)
  for (const program of programs) place(program, 'exit 0')
  const options = { env: { PATH: folder }, encoding: 'utf8' } as const
  const { status, stdout } = spawnSync('/bin/bash', [SCRIPT], options)
  rmSync(folder, { recursive: true })
  return { status, stdout }
}

test('every single program that is missing is named, and the run goes on', () => {
  for (const [programs, missing] of [
    [[], 'chromium promtool curl prometheus-node-exporter victoria-metrics'],
    [['curl', 'prometheus-node-exporter'], 'chromium promtool victoria-metrics'],
    [['chromium', 'curl', 'apt-get'], 'promtool prometheus-node-exporter victoria-metrics'],
  ] as const) {
    const { status, stdout } = runWith(programs)
    assert.match(stdout, RegExp(`^NOTE: missing, .*: ${missing}\\.$`, 'm'))
    assert.equal(status, REACHED_NPM)
  }
})

test('nothing is said, and nothing installed, where all programs exist', () => {
  const all = ['chromium', 'promtool', 'curl', 'prometheus-node-exporter', 'victoria-metrics']
  const { status, stdout } = runWith(all)
  assert.deepEqual([stdout, status], ['', REACHED_NPM])
})
