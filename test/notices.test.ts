/** Notices of what a bundle contains: by its modules, and never without a licence. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { noticesOf } from '../tools/notices.ts'

let root: string

before(() => {
  root = mkdtempSync(join(tmpdir(), 'pentameter-notices-'))
  const files = {
    'src/own.js': '',
    'node_modules/b/package.json': '{"name":"b","version":"1.2.3","license":"MIT"}',
    'node_modules/b/LICENSE.md': 'Copyright of b\n',
    'node_modules/b/esm/package.json': '{"type":"module"}',
    'node_modules/b/esm/index.js': '',
    'node_modules/b/esm/other.js': '',
    'node_modules/@a/x/package.json': '{"name":"@a/x","version":"0.1.0","license":"ISC"}',
    'node_modules/@a/x/license': 'Copyright of x',
    'node_modules/@a/x/x.js': '',
    'node_modules/bare/package.json': '{"name":"bare","version":"1.0.0","license":"MIT"}',
    'node_modules/bare/index.js': '',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
})

after(() => rmSync(root, { recursive: true }))

test('each package has one notice, by name, with the text of its licence', () => {
  const modules = ['src/own.js', 'node_modules/b/esm/index.js', 'node_modules/b/esm/other.js']
  const all = [...modules, 'node_modules/@a/x/x.js'].map((path) => join(root, path))
  assert.deepEqual(noticesOf([...all, '\0virtual', '/gone/node_modules/c/index.js']), [
    { name: '@a/x', version: '0.1.0', license: 'ISC', text: 'Copyright of x' },
    { name: 'b', version: '1.2.3', license: 'MIT', text: 'Copyright of b' },
  ])
})

test('a package without a licence file is an error', () => {
  assert.throws(() => noticesOf([join(root, 'node_modules/bare/index.js')]), /bare 1\.0\.0: no lic/)
})
