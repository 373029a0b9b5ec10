import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeFolder } from './make-folder.ts'

const ROOT = mkdtempSync(join(tmpdir(), 'pentameter-folder-'))
after(() => rmSync(ROOT, { recursive: true }))

test('a folder is made with those above it, for this user alone, and stays as it is', () => {
  const path = join(ROOT, 'a', 'b', 'c')
  makeFolder(path)
  for (const each of ['a', 'a/b', 'a/b/c']) {
    const { mode } = statSync(join(ROOT, each))
    if (process.platform !== 'win32') assert.equal(mode & 0o777, 0o700)
  }
  writeFileSync(join(path, 'file'), '')
  makeFolder(path)
  assert.ok(existsSync(join(path, 'file')))
  symlinkSync(path, join(ROOT, 'link'))
  makeFolder(join(ROOT, 'link', 'd'))
  assert.ok(statSync(join(path, 'd')).isDirectory())
})

test('what is in the way is told by its path, at once', () => {
  const file = join(ROOT, 'file')
  writeFileSync(file, '')
  symlinkSync(join(ROOT, 'nowhere'), join(ROOT, 'dangling'))
  for (const [path, message] of [
    [file, `${file} is no folder`],
    [join(file, 'a', 'b'), `${file} is no folder`],
    [join(ROOT, 'dangling'), `${join(ROOT, 'dangling')} is a link to nothing`],
    [join(ROOT, 'dangling', 'a'), `${join(ROOT, 'dangling')} is a link to nothing`],
  ] as const) {
    assert.throws(() => makeFolder(path), { code: 'ENOTDIR', message })
  }
})

test('a file system that takes no folders is told', {
  skip: existsSync('/proc/self') ? false : 'no /proc here',
}, () => {
  const message = '/proc takes no folders, so there is no /proc/pentameter'
  for (const path of ['/proc/pentameter', '/proc/pentameter/history']) {
    assert.throws(() => makeFolder(path), { code: 'ENOTDIR', message })
  }
  assert.throws(() => makeFolder('/dev/null'), { message: '/dev/null is no folder' })
})
