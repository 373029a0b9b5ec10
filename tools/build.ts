/**
 * node tools/build.ts [web] [--out DIR]
 *
 * Makes what the package ships, in dist or DIR: the compiled sources (WebAssembly in them: wasm.ts)
 * with the declarations that its entries reach, the page (web/), and the packages that the hub
 * needs, bundled (vendor/) so that an installation brings no other package (docs/decisions/0019).
 * `web` makes the page alone.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, type Plugin } from 'vite'
import { entriesIn } from './entries.ts'
import { thirdParty } from './notices.ts'
import { buildWasm } from './wasm.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** An import from a package in compiled code: not from a path nor from a module of Node. */
const PACKAGE_IMPORT = /^import (?:\{([^}]*)\} from )?'((?!node:|[./])[^']+)'/gm
/** Specifier of another file in a declaration, relative, with the extension of its source. */
const RELATIVE = /(?:\bfrom |\bimport |\bimport\()["'](\.[^"']+)["']/g

export async function buildPackage(out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true })
  buildWasm()
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const options = ['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', out]
  execFileSync(process.execPath, [compiler, ...options], { stdio: 'inherit' })
  removeInnerDeclarations(out)
  await bundleDependencies(out)
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

/** Bundles what compiled files import from packages, a file for each, and points them there. */
async function bundleDependencies(out: string): Promise<void> {
  const vendor = join(out, 'vendor')
  const texts = new Map(
    globSync('**/*.js', { cwd: out }).map((path) => [path, readFileSync(join(out, path), 'utf8')]),
  )
  const names = importedNames([...texts.values()])
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    publicDir: false,
    plugins: [entriesOf(names), thirdParty()],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: vendor,
      emptyOutDir: true,
      target: 'node24',
      minify: true,
      rolldownOptions: {
        input: Object.fromEntries([...names.keys()].map((name) => [fileName(name), name])),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-shared.js' },
      },
    },
  })
  for (const [path, text] of texts) {
    const folder = relative(dirname(join(out, path)), vendor).replaceAll('\\', '/')
    const replaced = text.replace(PACKAGE_IMPORT, (line: string, _names, name: string) =>
      line.replace(`'${name}'`, `'${folder}/${fileName(name)}.js'`),
    )
    if (replaced !== text) writeFileSync(join(out, path), replaced)
  }
}

/** Names that files import, by package. */
function importedNames(texts: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const imported = new Map<string, Set<string>>()
  for (const [line, list, name] of texts.flatMap((text) => [...text.matchAll(PACKAGE_IMPORT)])) {
    if (list === undefined) throw new Error(`${line}: import names, so that only these are bundled`)
    const names = imported.get(name!) ?? new Set()
    imported.set(name!, names)
    for (const each of list.split(',')) names.add(each.trim().split(' as ')[0]!)
  }
  return imported
}

/** `@hono/node-server/utils/response` as a file name: `hono-node-server-utils-response`. */
function fileName(specifier: string): string {
  return specifier.replace('@', '').replaceAll('/', '-')
}

/** Makes each entry a module of the names that are imported, so that the others are left out. */
function entriesOf(names: ReadonlyMap<string, ReadonlySet<string>>): Plugin {
  const prefix = '\0entry:'
  return {
    name: 'entries',
    enforce: 'pre',
    resolveId: (id, importer) =>
      importer === undefined && names.has(id) ? `${prefix}${id}` : undefined,
    load(id) {
      if (!id.startsWith(prefix)) return undefined
      const name = id.slice(prefix.length)
      return `export { ${[...names.get(name)!].join(', ')} } from '${name}'`
    },
  }
}

/** Removes declarations that no entry of the package reaches: nobody can import them. */
function removeInnerDeclarations(out: string): void {
  const reached = new Set<string>()
  const visit = (path: string): void => {
    if (reached.has(path)) return
    reached.add(path)
    for (const [, specifier] of readFileSync(path, 'utf8').matchAll(RELATIVE)) {
      visit(resolve(dirname(path), specifier!.replace(/\.[jt]s$/, '.d.ts')))
    }
  }
  for (const { types } of entriesIn(out)) visit(join(out, types))
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
