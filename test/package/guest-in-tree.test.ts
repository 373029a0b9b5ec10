/**
 * The made-up dialect of test/guest in a copy of the tree, registered by one line. Then the
 * project's rules hold, all type-checks, the page is built with its view, and the program speaks
 * it; test/browser/guest.test.ts looks at the page.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { makeGuestTree, setPort } from '../support/guest-tree.ts'
import { FREE_PORTS } from '../support/ports.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const NAME = 'semaphore'

const copy = makeGuestTree()
after(() => rmSync(copy, { recursive: true, force: true }))

function run(command: string, ...args: readonly string[]): string {
  const path = [join(copy, 'node_modules/.bin'), process.env.PATH].join(':')
  const env = { ...process.env, PATH: path }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, env, encoding: 'utf8' })
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

/** Runs test files of the copy; they do not know that a test runs them, which they would skip. */
function runTests(...filesAndFlags: readonly string[]): void {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const args = ['--test', '--test-reporter', 'tap', '--test-timeout', '120000', ...filesAndFlags]
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: copy, env, encoding: 'utf8' })
  assert.equal(status, 0, stdout)
  assert.match(stdout, /^# pass [1-9]/m)
}

test('one line of one file is all that differs outside of the folder', () => {
  const path = 'src/dialects/index.ts'
  const [before, now] = [ROOT, copy].map((root) =>
    readFileSync(join(root, path), 'utf8').split('\n'),
  )
  const added = now!.filter((line) => !before!.includes(line))
  assert.deepEqual(added, [`export { ${NAME} } from './${NAME}/guest.ts'`])
  assert.equal(now!.length, before!.length + 1)
})

test('it takes its place among the others by the port that it shares', () => {
  const script =
    "const { GUESTS } = await import('./src/dialects/registry.ts')\n" +
    "console.log(GUESTS.map(({ dialect }) => dialect.name).join(' '))"
  const names = run(process.execPath, '--input-type=module', '--eval', script)
  assert.match(names, /^semaphore statshero /)
})

test('everything type-checks, the page too', () => {
  for (const project of ['tsconfig.json', 'tsconfig.pure.json', 'src/web/tsconfig.json']) {
    run('tsc', '-p', project)
  }
})

test('npm run docs writes its reference, where everything has an example, and its rows', () => {
  run(process.execPath, 'tools/docs.ts')
  const page = readFileSync(join(copy, 'docs/api', `${NAME}.md`), 'utf8')
  for (const name of ['decodeSemaphore', 'SemaphoreClient', 'SemaphoreServer']) {
    assert.match(page, new RegExp(`import \\{ ${name} \\} from 'pentameter/${NAME}'`))
  }
  assert.match(readFileSync(join(copy, 'README.md'), 'utf8'), /^\| \[semaphore\]/m)
  runTests('test/package/api.test.ts')
})

test('the rules of the tree hold, that on dialects’ names among them', () => {
  runTests('test/tidy.test.ts')
})

test('the page is built with its view, found by the bundler', () => {
  run('vite', 'build', '--config', 'src/web/vite.config.ts', '--logLevel', 'warn')
  const assets = join(copy, 'dist/web/assets')
  const text = readdirSync(assets).map((file) => readFileSync(join(assets, file), 'utf8'))
  assert.ok(text.some((each) => each.includes('signal box') || each.includes('Lamps')))
  assert.ok(text.some((each) => each.includes('semaphore-lamp')))
})

test('an address of its page can be opened and reloaded, and no other one', () => {
  const script = `
    const { startHub } = await import('./src/start-hub.ts')
    const hub = await startHub({ config: ${JSON.stringify(FREE_PORTS)} })
    const { host, port } = hub.addresses.http
    const guests = ['/semaphore', '/semaphore/a?least=12', '/wallaroo', '/scope']
    const paths = [...guests, '/signal', '/statshero']
    const answers = paths.map((path) => fetch('http://' + host + ':' + port + path))
    console.log((await Promise.all(answers)).map(({ status }) => status).join(' '))
    await hub.close()`
  const statuses = run(process.execPath, '--input-type=module', '--eval', script)
  assert.equal(statuses, '200 200 200 200 404 404\n')
})

test('the program speaks it: decode, encode, help and vectors', () => {
  const program = join(copy, 'bin/pentameter.js')
  const hex = Buffer.from('!c a 1\n').toString('hex')
  const script = `echo ${hex} | "${process.execPath}" ${program} decode ${NAME} --lines`
  assert.match(run('bash', '-c', script), /"name":"a","value":1/)
  assert.match(run(process.execPath, program, 'serve', '--help'), /--semaphore-max-line <bytes>/)
  assert.match(run(process.execPath, program, 'demo', '--help'), /signal box/)
  assert.match(run(process.execPath, 'test/vectors.ts'), /semaphore/)
  assert.match(run(process.execPath, 'test/fuzz/main.ts', NAME, '--seconds', '1'), /semaphore/)
})

test('with a port of its own, tests of the house about ports hold as before', () => {
  setPort(copy, { name: 'signal', number: 4710 })
  const about = ['--test-name-pattern', 'port|listen|SIGTERM|by one call']
  runTests(...about, 'src/cli/main.test.ts', 'src/start-hub.test.ts', 'src/hub/hub.test.ts')
})
