/**
 * Every golden vector of the project holds; listing a file is the test list. And the runner that
 * reviewers use can fail: it names a false case, and counts what it cannot run.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DIALECTS_FOLDER, REGISTERED, runnersByName } from './suites/tested.ts'
import { DIALECTS } from './support/dialects.ts'
import { compact, near, same } from './vectors/expect.ts'
import { runVectorFile } from './vectors/run.ts'
import { readVectorFiles } from './vectors/vector-file.ts'

const OWN = fileURLToPath(DIALECTS_FOLDER)
const NAMES = REGISTERED.map(({ dialect }) => dialect.name)
const RUNNERS = await runnersByName(REGISTERED)
const PROGRAM = fileURLToPath(new URL('vectors.ts', import.meta.url))

for (const file of readVectorFiles(OWN, NAMES)) {
  suite(`vectors of ${file.dialect}`, async () => {
    for (const result of await runVectorFile(file, RUNNERS.get(file.dialect)!)) {
      const { category, passed, failures, skipped } = result
      const reason = skipped > 0 ? { skip: 'no runner for this category yet' } : {}
      test(`all ${passed + failures.length + skipped} of ${category} hold`, reason, () => {
        const list = failures.map(({ name, message }) => `${name}: ${message}`)
        assert.deepEqual(list, [])
      })
    }
  })
}

test('every registered dialect has runners and a vector file', () => {
  const files = readVectorFiles(OWN, NAMES).map(({ dialect }) => dialect)
  for (const { name } of DIALECTS) {
    assert.ok(files.includes(name), `vectors of ${name}`)
    assert.ok(Object.keys(RUNNERS.get(name)!).length > 0, `runners of ${name}`)
  }
})

suite('npm run test:vectors', () => {
  test('without a folder it runs the project’s own and ends with the three numbers', () => {
    const { status, lines } = run()
    assert.equal(status, 0)
    assert.match(lines.at(-1)!, /^\d+ passed, 0 failed, \d+ skipped$/)
  })

  test('a false case is named with what was expected and what came, and fails the run', () => {
    inTemporaryFolder((folder) => {
      const source = join(OWN, 'statshero/vectors/statshero.json')
      const { decode, family } = JSON.parse(readFileSync(source, 'utf8'))
      const [first] = decode
      const wrong = { ...first, id: 'planted', expect: { packetError: 'bad_gzip' } }
      const content = { decode: [first, wrong], family: family.slice(0, 3) }
      mkdirSync(join(folder, 'deeper'))
      writeFileSync(join(folder, 'deeper/statshero-hidden.json'), JSON.stringify(content))
      const { status, lines } = run(folder)
      assert.equal(status, 1)
      assert.match(lines.join('\n'), /decode +1 of 2 hold/)
      assert.match(lines.join('\n'), /FAILED planted: decoded: expected .*bad_gzip.*, actual /)
      assert.match(lines.join('\n'), /family +3 skipped: no runner yet/)
      assert.equal(lines.at(-1), '1 passed, 1 failed, 3 skipped')
    })
  })

  test('cases of a category without a runner are skipped, by the category they name', () => {
    inTemporaryFolder((folder) => {
      const cases = [
        { id: 'a', category: 'unheard' },
        { id: 'b', category: 'unheard' },
      ]
      writeFileSync(join(folder, 'wallaroo.json'), JSON.stringify({ dialect: 'wallaroo', cases }))
      cpSync(join(OWN, 'scope/vectors/scope.json'), join(folder, 'unrelated.json'))
      const { status, lines } = run(folder)
      assert.equal(status, 0)
      assert.match(lines.join('\n'), /unheard +2 skipped/)
      assert.equal(lines.at(-1), '0 passed, 0 failed, 2 skipped')
    })
  })

  test('a missing folder, an empty one and a file that is no JSON are errors of usage', () => {
    inTemporaryFolder((folder) => {
      assert.equal(run(join(folder, 'missing')).status, 2)
      assert.equal(run(folder).status, 2)
      assert.equal(run(folder, folder).status, 2)
      assert.equal(run('--nonsense').status, 2)
      writeFileSync(join(folder, 'scope.json'), 'no JSON')
      assert.equal(run(folder).status, 2)
    })
  })
})

suite('comparing', () => {
  test('minus zero is not zero, NaN is NaN, and a bigint is no number', () => {
    assert.throws(() => same('x', -0, 0), /expected 0, actual "-0"/)
    assert.throws(() => same('x', 5n, 5), /expected 5, actual "5n"/)
    same('x', [Number.NaN], [Number.NaN])
  })

  test('a tolerance is absolute below 1 and relative above, and structures must match', () => {
    near('x', { a: 1e-10 }, { a: 0 }, 1e-9)
    near('x', [1e12 + 100], [1e12], 1e-9)
    assert.throws(() => near('x', { a: 1e-8 }, { a: 0 }, 1e-9), /x\.a/)
    assert.throws(() => near('x', {}, { a: 0 }, 1e-9), /x\.a/)
    assert.throws(() => near('x', Number.NaN, 0, 1e-9))
  })

  test('long values are cut in messages', () => {
    assert.ok(compact('x'.repeat(1000)).length < 350)
  })
})

function run(...args: readonly string[]): { status: number | null; lines: string[] } {
  const { status, stdout } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8' })
  return { status, lines: stdout.trimEnd().split('\n') }
}

function inTemporaryFolder(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-vectors-'))
  try {
    use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
