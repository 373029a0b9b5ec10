/**
 * npm run test:long
 *
 * Runs the tests whose properties and loads `npm test` shortens, in full: three times the inputs,
 * and loads of their whole size (test/support/property.ts).
 */
import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Runs the tests of other files, over other memory. */
const WASM = 'src/shm/wasm.test.ts'
const FILE_TIMEOUT_MS = 300_000

function isShortened(path: string): boolean {
  return path === WASM || readFileSync(`${ROOT}/${path}`, 'utf8').includes('/support/property.ts')
}

const files = globSync('{src,test}/**/*.test.ts', { cwd: ROOT }).filter(isShortened).sort()
const options = [
  ...['--test', '--test-concurrency=2', `--test-timeout=${FILE_TIMEOUT_MS}`],
  ...['--import', './test/compile-cache.ts'],
]
const child = spawn(process.execPath, [...options, ...files], {
  cwd: ROOT,
  env: { ...process.env, TEST_LONG: '1' },
  stdio: 'inherit',
})
child.once('close', (code) => {
  process.exitCode = code ?? 1
})
