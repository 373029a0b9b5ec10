import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { compileWasm, wasmSources } from '../tools/wasm.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

for (const module of wasmSources()) {
  test(`the bytes in ${module.target} are those of its source`, () => {
    const text = readFileSync(join(ROOT, module.target), 'utf8')
    assert.equal(text, compileWasm(module), 'run: npm run build:wasm')
  })
}
