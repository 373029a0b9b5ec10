/** The page as static files: `npm run build:web` writes dist/web, `npm run dev` serves sources. */
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { defineConfig, type Plugin, type Rolldown, runnerImport } from 'vite'

const folder = fileURLToPath(new URL('.', import.meta.url))
const oxc = { jsx: { runtime: 'automatic', importSource: 'preact' } } as const

/**
 * Writes `views.json` beside the page: paths of the views of dialects, as each view states its own,
 * and those that its pages had in another program.
 * By it the server tells an address of the page from one that is nowhere (src/http/ui-files.ts).
 */
function viewPaths(): Plugin {
  return {
    name: 'view-paths',
    apply: 'build',
    async generateBundle() {
      const { module } = await runnerImport<typeof import('./views.ts')>(
        fileURLToPath(new URL('views.ts', import.meta.url)),
        { configFile: false, root: folder, oxc, plugins: [withoutStyles()] },
      )
      const paths = module.VIEWS.flatMap(({ dialect, screen }) =>
        dialect === undefined || screen === undefined
          ? []
          : [screen.address.path, screen.former?.path ?? []].flat(),
      )
      this.emitFile({ type: 'asset', fileName: 'views.json', source: JSON.stringify(paths) })
    },
  }
}

/**
 * Most that a browser loads to show any one view, dialogs included, in bytes as gzip has them.
 * The scope board needs the most.
 */
const COMPRESSED_BYTES_LIMIT = 120_000
/** Modules that every page fetches once its first charts are there. */
const DIALOGS = /\/(?:help|jump)\.tsx$/

/** Fails a build of which a view needs more than that. */
function sizeLimit(): Plugin {
  return {
    name: 'size-limit',
    apply: 'build',
    // styles and index.html are written by then
    writeBundle(_, bundle) {
      const started = startFiles(bundle)
      const later = Object.values(bundle).filter((file) => {
        return file.type === 'chunk' && file.isDynamicEntry
      }) as Rolldown.OutputChunk[]
      for (const chunk of later.filter(isDialog)) addNeeds(bundle, chunk.fileName, started)
      const sizes = later.map(({ fileName }) => {
        const files = addNeeds(bundle, fileName, new Set(started))
        return { fileName, bytes: compressedBytes(bundle, files) }
      })
      sizes.push({ fileName: 'index.html', bytes: compressedBytes(bundle, started) })
      for (const { fileName, bytes } of sizes) {
        this.info(`${bytes} bytes compressed with ${fileName}`)
        if (bytes <= COMPRESSED_BYTES_LIMIT) continue
        this.error(`${fileName}: ${bytes} bytes compressed, limit ${COMPRESSED_BYTES_LIMIT}`)
      }
    },
  }
}

function isDialog({ facadeModuleId }: Rolldown.OutputChunk): boolean {
  return DIALOGS.test(facadeModuleId ?? '')
}

/** Lists what index.html makes a browser load: itself, its script and styles, the icon. */
function startFiles(bundle: Rolldown.OutputBundle): Set<string> {
  const files = new Set<string>()
  for (const file of Object.values(bundle)) {
    if (file.type === 'chunk' && file.isEntry) addNeeds(bundle, file.fileName, files)
    else if (/\.(?:html|svg)$/.test(file.fileName)) files.add(file.fileName)
  }
  return files
}

/** Adds a chunk, its styles, and what it imports. */
function addNeeds(bundle: Rolldown.OutputBundle, name: string, files: Set<string>): Set<string> {
  const chunk = bundle[name]
  if (chunk?.type !== 'chunk' || files.has(name)) return files
  files.add(name)
  for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style)
  for (const imported of chunk.imports) addNeeds(bundle, imported, files)
  return files
}

function compressedBytes(bundle: Rolldown.OutputBundle, names: Iterable<string>): number {
  let bytes = 0
  for (const name of names) {
    const file = bundle[name]
    if (file === undefined) throw new Error(`the bundle has no ${name}`)
    bytes += gzipSync(file.type === 'chunk' ? file.code : file.source).length
  }
  return bytes
}

/** Makes every stylesheet an empty module: outside of a browser there is nothing to style. */
function withoutStyles(): Plugin {
  const empty = '\0no-styles'
  return {
    name: 'without-styles',
    enforce: 'pre',
    resolveId: (specifier) => (specifier.endsWith('.css') ? empty : undefined),
    load: (id) => (id === empty ? 'export {}' : undefined),
  }
}

export default defineConfig({
  root: folder,
  publicDir: false,
  oxc,
  plugins: [viewPaths(), sizeLimit()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // Nothing inline: the policy the page is served under refuses it, in styles and scripts alike.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What counts is what is loaded, compressed: see sizeLimit.
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
  },
  server: {
    host: '127.0.0.1',
    // A hub to develop against: `npm start`, or the invented one of test/browser/fake-hub.ts.
    proxy: { '/api': process.env.PENTAMETER_HUB ?? 'http://127.0.0.1:4000' },
  },
})
