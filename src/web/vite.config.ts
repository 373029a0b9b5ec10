/** The page as static files: `npm run build:web` writes dist/web, `npm run dev` serves sources. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const folder = fileURLToPath(new URL('.', import.meta.url))

export default defineConfig({
  root: folder,
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
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
