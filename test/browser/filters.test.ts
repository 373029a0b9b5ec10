/** Metrics of Proxy-Wasm filters on the page: of an invented hub, and of a real one. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { filterFile } from '../filters/compile.ts'
import { isDrawn, type Served, skip, textOf, until, useBrowser } from './browser.ts'
import { serveHub } from './real-hub.ts'

const open = useBrowser()
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds in a page. */
async function axeOf(page: Page): Promise<unknown> {
  await page.evaluate(AXE)
  return page.evaluate('axe.run(document).then(({ violations }) => violations.map(({ id }) => id))')
}

/** A hub whose only traffic is a filter's. */
async function serveFilter(webRoot: string): Promise<Served> {
  const filter = { name: 'raw', path: await filterFile('raw'), requestsPerSecond: 40 }
  return serveHub(webRoot, { config: { proxywasm: { filters: [filter], workers: 2 } } })
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
  assert.match(words, /^raw spec, ABI 0\.2\.1\s*Runs\s*2/)
  const slab = await textOf(page, '[aria-label="Metrics of filters"] tbody')
  assert.match(slab, /^In use\s*[\d.]+\sKiB of 5\.00\sMiB\s*2 threads for each filter/)
  assert.match(slab, /Room for[\s\S]*In ngx_wasm_module/)
  await page.getByText('Values of raw by thread').click()
  const value = page.locator('[aria-label="Values of raw by thread, table"] tbody tr')
  await value.first().waitFor()
  assert.match((await value.first().textContent()) ?? '', /^pw\.raw\.a_counter counter\d+/)
})

test('filters that trap or were refused say so', { skip }, async (t) => {
  const { page } = await open(t, { path: '/sources' })
  const rows = page.locator('[aria-label=Filters] tbody tr')
  await rows.first().waitFor()
  const [auth = '', geo = ''] = await rows.allTextContents()
  assert.match(auth, /4 traps.*not served: env\.proxy_http_call/)
  assert.match(geo, /Refused.*neither proxy_on_memory_allocate nor malloc/)
})

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1440, 390]) {
    test(`the estimator says what would fit, by keyboard, ${theme}, ${width} px wide`, {
      skip,
    }, async (t) => {
      const { page } = await open(t, { serve: serveFilter, path: '/sources', theme, width })
      const summary = page.getByText('Estimate the slab for other metrics')
      await summary.focus()
      await page.keyboard.press('Enter')
      const status = page.locator('.estimator [role=status]')
      await status.waitFor()
      assert.match(await status.innerText(), /^[\d.]+\sKiB of 5\.00\sMiB: they fit, /)
      await page.getByLabel('Histograms').fill('20000')
      await page.getByText('too much for this slab').waitFor()
      const words = await textOf(page, '[aria-label="Estimate, table"] tbody')
      assert.match(words, /^Counters 1\s000\s*\d+\sB.*Histograms 20\s000/)
      await page.keyboard.press('Tab')
      await page.keyboard.type('64')
      assert.equal(await page.getByLabel('Bytes of a name').inputValue(), '64')
      assert.deepEqual(await axeOf(page), [])
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      assert.ok((wide as number) <= width, `the page is ${wide} px wide`)
    })
  }
}
