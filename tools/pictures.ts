/**
 * npm run pictures [-- SECONDS]
 *
 * Makes docs/pictures: the demo in Chromium, in both themes, once its charts are full (70 s).
 * The page is built first, so that they show what there is.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { startHubProcess } from '../test/support/hub/hub-process.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const SECONDS = Number(process.argv[2] ?? 70)
const SIZE = { width: 1440, height: 900 }
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run']
/** Time in which what a page has asked for is drawn, ms. */
const DRAWN_MS = 3000
/** Pictures by their name and the path of the page. */
const PICTURES = { overview: '/', wallaroo: '/wallaroo/exchange' } as const

if (!existsSync(CHROMIUM)) throw new Error(`no Chromium at ${CHROMIUM}; name it in CHROMIUM`)
execFileSync(process.execPath, [join(ROOT, 'tools/build.ts'), 'web'], { stdio: 'inherit' })
const hub = await startHubProcess('demo')
const { host, port } = hub.listeners.http
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
try {
  await setTimeout(SECONDS * 1000)
  for (const [name, path] of Object.entries(PICTURES)) {
    for (const theme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ viewport: SIZE, colorScheme: theme })
      await page.goto(`http://${host}:${port}${path}`, { waitUntil: 'domcontentloaded' })
      await setTimeout(DRAWN_MS)
      await page.screenshot({ path: join(ROOT, `docs/pictures/${name}-${theme}.png`) })
      await page.close()
    }
  }
} finally {
  await browser.close()
  await hub.stop()
}
