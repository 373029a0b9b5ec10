/** The page as static files: `npm run build:web` writes dist/web, `npm run dev` serves sources. */
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { defineConfig, type Plugin, runnerImport } from 'vite'

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

/** Most that a browser loads for the page, in bytes as gzip has them; it has 122,439. */
const COMPRESSED_BYTES_LIMIT = 125_000
const LOADED = /\.(?:js|css|html|svg)$/

/** Fails a build whose files are more than that. */
function sizeLimit(): Plugin {
  return {
    name: 'size-limit',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        let bytes = 0
        for (const file of Object.values(bundle)) {
          if (!LOADED.test(file.fileName)) continue
          bytes += gzipSync(file.type === 'chunk' ? file.code : file.source).length
        }
        if (bytes <= COMPRESSED_BYTES_LIMIT) return
        this.error(`the page has ${bytes} bytes compressed, limit ${COMPRESSED_BYTES_LIMIT}`)
      },
    },
  }
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
