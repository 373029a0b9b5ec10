/**
 * The bundle of the package: compiled sources in as few files as its entries need, and the packages
 * that the hub needs beside them (vendor/), so that an installation brings no other package
 * (docs/decisions/0019) and a program that starts reads tens of files, not hundreds
 * (docs/decisions/0021).
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { build, type Plugin, type PluginOption, type Rolldown } from 'vite'
import { thirdParty } from './notices.ts'

/** An import from a package in a bundle: not from a path nor from a module of Node. */
const PACKAGE_IMPORT = /^import (?:(?:\{([^}]*)\}|(\w+)) from )?"((?!node:|[./])[^"]+)"/gm
/** Entry of the starter. */
const PROGRAM = 'cli/main.ts'
/** A module that is loaded by its address: it tells this itself, or is a thread's program. */
const LOADED_BY_ADDRESS = /import\.meta\.url|^import .*\bworkerData\b.* from 'node:worker_threads'/m

/** Sources that ship, below `src`. */
function sourcesIn(folder: string): string[] {
  const paths = globSync('**/*.ts', { cwd: folder }).map((path) => path.replaceAll('\\', '/'))
  return paths.filter((path) => !/^web\/|\/(test|view)\/|\.test\.ts$/.test(path))
}

/**
 * Writes each entry at the place of its source, and what several of them share in chunks/.
 * @param source folder of the sources
 * @param entries public ones, relative to it
 */
export async function bundleSources(
  source: string,
  entries: readonly string[],
  out: string,
): Promise<void> {
  const addressed = sourcesIn(source).filter((path) => {
    return LOADED_BY_ADDRESS.test(readFileSync(join(source, path), 'utf8'))
  })
  const paths = new Set([PROGRAM, ...entries, ...addressed])
  await bundle(out, {
    plugins: [addressesIn(source)],
    minify: false,
    rolldownOptions: {
      input: Object.fromEntries([...paths].map((path) => [withoutTs(path), join(source, path)])),
      external: (id) => !/^[./\0]/.test(id),
      preserveEntrySignatures: 'allow-extension',
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: 'chunks/[name].js',
        // each thread keeps the text of what it has loaded
        comments: false,
      },
    },
  })
}

/** Bundles what files in a folder import from packages, a file for each, and points them there. */
export async function bundlePackages(out: string): Promise<void> {
  const texts = new Map(
    globSync('**/*.js', { cwd: out }).map((path) => [path, readFileSync(join(out, path), 'utf8')]),
  )
  const names = importedNames([...texts.values()])
  const vendor = join(out, 'vendor')
  await bundle(vendor, {
    plugins: [entriesOf(names), thirdParty()],
    minify: true,
    rolldownOptions: {
      input: Object.fromEntries([...names.keys()].map((name) => [fileName(name), name])),
      // packages that are CommonJS ask for it
      transform: { define: { __dirname: 'import.meta.dirname' } },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-shared.js' },
    },
  })
  for (const [path, text] of texts) {
    const folder = relative(dirname(join(out, path)), vendor).replaceAll('\\', '/')
    const replaced = text.replace(PACKAGE_IMPORT, (line: string, _names, _default, name: string) =>
      line.replace(`"${name}"`, `"${folder}/${fileName(name)}.js"`),
    )
    if (replaced !== text) writeFileSync(join(out, path), replaced)
  }
}

interface BundleParts {
  readonly plugins: PluginOption[]
  readonly minify: boolean
  readonly rolldownOptions: Rolldown.RolldownOptions
}

async function bundle(outDir: string, parts: BundleParts): Promise<void> {
  const { plugins, minify, rolldownOptions } = parts
  await build({
    configFile: false,
    root: join(import.meta.dirname, '..'),
    logLevel: 'warn',
    publicDir: false,
    plugins,
    ssr: { noExternal: true },
    build: { ssr: true, outDir, emptyOutDir: false, target: 'node24', minify, rolldownOptions },
  })
}

function withoutTs(path: string): string {
  return path.replace(/\.ts$/, '')
}

/**
 * Gives each module the address that it has as an entry, whatever file its code is in: by it
 * threads are started, and the page and package.json found.
 */
function addressesIn(source: string): Plugin {
  const mark = (path: string): string => `__ADDRESS_OF__(${JSON.stringify(path)})`
  const marks = /__ADDRESS_OF__\("([^"]+)"\)/g
  return {
    name: 'addresses',
    transform(code, id) {
      if (!id.startsWith(source) || !code.includes('import.meta.url')) return undefined
      const path = relative(source, id).replaceAll('\\', '/')
      return code.replaceAll('import.meta.url', mark(`${withoutTs(path)}.js`))
    },
    renderChunk(code, { fileName: chunk }) {
      const placed = code.replace(marks, (_mark, path: string) => {
        const place = posix.relative(posix.dirname(chunk), path)
        return `new URL(${JSON.stringify(place)}, import.meta.url).href`
      })
      return inAscii(placed)
    },
  }
}

/**
 * Escapes what is not ASCII, which stands in texts alone: of a file with a single other character
 * V8 keeps two bytes for each, in every thread that has loaded it.
 */
function inAscii(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Names that files import, by package. */
function importedNames(texts: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const imported = new Map<string, Set<string>>()
  const lines = texts.flatMap((text) => [...text.matchAll(PACKAGE_IMPORT)])
  for (const [line, named, whole, name] of lines) {
    const list = whole === undefined ? named : 'default'
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
