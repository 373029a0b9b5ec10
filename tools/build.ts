/**
 * node tools/build.ts [web] [--out DIR]
 *
 * Makes what the package ships, in dist or DIR: the declarations that its entries reach, the bundle
 * (bundle.ts, with the WebAssembly of wasm.ts), texts that are printed without it (texts.ts), and
 * the page (web/). `web` makes the page alone.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'vite'
import { bundlePackages, bundleSources } from './bundle.ts'
import { entriesIn } from './entries.ts'
import { thirdParty } from './notices.ts'
import { buildWasm } from './wasm.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** Specifier of another file in a declaration, relative, with the extension of its source. */
const RELATIVE = /(?:\bfrom |\bimport |\bimport\()["'](\.[^"']+)["']/g

export async function buildPackage(out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true })
  buildWasm()
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const options = ['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', out]
  execFileSync(process.execPath, [compiler, ...options], { stdio: 'inherit' })
  const entries = entriesIn(out).map(({ types }) => types)
  removeInnerDeclarations(out, entries)
  const sources = entries.map((types) => types.replace(/\.d\.ts$/, '.ts'))
  await bundleSources(join(ROOT, 'src'), sources, out)
  await bundlePackages(out)
  // after what it prints has been compiled: a text that fails fails the build
  const { writeTexts } = await import('./texts.ts')
  await writeTexts(out)
  await buildPage(join(out, 'web'))
}

async function buildPage(out: string): Promise<void> {
  await build({
    configFile: join(ROOT, 'src/web/vite.config.ts'),
    logLevel: 'warn',
    plugins: [thirdParty()],
    build: { outDir: out, emptyOutDir: true },
  })
}

/** Removes declarations that no entry of the package reaches: nobody can import them. */
function removeInnerDeclarations(out: string, entries: readonly string[]): void {
  const reached = new Set<string>()
  const visit = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    for (const [, specifier] of readFileSync(path, 'utf8').matchAll(RELATIVE)) {
      visit(resolve(dirname(path), specifier!.replace(/\.[jt]s$/, '.d.ts')))
    }
  }
  for (const types of entries) visit(join(out, types))
  const all = globSync('**/*.d.ts', { cwd: out }).map((path) => join(out, path))
  for (const path of all.filter((each) => !reached.has(each))) rmSync(path)
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { out: { type: 'string', default: join(ROOT, 'dist') } },
    allowPositionals: true,
  })
  const out = resolve(values.out)
  if (positionals[0] === 'web') await buildPage(join(out, 'web'))
  else await buildPackage(out)
  if (!existsSync(join(out, 'web/index.html'))) throw new Error(`no page in ${out}`)
}
