/** The page as static files: `npm run build:web` writes dist/web, `npm run dev` serves sources. */
import { fileURLToPath } from 'node:url'
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
  plugins: [viewPaths()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // Nothing inline: the policy the page is served under refuses it, in styles and scripts alike.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Before compression; all of the page is to stay below 120 kB after it.
    chunkSizeWarningLimit: 300,
  },
  server: {
    host: '127.0.0.1',
    // A hub to develop against: `npm start`, or the invented one of test/browser/fake-hub.ts.
    proxy: { '/api': process.env.PENTAMETER_HUB ?? 'http://127.0.0.1:4000' },
  },
})
