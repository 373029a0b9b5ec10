import { strict as assert } from 'node:assert'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { filterText } from '../../../../test/filters/hostile.ts'
import { FilterModule, FilterRefusedError } from '../host/module/module.ts'
import { moduleBytes, readFilterFile } from './filter-file.ts'

async function compile(text: string): Promise<FilterModule> {
  return FilterModule.compile(await moduleBytes(Buffer.from(text)))
}

async function refusal(text: string): Promise<string> {
  const error = await compile(text).then(
    () => assert.fail('it was compiled'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof FilterRefusedError, String(error))
  return `${error.refusal}: ${error.message}`
}

test('a module may be text, whatever comments it begins with', async () => {
  const text = filterText({})
  for (const before of ['', '\n\t ', ';; a comment\n', '(; one\n(; in another ;) ;)']) {
    const module = await compile(`${before}${text}`)
    assert.equal(module.abi, '0.2.1')
  }
})

test('what is no file, or too long for a module, is refused before it is read', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-filter-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [pipe, long] = ['pipe', 'long'].map((name) => join(folder, name))
  if (process.platform !== 'win32') {
    execFileSync('mkfifo', [pipe!])
    for (const path of [pipe!, '/dev/zero']) {
      await assert.rejects(readFilterFile(path), { refusal: 'not_wasm', message: 'it is no file' })
    }
  }
  writeFileSync(long!, '')
  truncateSync(long!, 67_108_865)
  await assert.rejects(readFilterFile(long!), { refusal: 'too_large' })
})

test('a text that is none is refused with the place of its mistake', async () => {
  assert.match(
    await refusal('(module\n  (func (i32.const)))'),
    /^not_wasm: text does not assemble: line 2, column 19: unexpected token/,
  )
  assert.match(await refusal('(module'), /^not_wasm: text does not assemble: line 1/)
  assert.match(await refusal('(module)'), /^no_abi/)
  assert.match(await refusal(`(module)${' '.repeat(1_048_576)}`), /^too_large: text of 1048584/)
  assert.match(await refusal('#!/bin/sh'), /^not_wasm: not a WebAssembly module/)
})

test('a text that breaks its reader hurts none that comes later', async () => {
  const depth = 100_000
  assert.match(
    await refusal(`(module (func ${'(block '.repeat(depth)}${')'.repeat(depth)}))`),
    /^not_wasm: /,
  )
  assert.ok(await compile(filterText({})))
})
