/**
 * npm run test:vectors -- [DIR]
 *
 * Runs every vector file found in DIR (default: those in src/dialects) and prints, by dialect and
 * category, how many cases hold; names every failing case with what was expected and what came. The
 * last line is `N passed, M failed, K skipped`; skipped are the cases of categories without a
 * runner. Exit code: 0, 1 when a case fails, 2 for wrong usage or when no vector file is found.
 */
import { statSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { DIALECTS_FOLDER, REGISTERED, runnersByName } from './suites/tested.ts'
import { type CategoryResult, runVectorFile } from './vectors/run.ts'
import { readVectorFiles, type VectorFile } from './vectors/vector-file.ts'

const OWN = fileURLToPath(DIALECTS_FOLDER)
const NAMES = REGISTERED.map(({ dialect }) => dialect.name)

function folderOf(positionals: readonly string[]): string {
  if (positionals.length > 1) throw new RangeError('usage: npm run test:vectors -- [DIR]')
  const folder = positionals[0] ?? OWN
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new RangeError(`${folder} is no folder; usage: npm run test:vectors -- [DIR]`)
  }
  return folder
}

function print(file: VectorFile, results: readonly CategoryResult[]): void {
  console.log(`${file.dialect}: ${relative('', file.path) || file.path}`)
  for (const { category, passed, failures, skipped, remarks } of results) {
    const count = passed + failures.length
    const verdict = skipped > 0 ? `${skipped} skipped: no runner yet` : `${passed} of ${count} hold`
    console.log(`  ${category.padEnd(20)} ${verdict}`)
    for (const [remark, cases] of remarks) console.log(`    (${cases} of them: ${remark})`)
    for (const { name, message } of failures) console.log(`    FAILED ${name}: ${message}`)
  }
}

try {
  const { positionals } = parseArgs({ allowPositionals: true })
  const folder = folderOf(positionals)
  const files = readVectorFiles(folder, NAMES)
  if (files.length === 0) {
    throw new RangeError(`no vector file (${NAMES.join('.json, ')}.json) below ${folder}`)
  }
  const runners = await runnersByName(REGISTERED)
  let passed = 0
  let failed = 0
  let skipped = 0
  for (const file of files) {
    const results = await runVectorFile(file, runners.get(file.dialect)!)
    print(file, results)
    for (const result of results) {
      passed += result.passed
      failed += result.failures.length
      skipped += result.skipped
    }
  }
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  process.exitCode = failed === 0 ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
}
