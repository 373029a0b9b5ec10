/**
 * node tools/wasm.ts
 *
 * Compiles the modules of the tree, AssemblyScript in `NAME.as.ts` that no other one imports, and
 * writes the bytes of each as text into `NAME.wasm.ts` beside it: sources run unbuilt, the package
 * needs no compiler, and the repository holds no binary file. A test compares the two
 * (test/wasm.test.ts).
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { wasm } from '../src/arena/wasm.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SOURCE = '.as.ts'
const COLUMNS = 90
/**
 * Options of the compiler. A module imports its memory as `env.memory` and nothing else: a shared
 * one, for the views of a shared memory stay when it grows. 65,536 pages are all that there can be.
 */
const OPTIONS = [
  ...['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--enable', 'threads'],
  ...['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'],
  '--noExportMemory',
]

/** A module of the tree; paths from the root. */
export interface WasmSource {
  readonly source: string
  /** File of its bytes. */
  readonly target: string
}

/** Lists the modules of the tree. */
export function wasmSources(): WasmSource[] {
  const sources = globSync(`src/**/*${SOURCE}`, { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
  const parts = new Set(sources.flatMap(importsOf))
  return sources
    .filter((source) => !parts.has(source))
    .map((source) => ({ source, target: source.replace(/\.as\.ts$/, '.wasm.ts') }))
}

/** Lists the sources that one imports, `from './NAME.as'`, as paths from the root. */
function importsOf(source: string): string[] {
  const text = readFileSync(join(ROOT, source), 'utf8')
  const names = text.matchAll(/ from '(\.[^']*\.as)'/g)
  return [...names].map(([, name]) => posix.join(posix.dirname(source), `${name}.ts`))
}

/**
 * Compiles a module to the text of its target.
 * @throws with the compiler's output where it does not compile, or wants more than its memory
 */
export function compileWasm({ source }: WasmSource): string {
  const folder = mkdtempSync(join(tmpdir(), 'pentameter-wasm-'))
  try {
    const file = join(folder, 'module.wasm')
    const compiler = join(ROOT, 'node_modules/assemblyscript/bin/asc.js')
    const args = [compiler, source, ...OPTIONS, '--outFile', file]
    execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
    const bytes = readFileSync(file)
    checkImports(source, bytes)
    return textOf(basename(source), bytes)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function checkImports(source: string, bytes: Uint8Array): void {
  const imports = wasm.Module.imports(new wasm.Module(bytes))
  const names = imports.map(({ module, name }) => `${module}.${name}`).join(', ')
  if (names !== 'env.memory') throw new Error(`${source} imports ${names}: only env.memory`)
}

function textOf(source: string, bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes).toString('base64')
  const lines = base64.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? []
  return [
    '/**',
    ` * The bytes of ${source}, compiled by \`npm run build:wasm\`: nothing has to be compiled`,
    ' * where the package runs.',
    ' */',
    'export const BASE64 = [',
    ...lines.map((line) => `  '${line}',`),
    "].join('')",
    '',
  ].join('\n')
}

/** Writes the bytes of all modules; files that are as they should be stay untouched. */
export function buildWasm(): void {
  for (const module of wasmSources()) {
    const path = join(ROOT, module.target)
    const text = compileWasm(module)
    const [known] = globSync(module.target, { cwd: ROOT })
    if (known === undefined || readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
  }
}

if (import.meta.main) buildWasm()
