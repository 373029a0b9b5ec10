/** Metrics of Proxy-Wasm filters on the page: of an invented hub, and of a real one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GUESTS } from '../../src/dialects/registry.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { parseConfig } from '../../src/hub/config/config.ts'
import { Hub } from '../../src/hub/hub.ts'
import { systemClock } from '../../src/time/system-clock.ts'
import { filterFile } from '../filters/compile.ts'
import { DIALECTS } from '../support/dialects.ts'
import { FREE_PORTS } from '../support/ports.ts'
import { isDrawn, type Served, skip, textOf, until, useBrowser } from './browser.ts'

const open = useBrowser()

/** A hub whose only traffic is a filter's. */
async function serveFilter(webRoot: string): Promise<Served> {
  const filter = { name: 'raw', path: await filterFile('raw'), requestsPerSecond: 40 }
  const ports = { ...FREE_PORTS, ingestWorkers: 0 }
  const hub = new Hub({
    config: parseConfig({ ...ports, proxywasm: { filters: [filter] } }, DIALECTS),
    clock: systemClock,
    log: () => {},
    guests: GUESTS,
  })
  await hub.start()
  const http = createHttpServer({ view: hub, webRoot, host: '127.0.0.1', port: 0 })
  const { port } = await http.start()
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      await http.stop()
      await hub.stop()
    },
  }
}

test('a filter’s histogram is drawn, its gauge is 42, and it is listed as a source', {
  skip,
}, async (t) => {
  const path = '/series/a_histogram{filter=raw}'
  const { page } = await open(t, { serve: serveFilter, path })
  await page.getByRole('heading', { name: 'a_histogram' }).waitFor()
  await until(page, isDrawn('canvas[aria-label^="Distribution over time"]'))
  await until(
    page,
    '/mean\\s*10/.test(document.querySelector("[aria-label=Statistics]")?.innerText)',
  )
  const url = new URL(page.url())
  await page.goto(`${url.origin}/series/a_gauge{filter=raw}`)
  await until(page, '/42/.test(document.querySelector(".now .value")?.innerText)')
  await page.goto(`${url.origin}/sources`)
  const row = page.locator('[aria-label=Filters] tbody tr')
  await row.first().waitFor()
  const words = await textOf(page, '[aria-label=Filters] tbody tr')
  assert.match(words, /^raw spec, ABI 0\.2\.1\s*Runs/)
})

test('filters that trap or were refused say so', { skip }, async (t) => {
  const { page } = await open(t, { path: '/sources' })
  const rows = page.locator('[aria-label=Filters] tbody tr')
  await rows.first().waitFor()
  const [auth = '', geo = ''] = await rows.allTextContents()
  assert.match(auth, /4 traps.*not served: env\.proxy_get_shared_data/)
  assert.match(geo, /Refused.*neither proxy_on_memory_allocate nor malloc/)
})
