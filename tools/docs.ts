/**
 * node tools/docs.ts [--check]
 *
 * Writes what documents say in the program's own words: docs/api, README's table of dialects, the
 * table of docs/configuration.md, docs/coverage.md; and the names that each entry exports, so that
 * a change is seen (test/package/exports.json). With --check it writes nothing, names what is not
 * current, and ends with 1 if there is any.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { coveragePage, readCoverage } from '../test/docs/coverage.ts'
import { DIALECTS } from '../test/support/dialects.ts'
import { apiPages, readApi, readOptions } from './api-docs.ts'
import { dialectTable, optionTable, withTable } from './tables.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

function read(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8')
  } catch {
    return undefined
  }
}

/** All that is written, by path; undefined for a file that is to go. */
async function documents(): Promise<Map<string, string | undefined>> {
  const all = new Map<string, string | undefined>(
    globSync('docs/api/*.md', { cwd: ROOT }).map((path) => [path, undefined]),
  )
  const api = readApi()
  for (const [path, text] of apiPages(api, await readOptions(api))) all.set(path, text)
  const names = api.map(({ specifier, exports }) => [specifier, exports.map(({ name }) => name)])
  const json = JSON.stringify(Object.fromEntries(names), undefined, 2)
  all.set('test/package/exports.json', `${json}\n`)
  all.set('README.md', withTable(read('README.md')!, dialectTable(DIALECTS)))
  const configuration = 'docs/configuration.md'
  all.set(configuration, withTable(read(configuration)!, optionTable(DIALECTS)))
  const coverage = readCoverage(DIALECTS.map(({ name }) => name))
  all.set('docs/coverage.md', coveragePage(coverage))
  return all
}

const isCheck = process.argv[2] === '--check'
const stale = [...(await documents())].filter(([path, text]) => read(path) !== text)
for (const [path, text] of stale) {
  if (isCheck) console.log(`${path} is not current: npm run docs`)
  else if (text === undefined) rmSync(join(ROOT, path))
  else {
    await mkdir(dirname(join(ROOT, path)), { recursive: true })
    writeFileSync(join(ROOT, path), text)
  }
}
if (isCheck && stale.length > 0) process.exitCode = 1
