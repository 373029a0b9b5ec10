/**
 * The made-up dialect of test/guest in a copy of the tree: its folder beside the others, one line
 * in src/dialects/index.ts, and nothing else. Then the project's rules hold, all type-checks, the
 * page is built with its view, and the program speaks it.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const GUEST = join(ROOT, 'test/guest')
const NAME = 'semaphore'
/** What is copied: what the checks below read. */
const PARTS = ['src', 'test', 'docs', 'examples', 'tools', 'bench', 'bin'] as const

const copy = mkdtempSync(join(tmpdir(), 'pentameter-guest-'))
after(() => rmSync(copy, { recursive: true, force: true }))
makeCopy()

function makeCopy(): void {
  for (const part of PARTS) cpSync(join(ROOT, part), join(copy, part), { recursive: true })
  for (const { name } of readdirSync(ROOT, { withFileTypes: true }).filter((it) => it.isFile())) {
    cpSync(join(ROOT, name), join(copy, name))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const target = join(copy, 'src/dialects', NAME)
  cpSync(GUEST, target, { recursive: true })
  for (const file of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    if (/\.tsx?$/.test(file)) moveImports(join(target, file), join(GUEST, file))
  }
  rmSync(join(copy, 'test/guest'), { recursive: true })
  for (const file of ['guest.test.ts', 'e2e/guest-in-tree.test.ts'])
    rmSync(join(copy, 'test', file))
  const index = join(copy, 'src/dialects/index.ts')
  const line = `export { ${NAME} } from './${NAME}/guest.ts'\n`
  writeFileSync(index, readFileSync(index, 'utf8').replace(/^(?=export \{ statshero)/m, line))
}

/** Imports that left the folder lead to the same files from its new place. */
function moveImports(path: string, before: string): void {
  const text = readFileSync(path, 'utf8').replace(/'(\.\.?\/[^']+)'/g, (whole, specifier) => {
    const target = resolve(dirname(before), specifier)
    if (target.startsWith(`${GUEST}/`)) return whole
    const moved = relative(dirname(path), join(copy, relative(ROOT, target)))
    return `'${moved.startsWith('.') ? moved : `./${moved}`}'`
  })
  writeFileSync(path, text)
}

function run(command: string, ...args: readonly string[]): string {
  const path = [join(copy, 'node_modules/.bin'), process.env.PATH].join(':')
  const env = { ...process.env, PATH: path }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: copy, env, encoding: 'utf8' })
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
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

test('everything type-checks, the page too', () => {
  for (const project of ['tsconfig.json', 'tsconfig.pure.json', 'src/web/tsconfig.json']) {
    run('tsc', '-p', project)
  }
})

test('the rules of the tree hold, that on dialects’ names among them', () => {
  const { status, stdout } = spawnSync(process.execPath, ['--test', 'test/tidy.test.ts'], {
    cwd: copy,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout)
})

test('the page is built with its view, found by the bundler', () => {
  run('vite', 'build', '--config', 'src/web/vite.config.ts', '--logLevel', 'warn')
  const assets = join(copy, 'dist/web/assets')
  const text = readdirSync(assets).map((file) => readFileSync(join(assets, file), 'utf8'))
  assert.ok(text.some((each) => each.includes('signal box') || each.includes('Lamps')))
  assert.ok(text.some((each) => each.includes('semaphore-lamp')))
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
