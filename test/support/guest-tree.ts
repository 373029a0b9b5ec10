/**
 * A copy of the tree with the made-up dialect of test/guest in it: its folder beside the others,
 * one line in src/dialects/index.ts, and nothing else.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PortSpec } from '../../src/dialects/options.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const GUEST = join(ROOT, 'test/guest')
const NAME = 'semaphore'
/** What is copied: what a program, the checks and the bundler read. */
const PARTS = ['src', 'test', 'docs', 'examples', 'tools', 'bench', 'bin'] as const

/** Makes the copy in a folder of its own; the caller removes it. @returns its path */
export function makeGuestTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'pentameter-guest-'))
  for (const part of PARTS) cpSync(join(ROOT, part), join(copy, part), { recursive: true })
  for (const { name } of readdirSync(ROOT, { withFileTypes: true }).filter((it) => it.isFile())) {
    cpSync(join(ROOT, name), join(copy, name))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const target = join(copy, 'src/dialects', NAME)
  cpSync(GUEST, target, { recursive: true })
  for (const file of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    if (/\.tsx?$/.test(file)) moveImports(copy, join(target, file), join(GUEST, file))
  }
  // they would register it a second time, or make a copy of the copy
  for (const file of ['guest.test.ts', 'package/guest-in-tree.test.ts', 'browser/guest.test.ts']) {
    writeFileSync(join(copy, 'test', file), '/** Nothing in a copy. */\nexport {}\n')
  }
  const index = join(copy, 'src/dialects/index.ts')
  const line = `export { ${NAME} } from './${NAME}/guest.ts'\n`
  writeFileSync(index, readFileSync(index, 'utf8').replace(/^(?=export \{ statshero)/m, line))
  return copy
}

/** Gives the dialect of a copy a port of its own, instead of the one that it shares. */
export function setPort(copy: string, { name, number }: PortSpec): void {
  const path = join(copy, 'src/dialects', NAME, 'dialect.ts')
  const text = readFileSync(path, 'utf8')
    .replace(/^import \{ TEXT_PORT \}.*\n/m, '')
    .replace('port: TEXT_PORT', `port: { name: '${name}', number: ${number} }`)
  writeFileSync(path, text)
}

/** Imports that left the folder lead to the same files from its new place. */
function moveImports(copy: string, path: string, before: string): void {
  const text = readFileSync(path, 'utf8').replace(/'(\.\.?\/[^']+)'/g, (whole, specifier) => {
    const target = resolve(dirname(before), specifier)
    if (target.startsWith(`${GUEST}/`)) return whole
    const moved = relative(dirname(path), join(copy, relative(ROOT, target)))
    return `'${moved.startsWith('.') ? moved : `./${moved}`}'`
  })
  writeFileSync(path, text)
}
